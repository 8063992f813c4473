/**
 * `votes import` of the built package compared with one raw transaction: two programs that read the same file into
 * copies of one database.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Bench } from '../bench.ts';
import { SECRET } from '../data-sets/keys.ts';
import { buildPackage } from '../servers/package.ts';
import { type Comparison, takeTurns } from './compare.ts';
import type { Sample } from './sample.ts';
import { VOTARY } from './vote-check.ts';

export const RAW_IMPORT = 'raw program';

const ROOT = join(import.meta.dirname, '..', '..');

/** A round takes a second. */
const FEWER_ROUNDS = 0.8;

/** A request is one vote. */
export async function measureImport({ data, plan }: Bench): Promise<Comparison> {
  const database = join(data.folder, 'import.db');
  const [guilds, votes] = [await data.guildsFile(), data.importFile()];
  const command = buildPackage(data.folder);
  const peer = join(ROOT, 'bench/peers/raw-import.ts');
  const { imported } = data.shape;
  const ours = () => timed(imported, guilds, database, [command, 'votes', 'import', votes]);
  const raw = () => timed(imported, guilds, database, [peer, database, votes]);
  // The first run fills the compile cache of the package.
  await ours();
  return takeTurns(
    new Map([
      [VOTARY, ours],
      [RAW_IMPORT, raw],
    ]),
    Math.ceil(plan.rounds * FEWER_ROUNDS),
  );
}

/** The last line of `times` is the CPU time of what the shell ran. */
const WITH_TIMES = '"$0" "$@" >/dev/null && times';

/** From start to exit of the program, on a fresh copy of the database. */
async function timed(votes: number, from: string, database: string, args: string[]): Promise<Sample> {
  copyFileSync(from, database);
  const start = performance.now();
  const child = spawn('sh', ['-c', WITH_TIMES, process.execPath, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, VOTARY_DATABASE_URL: `sqlite:${database}`, VOTARY_SECRET: SECRET },
  });
  const [times, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const seconds = (performance.now() - start) / 1000;
  for (const ending of ['', '-wal', '-shm']) rmSync(database + ending, { force: true });
  if (code !== 0) throw new Error(`${args.join(' ')} failed with ${code}`);
  return {
    requestsPerSecond: votes / seconds,
    cpuMicroseconds: (cpuSeconds(times) * 1e6) / votes,
    generatorBusy: 0,
  };
}

/** `0m1.250000s 0m0.080000s`: by the program and by the system. */
function cpuSeconds(times: string): number {
  const [, last = ''] = times.trim().split('\n');
  return [...last.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
}
