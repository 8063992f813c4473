/**
 * Real processes of Votary, started by its launcher, and ended one by one by their ids.
 *
 *   const server = await startServer(site.env);
 *   await server.kill();
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const LAUNCHER = fileURLToPath(new URL('../../bin/votary.js', import.meta.url));
const OUTPUT_KEPT = 64 * 1024;
const START_TIMEOUT_MS = 60_000;
/** No command takes this long: it hangs, or it is a server that should have failed to start. */
const COMMAND_TIMEOUT_MS = 60_000;

export type Environment = Record<string, string>;

/** The user of the process; without ids, the current user. */
export type Owner = { uid?: number; gid?: number };

/** How to start a process: as which user, and through which wrapper command. */
export type Launch = Owner & { through?: readonly string[] };

export type RunningServer = {
  url: string;
  pid: number;
  child: ChildProcess;
  /** The last lines that it printed. */
  output(): string;
  /** SIGTERM; returns the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL. */
  kill(): Promise<void>;
};

const running = new Set<ChildProcess>();
// An interrupted run leaves no processes behind.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export function spawnVotary(env: Environment, args: readonly string[], launch: Launch = {}): ChildProcess {
  const { through = [], ...owner } = launch;
  const [command = '', ...rest] = [...through, process.execPath, LAUNCHER, ...args];
  const child = spawn(command, rest, {
    ...owner,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** A server that can send webhooks to this machine, and accepts the sessions of demo users. */
export function startDemoServer(env: Environment, launch: Launch = {}): Promise<RunningServer> {
  return start(env, ['serve', '--demo', '--json'], launch);
}

export function startServer(env: Environment, launch: Launch = {}): Promise<RunningServer> {
  return start(env, ['serve', '--json'], launch);
}

async function start(env: Environment, args: readonly string[], launch: Launch): Promise<RunningServer> {
  const child = spawnVotary({ VOTARY_LOG_LEVEL: 'error', ...env }, args, launch);
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

export type CommandResult = {
  /** `null` if it had to be killed. */
  code: number | null;
  stdout: string;
  stderr: string;
};

/** Runs one command until it exits or reaches the time limit, and returns its output. */
export function runVotary(env: Environment, ...args: string[]): Promise<CommandResult> {
  return runVotaryAs({}, env, ...args);
}

export async function runVotaryAs(owner: Owner, env: Environment, ...args: string[]): Promise<CommandResult> {
  const child = spawnVotary(env, args, owner);
  const exit = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), COMMAND_TIMEOUT_MS);
  if (!child.stdout || !child.stderr) throw new Error('no output');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await exit;
  clearTimeout(timer);
  return { code: child.exitCode, stdout, stderr };
}

/**
 * A user to whom file permissions apply, unlike root: the current user, or "nobody". `undefined` if "nobody" cannot
 * read the program.
 */
export function findUnprivileged(): Owner | undefined {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  const nobody = { uid: idOf('-u'), gid: idOf('-g') };
  const { status } = spawnSync(process.execPath, [LAUNCHER, '--version'], nobody);
  return status === 0 ? nobody : undefined;
}

/**
 * Resolves when the condition holds or the process has ended. Polls without a pause, because what it waits for takes
 * milliseconds.
 */
export async function pollUntil(child: ChildProcess, holds: () => boolean): Promise<void> {
  while (child.exitCode === null && child.signalCode === null && !holds()) await nextTurn();
}
