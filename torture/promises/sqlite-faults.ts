import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { type Answer, type Client, castVote, newClient } from '../lib/client.ts';
import { newUserId, openPassportOffice, type PassportOffice } from '../lib/passports.ts';
import { runVotary, startServer } from '../lib/processes.ts';
import { Findings, type Trial, type TrialWorld } from '../lib/promise.ts';
import { addGuild, GUILD, makeSite, type Site, siteOn } from '../lib/site.ts';
import { doubledUsers, readVotes } from '../lib/votes.ts';

/** How long a vote waits for another program, at most, and some more for a busy machine. */
const VOTE_PATIENCE_MS = 20_000;

type Scene = {
  site: Site;
  client: Client;
  office: PassportOffice;
  key: string;
  accepted: Set<string>;
  findings: Findings;
};

export const sqliteFaultsTrial: Trial = {
  name: 'sqlite-faults',
  promise:
    'A locked, full or read-only SQLite file gives worded errors; nothing is corrupted, and all is well when it is over.',
  async run({ say }: TrialWorld) {
    const findings = new Findings();
    const locked = await withScene(await makeSite('sqlite'), findings, tryLocked);
    say(`locked: ${JSON.stringify(locked)}`);
    const disk = await makeSmallDisk();
    const full = disk
      ? await withScene(disk.site, findings, (scene) => tryFullDisk(scene, disk))
      : 'needs root';
    say(`full: ${JSON.stringify(full)}`);
    const readOnly = disk ? await tryReadOnly(disk, findings) : 'needs root';
    await disk?.remove();
    return {
      broken: findings.broken,
      counts: {
        ...locked,
        disk_full: full === 'needs root' ? full : 1,
        ...(typeof full === 'string' ? {} : full),
        read_only: readOnly,
        corrupted: findings.broken.filter((line) => line.includes('integrity')).length,
      },
    };
  },
};

async function withScene<T>(site: Site, findings: Findings, work: (scene: Scene) => Promise<T>): Promise<T> {
  const office = await openPassportOffice(site.secrets);
  try {
    const key = await addGuild(site);
    const server = await startServer(site.env);
    const scene: Scene = { site, client: newClient(server.url), office, key, accepted: new Set(), findings };
    const result = await work(scene);
    scene.client.close();
    findings.expect((await server.stop()) === 0, 'the server did not stop with exit code 0');
    await judgeFile(scene);
    return result;
  } finally {
    await office.close();
    await site.remove();
  }
}

async function judgeFile({ site, accepted, findings }: Scene): Promise<void> {
  const db = new Database(site.database.kind === 'sqlite' ? site.database.path : '');
  const state = db.pragma('integrity_check', { simple: true });
  db.close();
  findings.expect(state === 'ok', `integrity_check: ${String(state)}`);
  const votes = await readVotes(site);
  const lost = [...accepted].filter((userId) => !votes.has(userId)).length;
  findings.expect(lost === 0, `${lost} accepted votes were lost`);
  findings.expect(doubledUsers(votes).length === 0, 'a user voted twice');
}

async function vote({ client, office, accepted }: Scene): Promise<Answer> {
  const person = await office.issue(newUserId());
  const answer = await castVote(client, GUILD, person);
  if (answer.status === 303) accepted.add(person.userId);
  return answer;
}

/** Another program writes: a short while is waited for, a long one is told of, and reading goes on all the time. */
async function tryLocked(scene: Scene): Promise<Record<string, number>> {
  const { site, client, key, findings } = scene;
  const holder = new Database(site.database.kind === 'sqlite' ? site.database.path : '');
  holder.exec('BEGIN IMMEDIATE');
  const patient = Array.from({ length: 10 }, () => vote(scene));
  const reads = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const start = performance.now();
      const { status } = await client.call('/v7/vote-check?external_id=x', {
        headers: { 'x-api-token': key },
      });
      findings.expect(status === 200, `a read got ${status} while another program wrote`);
      return performance.now() - start;
    }),
  );
  holder.exec('ROLLBACK');
  for (const { status } of await Promise.all(patient))
    findings.expect(status === 303, `a vote that waited got ${status}`);

  holder.exec('BEGIN IMMEDIATE');
  const start = performance.now();
  const refused = await vote(scene);
  const waitedMs = Math.round(performance.now() - start);
  holder.exec('ROLLBACK');
  holder.close();
  findings.expect(
    isWordedPage(refused),
    `a vote that could not be kept got ${refused.status} ${refused.text.slice(0, 100)}`,
  );
  findings.expect(waitedMs < VOTE_PATIENCE_MS, `a vote waited ${waitedMs} ms`);
  findings.expect((await vote(scene)).status === 303, 'no vote was accepted after the lock was gone');
  return {
    waited_votes: patient.length,
    slowest_read_ms: Math.round(Math.max(...reads)),
    gave_up_after_ms: waitedMs,
  };
}

