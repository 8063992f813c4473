/** Operations that write, compared with raw single-row transactions through the bare driver: one process each, 64 at once. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseUrl } from '../../src/config.ts';
import type { Bench } from '../bench.ts';
import { databaseUrl, makePostgresDatabase, runStatements } from '../data-sets/postgres.ts';
import { startTask, type WritesOptions } from '../servers/task.ts';
import { median } from './statistics.ts';

export type WriteFigures = { sqlite: WritePair; postgres: WritePair };

/** `ratio`: the median of the rounds. */
export type WritePair = { ratio: number; perSecond: number; rawPerSecond: number };

const GUILDS = 50;

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
): Promise<WritePair> {
  const limit = Math.ceil(plan.warmUp.requests / 2);
  // An equal share for each round, and twice as much to warm up.
  const count = Math.floor(limit / (plan.rounds + 2));
  const options = (of: DatabaseUrl): WritesOptions => ({ database: of, guilds: GUILDS, limit });
  const log = (of: string) => join(data.folder, `${of}.log`);
  const ours = await startTask(`servers/${name}.ts`, options(database), log(name));
  const raw = await startTask('peers/raw-writes.ts', options(rawDatabase), log('raw-writes'));
  try {
    for (const task of [ours, raw]) await task.run(2 * count);
    // As autovacuum does within a minute, when the first rows exist. Plans depend on it.
    if (database.kind === 'postgres') await runStatements(database.url, ['ANALYZE']);
    const measured: { ours: number; raw: number }[] = [];
    for (let round = 0; round < plan.rounds; round += 1) {
      measured.push({ ours: await ours.run(count), raw: await raw.run(count) });
    }
    return {
      ratio: median(measured.map((round) => round.ours / round.raw)),
      perSecond: median(measured.map((round) => round.ours)),
      rawPerSecond: median(measured.map((round) => round.raw)),
    };
  } finally {
    await Promise.all([ours.stop(), raw.stop()]);
  }
}
