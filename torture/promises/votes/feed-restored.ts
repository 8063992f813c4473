/** Readers of the feed who go on with their cursors while the database is replaced by a backup, again and again. */
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { MINUTE_MS } from '../../../src/domain/clock.ts';
import { voteId } from '../../../src/domain/votes/vote.ts';
import { type Client, newClient } from '../../lib/client.ts';
import { type Crowd, newCrowd } from '../../lib/crowd.ts';
import { runVotary, startServer } from '../../lib/processes.ts';
import { Findings, type Trial, type TrialContext, type TrialResult } from '../../lib/promise.ts';
import { seeded } from '../../lib/random.ts';
import { openSessionIssuer } from '../../lib/sessions.ts';
import { addGuild, GUILD, makeSite, type Site } from '../../lib/site.ts';
import { UNLIMITED } from './claims-once.ts';

const READERS = 4;
const RETRY_MS = 20;

/**
 * `restored`: by `votary restore`; readers continue. `copied`: the file is replaced by hand. `older`: a backup from before
 * the previous one is restored, so that readers come from a history that it does not continue.
 */
const WAYS = ['restored', 'copied', 'older'] as const;
type Way = (typeof WAYS)[number];

export const feedRestoredTrial: Trial = {
  name: 'feed-restored',
  promise:
    'Readers who follow the cursors of the feed while the database is replaced by backups get every vote that is in it: exactly once after votary restore, and otherwise after INVALID_CURSOR and a new start.',
  run: feedRestored,
  extraSeconds: () => 240,
};

async function feedRestored({ scale, say }: TrialContext): Promise<TrialResult> {
  const findings = new Findings();
  const site = await makeSite('sqlite');
  const issuer = await openSessionIssuer(site.secrets);
  try {
    const scene = {
      site,
      findings,
      crowd: newCrowd(issuer),
      readers: await startReaders(await addGuild(site), findings),
      random: seeded(31),
    };
    const counts = { rounds: 0, votes: 0, forgotten: 0, new_starts: 0 };
    for (; counts.rounds < scale.restoreRounds; counts.rounds += 1) {
      const way = WAYS[counts.rounds % WAYS.length] ?? 'restored';
      const startsBefore = newStarts(scene.readers);
      await voteAndBackUp(scene, counts.rounds);
      await replaceDatabase(scene, way, counts.rounds);
      const stored = await voteAndCompare(scene);
      const starts = newStarts(scene.readers) - startsBefore;
      findings.expect(way !== 'restored' || starts === 0, `${starts} readers had to start again`);
      counts.votes = stored.size;
      counts.forgotten = scene.readers[0]?.forgotten(stored) ?? 0;
      counts.new_starts += starts;
      say(`${way}: ${JSON.stringify(counts)}`);
    }
    for (const reader of scene.readers) await reader.end();
    findings.expect(counts.forgotten > 0, 'no backup lacked a vote that was read');
    return { broken: findings.broken, counts: { ...counts, readers: READERS } };
  } finally {
    await issuer.close();
    await site.remove();
  }
}

type Scene = {
  site: Site;
  findings: Findings;
  crowd: Crowd;
  readers: readonly Reader[];
  random: () => number;
};

const backupFile = ({ folder }: Site, round: number) => join(folder, `backup-${round}.db`);

const newStarts = (readers: readonly Reader[]) => readers.reduce((sum, reader) => sum + reader.newStarts, 0);

/** The backup is made while people vote, and they go on for a while. */
async function voteAndBackUp(scene: Scene, round: number): Promise<void> {
  const { site, findings, random } = scene;
  await whileVoting(scene, async () => {
    const { code, stderr } = await runVotary(site.env, 'backup', backupFile(site, round), '--without-secret');
    findings.expect(code === 0, `backup: ${stderr}`);
    await pause(200 + random() * 300);
  });
}

async function replaceDatabase({ site, findings }: Scene, way: Way, round: number): Promise<void> {
  if (site.database.kind !== 'sqlite') return;
  const file = backupFile(site, way === 'older' ? Math.max(0, round - 1) : round);
  if (way === 'copied') {
    for (const part of ['-wal', '-shm']) await rm(site.database.path + part, { force: true });
    await copyFile(file, site.database.path);
    return;
  }
  const { code, stderr } = await runVotary(site.env, 'restore', file);
  findings.expect(code === 0, `restore: ${stderr}`);
}

