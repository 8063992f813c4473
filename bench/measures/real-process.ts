/** The real command on the largest database: time to the first response, and memory after a load. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { DataSets } from '../data-sets/ensure.ts';
import { SECRET } from '../data-sets/keys.ts';
import { captureAnswer, firstRequest, sendOnce } from './answer-bytes.ts';
import { median } from './compare.ts';
import type { Bench } from './vote-check.ts';

export type ProcessFigures = { startMs: number; rssMb: number };

const ROOT = join(import.meta.dirname, '..', '..');
const RETRY_MS = 5;

export async function measureRealProcess(bench: Bench): Promise<ProcessFigures> {
  const starts: number[] = [];
  let rssMb = 0;
  for (let round = 0; round < bench.plan.rounds; round += 1) {
    const url = `https://127.0.0.1:${await freePort()}`;
    const { child, startMs } = await start(bench.data, url);
    starts.push(startMs);
    // Use the last run: the first one after a change also fills the compile cache.
    if (round === bench.plan.rounds - 1) rssMb = await rssAfterLoad(bench, url, child);
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
  }
  return { startMs: median(starts), rssMb };
}

async function start(data: DataSets, url: string): Promise<{ child: ChildProcess; startMs: number }> {
  const log = openSync(join(data.folder, 'serve.log'), 'w');
  // Read before the start: the file is large, and this process shares the cores with the one it measures.
  const check = firstRequest(data.requests.checks);
  const begin = performance.now();
  const child = spawn(process.execPath, [join(ROOT, 'bin/votary.js'), 'serve'], {
    stdio: ['ignore', log, 'inherit'],
    env: {
      ...process.env,
      VOTARY_DATABASE_URL: `sqlite:${data.listsPath}`,
      VOTARY_DATA_DIR: join(data.folder, 'votary'),
      VOTARY_SECRET: SECRET,
      VOTARY_PORT: new URL(url).port,
    },
  });
  closeSync(log);
  while (child.exitCode === null) {
    try {
      await sendOnce(url, check);
      return { child, startMs: performance.now() - begin };
    } catch {
      await pause(RETRY_MS);
    }
  }
  throw new Error(`votary serve ended with ${child.exitCode}`);
}

/**
 * Uses the production limits: every guild sends a few requests, and the longest list is read with the thirty
 * requests of its key.
 */
async function rssAfterLoad({ data, load, plan }: Bench, url: string, child: ChildProcess): Promise<number> {
  const job = { url, connections: plan.connections, seconds: plan.seconds * 3, mayBeRefused: true };
  await load.run({ ...job, requestsFile: data.requests.checks });
  for (let page = 0; page < 20; page += 1) await captureAnswer(url, data.requests.thousands);
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' })) / 1024;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  if (address === null || typeof address === 'string') throw new Error('no free port was found');
  return address.port;
}
