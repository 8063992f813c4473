/** Operations that write, compared with raw single-row transactions through the bare driver: one process each, 64 at once. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseUrl } from '../../src/config.ts';
import type { Bench } from '../bench.ts';
import { databaseUrl, makePostgresDatabase, runStatements } from '../data-sets/postgres.ts';
import { startTask, WRITES_AT_ONCE, type WritesOptions } from '../servers/task.ts';
import { type Comparison, takeTurns } from './compare.ts';
import { onSameCore } from './cores.ts';
import { VOTARY } from './vote-check.ts';
import { mostRequests, warmUpTask } from './warm-up.ts';

export const RAW_WRITES = 'single-row transactions';

export type WriteFigures = { sqlite: Comparison; postgres: Comparison };

const GUILDS = 50;

/** Of the requests of a warm-up: less code has to be optimized than in a server. */
const WARM_UP = 2 / 3;
/** Of the same, and a multiple of the writes at once: otherwise the last group of a round is smaller. */
const ROUND = 1 / 75;
const MORE_ROUNDS = 4;

/** Both sides write to the same disk, with the same settings, in rounds that alternate. `name`: the script in servers/. */
export async function measureWrites(bench: Bench, name: 'casts' | 'claims'): Promise<WriteFigures> {
  const { data } = bench;
  const path = join(data.folder, `${name}.db`);
  const rawPath = `${path}-raw`;
  const remove = () => {
    for (const file of [path, rawPath])
      for (const ending of ['', '-wal', '-shm']) rmSync(file + ending, { force: true });
  };
  remove();
  const sqlite = await comparePair(bench, name, { kind: 'sqlite', path }, { kind: 'sqlite', path: rawPath });
  remove();
  const server = await data.postgres();
  await makePostgresDatabase(server.url, name);
  const database: DatabaseUrl = { kind: 'postgres', url: databaseUrl(server, name) };
  const postgres = await comparePair(bench, name, database, database);
  return { sqlite, postgres };
}

async function comparePair(
  { data, plan }: Bench,
  name: string,
  database: DatabaseUrl,
  rawDatabase: DatabaseUrl,
): Promise<Comparison> {
  const count = Math.ceil((plan.warmUp.requests * ROUND) / WRITES_AT_ONCE) * WRITES_AT_ONCE;
  const rounds = plan.rounds * MORE_ROUNDS;
  const limits = { ...plan.warmUp, requests: plan.warmUp.requests * WARM_UP };
  const options = (of: DatabaseUrl): WritesOptions => ({
    database: of,
    guilds: GUILDS,
    limit: mostRequests(limits) + rounds * count,
  });
  const log = (of: string) => join(data.folder, `${of}.log`);
  const [ours, raw] = await Promise.all([
    startTask(`servers/${name}.ts`, options(database), log(name)),
    startTask('peers/raw-writes.ts', options(rawDatabase), log('raw-writes')),
  ]);
  try {
    await Promise.all([warmUpTask(VOTARY, ours, limits), warmUpTask(RAW_WRITES, raw, limits)]);
    // As autovacuum does within a minute, when the first rows exist. Plans depend on it.
    if (database.kind === 'postgres') await runStatements(database.url, ['ANALYZE']);
    const runs = new Map([
      [VOTARY, () => ours.run(count)],
      [RAW_WRITES, () => raw.run(count)],
    ]);
    return await onSameCore([ours, raw], [], () => takeTurns(runs, rounds));
  } finally {
    await Promise.all([ours.stop(), raw.stop()]);
  }
}
