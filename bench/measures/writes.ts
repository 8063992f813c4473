/** Operations that write, compared with raw single-row transactions through the bare driver, 64 at once. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseUrl } from '../../src/config.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import type { Bench } from '../bench.ts';
import { databaseUrl, makePostgresDatabase, runStatements } from '../data-sets/postgres.ts';
import { openRawWriter, type RawWriter } from '../peers/raw-writes.ts';
import { median } from './statistics.ts';

export type WriteFigures = { sqlite: WritePair; postgres: WritePair };

/** `ratio`: the median of the rounds. */
export type WritePair = { ratio: number; perSecond: number; rawPerSecond: number };

/** The i-th operation; every i is used once. */
export type Operation = (i: number) => Promise<unknown>;

/** Fills an empty store and returns the operation to measure. `limit` is the number of operations at most. */
export type Prepare = (store: Store, limit: number) => Promise<Operation>;

const AT_ONCE = 64;

/** The warm-up of each side takes as long as this many rounds at most. */
const WARM_UP_ROUNDS = 4;

/** Both sides write to databases on the same disk, with the same settings, in rounds that alternate. */
export async function compareWrites(bench: Bench, name: string, prepare: Prepare): Promise<WriteFigures> {
  const { data } = bench;
  const path = join(data.folder, `${name}.db`);
  const remove = () => {
    for (const ending of ['', '-wal', '-shm']) rmSync(path + ending, { force: true });
  };
  remove();
  const sqlite = await comparePair(bench, { kind: 'sqlite', path }, prepare);
  remove();
  const server = await data.postgres();
  await makePostgresDatabase(server.url, name);
  const postgres = await comparePair(bench, { kind: 'postgres', url: databaseUrl(server, name) }, prepare);
  return { sqlite, postgres };
}

async function comparePair({ plan }: Bench, database: DatabaseUrl, prepare: Prepare): Promise<WritePair> {
  const limit = Math.ceil(plan.warmUp.requests / 2);
  const { rounds, seconds } = plan;
  // An equal share for each round, and twice as much to warm up: a fast side ends its rounds early.
  const most = Math.floor(limit / (rounds + 2));
  const store = await openStore(database);
  let raw: RawWriter | undefined;
  try {
    const ours = timer(await prepare(store, limit));
    raw = await openRawWriter(database);
    const theirs = timer(raw.write);
    for (const perSecond of [ours, theirs]) await perSecond(seconds * WARM_UP_ROUNDS, 2 * most);
    // As autovacuum does within a minute, when the first rows exist. Plans depend on it.
    if (database.kind === 'postgres') await runStatements(database.url, ['ANALYZE']);
    const measured: { ours: number; raw: number }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      measured.push({ ours: await ours(seconds, most), raw: await theirs(seconds, most) });
    }
    return {
      ratio: median(measured.map((round) => round.ours / round.raw)),
      perSecond: median(measured.map((round) => round.ours)),
      rawPerSecond: median(measured.map((round) => round.raw)),
    };
  } finally {
    await raw?.close();
    await store.close();
  }
}

/** Times operations, `AT_ONCE` at a time, until the time is up or `most` are done. */
function timer(operation: Operation): (seconds: number, most: number) => Promise<number> {
  let next = 0;
  return async (seconds, most) => {
    const first = next;
    const start = performance.now();
    const end = start + seconds * 1000;
    const worker = async () => {
      // At least one, on a machine that is too busy for the given time.
      while (next < first + most && (next === first || performance.now() < end)) {
        next += 1;
        await operation(next - 1);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return (next - first) / ((performance.now() - start) / 1000);
  };
}