type SmallDisk = { folder: string; site: Site; remount(mode: 'ro' | 'rw'): void; remove(): Promise<void> };

/** A disk of three megabytes in memory. Only root may mount one. */
async function makeSmallDisk(): Promise<SmallDisk | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'votary-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    await rm(folder, { recursive: true });
    return undefined;
  }
  const site = siteOn({ kind: 'sqlite', path: join(folder, 'data', 'votary.db') }, folder);
  let isMounted = true;
  const unmount = () => {
    if (isMounted) execFileSync('umount', ['--lazy', folder], { stdio: 'ignore' });
    isMounted = false;
  };
  process.once('exit', unmount);
  return {
    folder,
    // The disk outlives the site: it is made read-only next.
    site: { ...site, remove: async () => {} },
    remount: (mode) => void execFileSync('mount', ['-o', `remount,${mode}`, folder]),
    remove: async () => {
      unmount();
      await rm(folder, { recursive: true });
    },
  };
}

async function tryFullDisk(scene: Scene, disk: SmallDisk): Promise<Record<string, number>> {
  const { client, key, findings } = scene;
  const filler = join(disk.folder, 'filler');
  await writeFile(filler, '');
  let size = 4 * 1024 * 1024;
  // Ever smaller pieces, until nothing fits any more.
  for (; size >= 512; size /= 2)
    await writeFile(filler, Buffer.alloc(size), { flag: 'a' }).catch(() => undefined);
  let refused: Answer | undefined;
  let votes = 0;
  for (; votes < 500 && refused === undefined; votes += 1) {
    const answer = await vote(scene);
    if (answer.status !== 303) refused = answer;
  }
  findings.expect(refused !== undefined, 'the disk never was full');
  findings.expect(
    refused === undefined || isWordedPage(refused),
    `a full disk gave ${refused?.status} ${refused?.text.slice(0, 100)}`,
  );
  const read = await client.call('/v7/vote-check?external_id=x', { headers: { 'x-api-token': key } });
  findings.expect(read.status === 200, `reading from a full disk gave ${read.status}`);
  await rm(filler);
  await pause(100);
  findings.expect((await vote(scene)).status === 303, 'no vote was accepted after there was room again');
  return { votes_until_full: votes };
}

/** Neither a server nor a command can do without writing: each says so in one line. */
async function tryReadOnly(disk: SmallDisk, findings: Findings): Promise<number> {
  disk.remount('ro');
  for (const command of [
    ['guild', 'add', '300000000000000000'],
    ['serve'],
    ['backup', join(tmpdir(), 'votary-never-written')],
  ]) {
    const { code, stderr } = await runVotary(disk.site.env, ...command);
    const isWorded = code === 1 && /^votary: [^\n]+\n$/.test(stderr) && !/\n\s+at /.test(stderr);
    const isFine = isWorded || (command[0] === 'backup' && code === 0);
    findings.expect(isFine, `${command.join(' ')} on a read-only disk: exit ${code}, ${stderr}`);
  }
  await Promise.all(
    ['', '.secret'].map((ending) => rm(join(tmpdir(), `votary-never-written${ending}`), { force: true })),
  );
  disk.remount('rw');
  const { code } = await runVotary(disk.site.env, 'guild', 'list');
  findings.expect(code === 0, 'the database did not open when it could be written again');
  return 3;
}

function isWordedPage({ status, text, headers }: Answer): boolean {
  return (
    status === 500 && String(headers['content-type']).startsWith('text/html') && !/SQLITE|\n\s+at /.test(text)
  );
}
