import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * A script of this bench, or an absolute path, in a process with an IPC channel. Its output goes to a file, beside which
 * compiled code is kept: a run starts about thirty processes, and each would take half a second longer.
 */
export function forkScript(script: string, options: object, logFile: string): ChildProcess {
  const log = openSync(logFile, 'w');
  const child = fork(resolve(join(import.meta.dirname, '..'), script), [JSON.stringify(options)], {
    stdio: ['ignore', log, 'inherit', 'ipc'],
    execArgv: [],
    env: {
      ...process.env,
      NODE_ENV: 'production',
      NODE_COMPILE_CACHE: join(dirname(logFile), 'compile-cache'),
    },
  });
  closeSync(log);
  return child;
}

/** The process ends when the channel is closed. */
export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, 'exit');
  child.disconnect();
  await exit;
}
