import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { DatabaseUrl } from '../../../src/config.ts';

export type CrashTask = {
  database: DatabaseUrl;
  guildId: string;
  masterSecret: string;
  firstUser: string;
};

/** What the process reports. `accepted` is a vote that was confirmed to a voter. */
export type Told = { kind: 'casting' | 'accepted'; userId: string };

export type CrashingProcess = {
  accepted: string[];
  /** Counts an event; the process is killed when it reaches its lifetime. */
  happened(): void;
  gone: Promise<unknown>;
};

/** A process that casts and sends, and is killed without warning after `lifetime` events. */
export function startCrashing(task: CrashTask, lifetime: number): CrashingProcess {
  const child = fork(new URL('./crash-child.ts', import.meta.url), {
    // Not passed as an argument: a test searches the process list for secrets.
    env: { ...process.env, TASK: JSON.stringify(task) },
    // Not the options of the test runner.
    execArgv: [],
  });
  const accepted: string[] = [];
  let left = lifetime;
  const happened = () => {
    left -= 1;
    if (left === 0) child.kill('SIGKILL');
  };
  child.on('message', (told: Told) => {
    if (told.kind === 'accepted') accepted.push(told.userId);
    happened();
  });
  return { accepted, happened, gone: untilGone(child) };
}

async function untilGone(child: ChildProcess): Promise<void> {
  const [, signal] = await once(child, 'close');
  if (signal !== 'SIGKILL') throw new Error('the process ended by itself');
}
