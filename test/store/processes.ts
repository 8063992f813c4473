import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { DatabaseUrl } from '../../src/config.ts';
import type { RateLimit } from '../../src/domain/rate-window.ts';
import type { Vote } from '../../src/domain/vote.ts';

/** What a process does on "go". Each answers with a number: votes accepted, migrations applied, highest count seen. */
export type Task =
  | { kind: 'cast'; database: DatabaseUrl; vote: Vote; times: number }
  | { kind: 'migrate'; database: DatabaseUrl }
  | { kind: 'hit'; database: DatabaseUrl; caller: string; limit: RateLimit; now: number; times: number };

/** Runs the task in several real processes, all let go at the same moment when every one is ready. */
export async function runInProcesses(count: number, task: Task): Promise<number[]> {
  const workers = Array.from({ length: count }, () =>
    fork(new URL('./worker.ts', import.meta.url), [JSON.stringify(task)]),
  );
  await Promise.all(workers.map(nextMessage));
  const answers = workers.map(nextMessage);
  for (const worker of workers) worker.send('go');
  const results = await Promise.all(answers);
  await Promise.all(workers.map((worker) => worker.exitCode ?? once(worker, 'exit')));
  return results.map(Number);
}

async function nextMessage(worker: ChildProcess): Promise<unknown> {
  const gone = new AbortController();
  const died = once(worker, 'exit', { signal: gone.signal }).then(([code]) => {
    throw new Error(`a worker ended with ${code} before it answered`);
  });
  try {
    const [message] = await Promise.race([once(worker, 'message'), died]);
    return message;
  } finally {
    died.catch(() => undefined);
    gone.abort();
  }
}
