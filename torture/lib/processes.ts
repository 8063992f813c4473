/**
 * Real processes of Votary, started by its launcher, and ended one by one by their ids.
 *
 *   const server = await startServer(site.env);
 *   await server.kill();
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const LAUNCHER = fileURLToPath(new URL('../../bin/votary.js', import.meta.url));
const OUTPUT_KEPT = 64 * 1024;
const START_TIMEOUT_MS = 60_000;

export type Environment = Record<string, string>;

export type RunningServer = {
  url: string;
  pid: number;
  child: ChildProcess;
  /** The last that it printed. */
  output(): string;
  /** SIGTERM; gives the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL. */
  kill(): Promise<void>;
};

const running = new Set<ChildProcess>();
// A run that is broken off leaves nothing behind.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export function spawnVotary(env: Environment, args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [LAUNCHER, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

export async function startServer(env: Environment): Promise<RunningServer> {
  const child = spawnVotary({ VOTARY_LOG_LEVEL: 'error', ...env }, ['serve', '--json']);
  let output = '';
  const { promise: started, resolve, reject } = Promise.withResolvers<string>();
  const listen = (chunk: Buffer) => {
    output = (output + chunk).slice(-OUTPUT_KEPT);
    const url = /"url":"([^"]+)"/.exec(output)?.[1];
    if (url) resolve(url);
  };
  child.stdout?.on('data', listen);
  child.stderr?.on('data', listen);
  child.once('exit', () => reject(new Error(`the server ended: ${output}`)));
  const timer = setTimeout(() => reject(new Error(`the server did not start: ${output}`)), START_TIMEOUT_MS);
  const url = await started.finally(() => clearTimeout(timer));
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
    return child.exitCode;
  };
  return {
    url,
    pid: child.pid ?? 0,
    child,
    output: () => output,
    stop: () => end('SIGTERM'),
    kill: async () => {
      await end('SIGKILL');
    },
  };
}

/** Runs one command to its end and gives what it printed. */
export async function runVotary(
  env: Environment,
  ...args: string[]
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawnVotary(env, args);
  const exit = once(child, 'exit');
  if (!child.stdout || !child.stderr) throw new Error('no output');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await exit;
  return { code: child.exitCode, stdout, stderr };
}
