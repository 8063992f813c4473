import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { DatabaseUrl } from '../../src/config.ts';
import type { ClaimIdentity, Vote } from '../../src/domain/votes/vote.ts';
import type { RateLimit } from '../../src/store/rates.ts';
import type { CastEvidence } from '../../src/store/votes.ts';

/**
 * What a process does on "go". Each returns a number: votes accepted, votes claimed, migrations applied, highest
 * count.
 */
export type Task =
  | { kind: 'cast'; database: DatabaseUrl; votes: Vote[]; evidence?: CastEvidence }
  | { kind: 'claim'; database: DatabaseUrl; claims: Claims[]; now: number; times: number }
  | { kind: 'migrate'; database: DatabaseUrl }
  | { kind: 'hit'; database: DatabaseUrl; caller: string; limit: RateLimit; now: number; times: number };

/** Claims in one guild: alternates between the identities, with one Idempotency-Key for all or with none. */
type Claims = { guildId: string; identities: ClaimIdentity[]; key: string | null };

/** Runs each task in a separate process. All start at the same moment, when all are ready. */
export async function runInProcesses(...tasks: Task[]): Promise<number[]> {
  // In the environment, because a test searches the arguments in the process list for the password of the database.
  const workers = tasks.map((task) =>
    fork(new URL('./worker.ts', import.meta.url), {
      env: { ...process.env, TASK: JSON.stringify(task) },
      // Not the options of the test runner.
      execArgv: [],
    }),
  );
  await Promise.all(workers.map(nextMessage));
  const answers = workers.map(nextMessage);
  for (const worker of workers) worker.send('go');
  const results = await Promise.all(answers);
  await Promise.all(workers.map((worker) => worker.exitCode ?? once(worker, 'exit')));
  return results.map(Number);
}

/** Rejects if the worker exits before it responds. The channel closes after its last message, unlike its exit. */
async function nextMessage(worker: ChildProcess): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const lost = () => reject(new Error('a worker ended before it answered'));
  worker.once('message', resolve).once('disconnect', lost);
  try {
    return await promise;
  } finally {
    worker.off('message', resolve).off('disconnect', lost);
  }
}
