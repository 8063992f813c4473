import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { formatInstant } from '../domain/clock.ts';
import { systemReason } from '../domain/system-error.ts';
import { readSecret, replaceMasterSecret, secretFile, writeSecret } from '../secrets/master-secret.ts';
import { backupDatabase, restoreDatabase } from '../store/open.ts';
import { addExamples, type Cli, CommandFailure, countOf, refuseStrayDatabase, report } from './cli.ts';

/** The secret is a separate file, so it can be stored apart from the backup. */
function secretFileOf(file: string): string {
  return `${file}.secret`;
}

export function addBackupCommand(program: Command, cli: Cli): void {
  const command = program
    .command('backup')
    .description('copy the SQLite database into a new file, while the server runs')
    .argument('<file>', 'file to write; the master secret is written to <file>.secret')
    .option('--without-secret', 'leave the master secret out');
  addExamples(command, [
    'backup /backups/votary-2027-01-31.db',
    'backup votary.db.bak --without-secret --json',
  ]);
  command.action(async (file: string, { withoutSecret = false }: { withoutSecret?: boolean }) => {
    await backup(cli, resolve(file), withoutSecret);
  });
}

async function backup(cli: Cli, file: string, withoutSecret: boolean): Promise<void> {
  const config = readConfig(cli.environment);
  let secret: string | null = null;
  const beforePublish = async () => {
    if (!withoutSecret) secret = await copySecret(config, secretFileOf(file));
  };
  const { schemaVersion, guilds, votes } = await backupDatabase(config.database, {
    file,
    beforePublish,
  }).catch(async (error: unknown) => {
    if (secret !== null) await rm(secret, { force: true });
    throw error;
  });
  const document = { file, secret_file: secret, guilds, votes, schema_version: schemaVersion };
  report(
    cli,
    document,
    `${file} contains ${countOf(guilds, 'guild')} and ${countOf(votes, 'vote')}. ${secretNote(config, secret)}`,
  );
}

/** `null` when no secret is stored here: it is configured, or was never needed. */
async function copySecret({ secret, dataDir }: Config, copy: string): Promise<string | null> {
  const kept = secret === null ? await readSecret(secretFile(dataDir)) : undefined;
  if (kept === undefined) return null;
  await writeSecret(copy, [kept]).catch((error: unknown) => {
    throw new CommandFailure(`cannot write ${copy}: ${systemReason(error)}; no backup was made`);
  });
  return copy;
}

function secretNote(config: Config, secret: string | null): string {
  if (secret !== null) return `The master secret is in ${secret}: keep both where only you can read them.`;
  const place = config.secret === null ? secretFile(config.dataDir) : 'VOTARY_SECRET';
  return `The master secret (${place}) is not included: without it keys keep working, but cannot be shown again.`;
}

export function addRestoreCommand(program: Command, cli: Cli): void {
  const command = program
    .command('restore')
    .description('replace the SQLite database with a backup; the server must be stopped')
    .argument('<file>', 'file written by votary backup; <file>.secret is restored too');
  addExamples(command, ['restore /backups/votary-2027-01-31.db', 'restore votary.db.bak --json']);
  command.action(async (file: string) => {
    await restore(cli, resolve(file));
  });
}

async function restore(cli: Cli, file: string): Promise<void> {
  const config = readConfig(cli.environment);
  refuseStrayDatabase(cli, config);
  const previousPath = `${databasePath(config)}.before-${fileTimestamp(cli)}`;
  const secret = config.secret === null ? await readSecret(secretFileOf(file)) : undefined;
  const isSame = secret !== undefined && secret === (await readSecret(secretFile(config.dataDir)));
  const { before, after } = secretSteps(config, secret);
  const request = { file, previousPath, now: cli.clock(), before, after };
  const restored = await restoreDatabase(config.database, request);
  const { schemaVersion, guilds, votes, kept, erasedSince } = restored;
  const isSecretRestored = secret !== undefined;
  report(
    cli,
    {
      ...{ file, guilds, votes, schema_version: schemaVersion, kept },
      ...{ secret_restored: isSecretRestored, erased_since: erasedSince },
    },
    [
      `Restored ${countOf(guilds, 'guild')} and ${countOf(votes, 'vote')} from ${file}.`,
      ...(kept === null ? [] : [`The previous database is kept at ${kept}.`]),
      isSecretRestored
        ? restoredNote(isSame)
        : `No ${secretFileOf(file)} was used: the master secret is unchanged.`,
      ...(erasedSince ? [erasedNote(erasedSince)] : []),
    ].join(' '),
  );
}

function erasedNote(users: number): string {
  const who = users === 1 ? '1 user was' : `${users} users were`;
  return `${who} erased after this backup was made, and the data is back: erase it again before you start the service (votary user erase --from FILE).`;
}

function restoredNote(isSame: boolean): string {
  if (isSame) return 'The master secret is unchanged.';
  return 'The master secret was restored too: everyone has to sign in again.';
}

/**
 * The secret changes with the database. In between, its file contains both secrets, so the keys can be decrypted
 * whichever database a crash leaves in place.
 */
function secretSteps({ dataDir }: Config, restored: string | undefined) {
  if (restored === undefined) return { before: async () => {}, after: async () => {} };
  const newLines = restored.split('\n');
  return {
    before: async () => {
      const present = (await readSecret(secretFile(dataDir)))?.split('\n') ?? [];
      await replaceMasterSecret(dataDir, [...new Set([...newLines, ...present])]);
    },
    after: () => replaceMasterSecret(dataDir, newLines),
  };
}

/** Only a SQLite database is a file; for others the store reports that it cannot be restored like this. */
function databasePath({ database }: Config): string {
  return database.kind === 'sqlite' ? database.path : '';
}

function fileTimestamp(cli: Cli): string {
  return formatInstant(cli.clock()).replace(/[^0-9TZ]/g, '');
}