/** Returns the votes in the database, each of which every reader must have got. */
async function voteAndCompare(scene: Scene): Promise<ReadonlySet<string>> {
  const { site, readers, findings, random } = scene;
  let stored: ReadonlySet<string> = new Set();
  await whileVoting(
    scene,
    () => pause(100 + random() * 300),
    async () => {
      stored = await readVoteIds(site);
      await Promise.all(readers.map((reader) => reader.untilEnd()));
    },
  );
  for (const reader of readers) {
    const missed = [...stored].filter((id) => !reader.seen.has(id)).length;
    findings.expect(missed === 0, `a reader missed ${missed} of ${stored.size} votes`);
  }
  return stored;
}

/** A server with voters and readers. `afterwards` runs when nobody votes any more. */
async function whileVoting(
  { site, crowd, readers, findings }: Scene,
  work: () => Promise<unknown>,
  afterwards: () => Promise<unknown> = async () => {},
): Promise<void> {
  const server = await startServer({ ...site.env, ...UNLIMITED });
  const client = newClient(server.url, { maxSockets: READERS });
  for (const reader of readers) reader.connect(client);
  const voting = crowd.startVoting(server.url);
  await voting.begun;
  await work();
  const { 303: _accepted, 0: _cutOff, ...others } = await voting.end();
  findings.expect(Object.keys(others).length === 0, `votes were answered ${JSON.stringify(others)}`);
  await Promise.all(readers.map((reader) => reader.untilEnd()));
  await afterwards();
  for (const reader of readers) reader.connect(null);
  client.close();
  findings.expect((await server.stop()) === 0, 'the server did not stop cleanly');
}

async function readVoteIds(site: Site): Promise<ReadonlySet<string>> {
  return site.withStore(async (store) => {
    const everything = { from: 0, to: Date.now() + MINUTE_MS };
    const votes = await Array.fromAsync(store.votes.export(GUILD, everything));
    return new Set(votes.map(voteId));
  });
}

async function startReaders(key: string, findings: Findings): Promise<Reader[]> {
  const from = new Date(Date.now() - MINUTE_MS).toISOString();
  return Array.from(
    { length: READERS },
    (_, i) => new Reader({ key, from, findings, limit: 20 + i, wait: i % 2 }),
  );
}

type ReaderOptions = { key: string; from: string; findings: Findings; limit: number; wait: number };

/** Follows the cursor, and starts again when it is rejected, as the message says. */
class Reader {
  readonly #options: ReaderOptions;
  readonly #work: Promise<void>;
  readonly seen = new Set<string>();
  newStarts = 0;
  #sinceStart = new Set<string>();
  #cursor: string | null = null;
  #client: Client | null = null;
  #emptyPages = 0;
  #isOver = false;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#work = this.#follow();
  }

  connect(client: Client | null): void {
    this.#client = client;
  }

  /** The number of votes that this reader got and that are not in the database any more. */
  forgotten(stored: ReadonlySet<string>): number {
    return [...this.seen].filter((id) => !stored.has(id)).length;
  }

  /** Resolves when a page that was requested after this call is empty. */
  async untilEnd(): Promise<void> {
    // The page that is being read now may have been requested before.
    for (const target = this.#emptyPages + 2; this.#emptyPages < target; ) await pause(RETRY_MS);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#work;
  }

  async #follow(): Promise<void> {
    while (!this.#isOver) {
      const answer = await this.#ask().catch(() => undefined);
      if (answer?.status === 200) this.#take(JSON.parse(answer.text));
      else if (answer) this.#startAgain(answer.status, answer.text);
      else await pause(RETRY_MS);
    }
  }

  async #ask() {
    const { key, from, limit, wait } = this.#options;
    const start = this.#cursor === null ? `from=${from}` : `cursor=${this.#cursor}&wait=${wait}`;
    return this.#client?.call(`/v7/guild/feed?${start}&limit=${limit}`, { headers: { 'x-api-token': key } });
  }

  #take({ votes, next_cursor }: { votes: { vote_id: string }[]; next_cursor: string }): void {
    this.#cursor = next_cursor;
    if (votes.length === 0) this.#emptyPages += 1;
    for (const { vote_id } of votes) {
      this.#options.findings.expect(!this.#sinceStart.has(vote_id), `${vote_id} came twice`);
      this.#sinceStart.add(vote_id);
      this.seen.add(vote_id);
    }
  }

  #startAgain(status: number, text: string): void {
    const isExplained = status === 400 && /"INVALID_CURSOR".*restored from a backup/.test(text);
    this.#options.findings.expect(isExplained, `the feed answered ${status}: ${text}`);
    this.newStarts += 1;
    this.#cursor = null;
    this.#sinceStart = new Set();
  }
}
