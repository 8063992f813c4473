/**
 * `votes import` of the built package compared with one raw transaction: two programs that read the same file into
 * copies of one database.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { SECRET } from '../data-sets/keys.ts';
import { buildPackage } from '../servers/package.ts';
import { median } from './statistics.ts';

export type ImportFigures = { ratio: number; votesPerSecond: number; rawVotesPerSecond: number };

const ROOT = join(import.meta.dirname, '..', '..');

export async function measureImport({ data, plan }: Bench): Promise<ImportFigures> {
  const database = join(data.folder, 'import.db');
  const [guilds, votes] = [await data.guildsFile(), data.importFile()];
  const command = buildPackage(data.folder);
  const ours = () => timed(guilds, database, [command, 'votes', 'import', votes]);
  const raw = () => timed(guilds, database, [join(ROOT, 'bench/peers/raw-import.ts'), database, votes]);
  // The first run fills the compile cache of the package.
  await ours();
  const rounds: { ours: number; raw: number }[] = [];
  for (let round = 0; round < Math.ceil(plan.rounds / 3); round += 1)
    rounds.push({ ours: await ours(), raw: await raw() });
  const perSecond = (times: number[]) => data.shape.imported / (median(times) / 1000);
  return {
    ratio: median(rounds.map((round) => round.raw / round.ours)),
    votesPerSecond: perSecond(rounds.map((round) => round.ours)),
    rawVotesPerSecond: perSecond(rounds.map((round) => round.raw)),
  };
}

/** Milliseconds from start to exit of the program, on a fresh copy of the database. */
async function timed(from: string, database: string, args: string[]): Promise<number> {
  copyFileSync(from, database);
  const start = performance.now();
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, VOTARY_DATABASE_URL: `sqlite:${database}`, VOTARY_SECRET: SECRET },
  });
  const [code] = await once(child, 'exit');
  const elapsed = performance.now() - start;
  for (const ending of ['', '-wal', '-shm']) rmSync(database + ending, { force: true });
  if (code !== 0) throw new Error(`${args.join(' ')} failed with ${code}`);
  return elapsed;
}
