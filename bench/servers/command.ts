/** `votary serve` as an operator starts it, with production limits unless its environment says otherwise. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../test/support/free-port.ts';
import { SECRET } from '../data-sets/keys.ts';
import type { PreparedRequest } from '../load/requests.ts';
import { sendOnce } from '../measures/answer-bytes.ts';
import type { ServerProcess } from './start.ts';

export type CommandServer = ServerProcess & {
  /** From the start of the process to its first response. */
  startMs: number;
  /** CPU milliseconds of the process and of each of its workers. */
  cpuOfEach(): number[];
};

export type CommandOptions = {
  /** The folder of the data sets. */
  folder: string;
  logName: string;
  /** The script of the command line: bin/votary.js of a clone or of a package. */
  script: string;
  args?: string[];
  /** Behind a proxy it serves HTTP, otherwise HTTPS. */
  scheme: 'http' | 'https';
  env: Record<string, string>;
  /** Sent until it is answered. */
  first: PreparedRequest;
};

const RETRY_MS = 5;

/** The unit of CPU times in /proc: USER_HZ is 100 on every architecture. */
const TICK_MS = 10;

export async function startCommand(options: CommandOptions): Promise<CommandServer> {
  const { folder, logName, script, args = [], scheme, first } = options;
  const port = await freePort();
  const url = `${scheme}://127.0.0.1:${port}`;
  const log = openSync(join(folder, `${logName}.log`), 'w');
  const begin = performance.now();
  const child = spawn(process.execPath, [script, 'serve', ...args], {
    stdio: ['ignore', log, 'inherit'],
    env: {
      ...process.env,
      VOTARY_DATA_DIR: join(folder, 'votary'),
      VOTARY_SECRET: SECRET,
      VOTARY_PORT: String(port),
      ...(scheme === 'http' ? { VOTARY_TRUSTED_PROXIES: '127.0.0.0/8' } : {}),
      ...options.env,
    },
  });
  closeSync(log);
  await untilAnswered(child, url, first);
  const startMs = performance.now() - begin;
  const pid = child.pid ?? 0;
  const cpuOfEach = () => [pid, ...childrenOf(pid)].map(cpuMsOf);
  return {
    pid,
    url,
    startMs,
    cpuOfEach,
    usage: async () => ({ cpuMs: cpuOfEach().reduce((sum, each) => sum + each, 0), rssMb: rssMbOf(pid) }),
    stop: async () => {
      if (child.exitCode !== null) return;
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    },
  };
}

async function untilAnswered(child: ChildProcess, url: string, request: PreparedRequest): Promise<void> {
  while (child.exitCode === null) {
    try {
      await sendOnce(url, request);
      return;
    } catch {
      await pause(RETRY_MS);
    }
  }
  throw new Error(`votary serve ended with ${child.exitCode}`);
}

function rssMbOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
}

function childrenOf(pid: number): number[] {
  const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return listed === '' ? [] : listed.split(' ').map(Number);
}

/** The fields after the name of the program, which can contain spaces: user and system time are the 12th and 13th. */
function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
