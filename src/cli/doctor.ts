import { X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { DAY_MS, formatDate, type Instant, SECOND_MS } from '../domain/clock.ts';
import { secretFingerprints } from '../domain/secrets.ts';
import { systemReason } from '../domain/system-error.ts';
import { loadCertificate } from '../secrets/certificate.ts';
import { configuredSecret, readSecret, secretFile } from '../secrets/master-secret.ts';
import { missingScripts } from '../site/sharing/card-scripts.ts';
import type { DatabaseReport } from '../store/maintenance/report.ts';
import { inspectDatabase } from '../store/open.ts';
import { addExamples, type Cli, CommandFailure, countOf, formatTable, report } from './cli.ts';

const STATUS_LABELS = { ok: 'ok', warning: 'WARNING', failed: 'FAILED' };

export function addDoctorCommand(program: Command, cli: Cli): void {
  const command = program
    .command('doctor')
    .description('check database, clock, certificate, secret, sign-in, disk, file modes and fonts');
  addExamples(command, ['doctor', 'doctor --env-file /etc/votary/env --json']);
  command.action(async () => {
    const findings = await runChecks(readConfig(cli.environment), cli.clock());
    const failures = findings.filter(({ status }) => status === 'failed').length;
    report(cli, { ok: failures === 0, checks: findings }, formatTable(findings.flatMap(rowsOf)));
    if (failures > 0) throw new CommandFailure(`${countOf(failures, 'check')} failed`);
  });
}

function rowsOf({ check, status, message, advice }: Finding): string[][] {
  const row = [STATUS_LABELS[status], check, message];
  return advice === undefined ? [row] : [row, ['', '', `-> ${advice}`]];
}

export type Finding = {
  check: string;
  status: 'ok' | 'warning' | 'failed';
  message: string;
  advice?: string;
};

/** A vote that another process stamps further ahead than this is not visible immediately. */
const MAX_DRIFT_MS = 2 * SECOND_MS;
const EXPIRY_WARNING_MS = 14 * DAY_MS;
const MIN_FREE_BYTES = 512 * 1024 * 1024;

type Outcome = Omit<Finding, 'check'>;

const ok = (message: string): Outcome => ({ status: 'ok', message });
const warning = (message: string, advice: string): Outcome => ({ status: 'warning', message, advice });
const failed = (message: string, advice: string): Outcome => ({ status: 'failed', message, advice });

/** All checks, in order. A check that throws has failed with the message of its error. */
async function runChecks(config: Config, now: Instant): Promise<Finding[]> {
  const database = await attempt(() => inspectDatabase(config.database));
  const report = 'value' in database ? database.value : undefined;
  const withDatabase = (run: () => Outcome | Promise<Outcome>) => () =>
    'value' in database ? run() : warning('not checked', 'this check needs the database');
  const checks: [name: string, run: () => Outcome | Promise<Outcome>][] = [
    ['database', () => ('value' in database ? checkDatabase(config, report) : database.outcome)],
    ['clock', withDatabase(() => checkClock(report, now))],
    ['certificate', () => checkCertificate(config, now)],
    ['secret', withDatabase(() => checkSecret(config, report))],
    ['sign-in', () => checkSignIn(config)],
    ['disk', () => checkDisk(config)],
    ['file modes', () => checkModes(config)],
    ['fonts', checkFonts],
  ];
  const findings: Finding[] = [];
  for (const [check, run] of checks) {
    const result = await attempt(run);
    findings.push({ check, ...('value' in result ? result.value : result.outcome) });
  }
  return findings;
}

async function attempt<T>(run: () => T | Promise<T>): Promise<{ value: T } | { outcome: Outcome }> {
  try {
    return { value: await run() };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { outcome: failed(message, 'fix this first: serve would not start') };
  }
}

function checkDatabase({ database }: Config, report: DatabaseReport | undefined): Outcome {
  if (!report) {
    const file = database.kind === 'sqlite' ? database.path : '';
    return checkCreatable(file, 'VOTARY_DATABASE_URL', ok('does not exist yet; serve creates it'));
  }
  const { product, schemaVersion, newestVersion, isCompatible, foreignReason, writeProblem } = report;
  const version = `${product}, schema version ${schemaVersion} of ${newestVersion}`;
  if (writeProblem === 'full')
    return failed(`${version}, its disk is full`, 'free some space: votes cannot be stored');
  if (writeProblem === 'read-only')
    return failed(`${version}, read-only`, 'point VOTARY_DATABASE_URL to the primary, or make it writable');
  if (foreignReason !== null) return failed(foreignReason, 'serve would not start with it');
  if (!isCompatible)
    return failed(`${version}, newer than this program`, 'install the newer Votary, or restore a backup');
  if (schemaVersion > newestVersion) return ok(`${version}: newer than this program, which can still use it`);
  if (schemaVersion === 0) return ok(`${product}, empty; serve creates the tables`);
  if (schemaVersion < newestVersion)
    return warning(`${version}, older`, 'back it up, then run: votary migrate');
  return ok(version);
}

function checkClock(report: DatabaseReport | undefined, now: Instant): Outcome {
  if (report?.now == null) return ok('votes get their time from this machine only');
  const drift = Math.abs(report.now - now);
  const message = `${(drift / SECOND_MS).toFixed(1)} s off from the clock of the database server`;
  return drift <= MAX_DRIFT_MS ? ok(message) : failed(message, 'run NTP on every machine');
}

async function checkCertificate(config: Config, now: Instant): Promise<Outcome> {
  if (config.trustedProxies !== null) return ok('provided by the proxy');
  if (config.tlsFiles === null) return checkSelfSigned(config);
  const { cert } = await loadCertificate(config, now);
  const certificate = new X509Certificate(cert);
  const until = certificate.validToDate.getTime();
  const message = `valid until ${formatDate(until)}`;
  if (until <= now) return failed(`expired: ${message}`, 'renew it; serve loads the new file automatically');
  const host = config.publicUrl === null ? undefined : new URL(config.publicUrl).hostname;
  if (host !== undefined && certificate.checkHost(host) === undefined)
    return failed(`not for ${host}, the host of VOTARY_PUBLIC_URL`, 'use a certificate for that name');
  if (until - now < EXPIRY_WARNING_MS) return warning(message, 'renew it now');
  return ok(message);
}

function checkSelfSigned({ publicUrl, dataDir }: Config): Outcome {
  const folder = join(dataDir, 'tls');
  const place = `self-signed, in ${folder}`;
  const advice = 'browsers warn about it: set VOTARY_TLS_CERT and VOTARY_TLS_KEY, or use a proxy';
  const outcome = publicUrl === null ? ok(place) : warning(place, advice);
  const file = join(folder, 'key.pem');
  return existsSync(file) ? outcome : checkCreatable(file, 'VOTARY_DATA_DIR', outcome);
}

async function checkSecret(config: Config, report: DatabaseReport | undefined): Promise<Outcome> {
  const path = secretFile(config.dataDir);
  const place = config.secret === null ? path : 'VOTARY_SECRET';
  const secret = config.secret === null ? await readSecret(path) : configuredSecret(config.secret, config);
  const kept = report?.fingerprint ?? null;
  if (secret === undefined) {
    if (kept === null)
      return checkCreatable(path, 'VOTARY_DATA_DIR', ok(`does not exist yet; serve creates ${path}`));
    return failed(`${path} is missing`, 'restore it from a backup, or see docs/operating.md');
  }
  if (kept === null) return ok(`${place}; the database has not been used with a secret yet`);
  const [current, ...others] = secretFingerprints(secret);
  if (current === kept) return ok(`${place} matches the database`);
  if (others.includes(kept)) {
    if (config.secret === null) return ok(`${place} matches the database`);
    return warning(
      'VOTARY_SECRET_PREVIOUS matches the database, VOTARY_SECRET will',
      'run votary secret rotate once every process has both',
    );
  }
  return failed(`${place} is not the one the database was used with`, 'restore the right one');
}

function checkSignIn({ discord, publicUrl }: Config): Outcome {
  if (discord === null)
    return warning(
      'not configured: nobody can vote',
      'set VOTARY_DISCORD_CLIENT_ID and VOTARY_DISCORD_CLIENT_SECRET',
    );
  if (publicUrl === null)
    return warning(
      'Discord, without VOTARY_PUBLIC_URL',
      'set VOTARY_PUBLIC_URL to the address that people use',
    );
  return ok(`Discord; its redirect address must be ${publicUrl}/sign-in/callback`);
}

/** The closest existing parent of the folder that will be created. */
function existingFolder(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : existingFolder(dirname(path));
}

/**
 * `outcome` if `serve` can create the missing file. Checking permissions is not enough: for root, they allow writing to
 * a read-only file system. So an empty folder is created and removed again.
 */
function checkCreatable(file: string, variable: string, outcome: Outcome): Outcome {
  try {
    rmdirSync(mkdtempSync(join(existingFolder(dirname(file)), '.votary-doctor-')));
    return outcome;
  } catch (error) {
    return failed(
      `cannot create ${file}: ${systemReason(error)}`,
      `set ${variable} to a location that the user of the service can write to, or change its permissions`,
    );
  }
}

async function checkDisk({ dataDir, database }: Config): Promise<Outcome> {
  const folder = database.kind === 'sqlite' ? dirname(database.path) : dataDir;
  const { bavail, bsize } = await statfs(existingFolder(folder));
  const free = bavail * bsize;
  const message = `${Math.round(free / 1024 / 1024)} MB free for ${folder}`;
  return free >= MIN_FREE_BYTES
    ? ok(message)
    : warning(message, 'free some space: a million votes take about 155 MB');
}

function checkModes({ dataDir, database, tlsFiles }: Config): Outcome {
  const files = [secretFile(dataDir), join(dataDir, 'tls', 'key.pem')];
  if (database.kind === 'sqlite') files.push(database.path, `${database.path}-wal`);
  if (tlsFiles) files.push(tlsFiles.key);
  const present = files.filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
  const open = present.filter((file) => (statSync(file).mode & 0o077) !== 0);
  if (open.length > 0)
    return warning(`readable by other users: ${open.join(', ')}`, `run: chmod 600 ${open.join(' ')}`);
  return ok('the database, secret and key are readable by their owner only');
}

/** The library is loaded here, because no other command draws anything. */
async function checkFonts(): Promise<Outcome> {
  const { Resvg } = await import('@resvg/resvg-js');
  const missing = missingScripts(
    (svg, { usesSystem }) => new Resvg(svg, { font: { loadSystemFonts: usesSystem } }),
  );
  if (missing.length === 0) return ok('cards can show names in Chinese, Japanese and Korean');
  return warning(
    `no font for ${missing.join(', ')}: cards of such names show their tags and the logo instead`,
    'install one, such as the Debian package fonts-noto-cjk, and restart the service',
  );
}
