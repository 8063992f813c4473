import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { DatabaseUrl } from '../../src/config.ts';
import type { RateLimit } from '../../src/domain/rate-window.ts';
import type { ClaimIdentity } from '../../src/domain/votes/claim.ts';
import type { Vote } from '../../src/domain/votes/vote.ts';
import type { CastEvidence } from '../../src/store/votes.ts';

/**
 * What a process does on "go". Each answers with a number: votes accepted, votes claimed, migrations applied, highest
 * count seen.
 */
export type Task =
  | { kind: 'cast'; database: DatabaseUrl; votes: Vote[]; evidence?: CastEvidence }
  | { kind: 'claim'; database: DatabaseUrl; claims: Claims[]; now: number; times: number }
  | { kind: 'migrate'; database: DatabaseUrl }
  | { kind: 'hit'; database: DatabaseUrl; caller: string; limit: RateLimit; now: number; times: number };

/** Claims in one guild: the identities are used in turn, with one Idempotency-Key for all or with none. */
type Claims = { guildId: string; identities: ClaimIdentity[]; key: string | null };

/** Runs each task in a real process of its own, all let go at the same moment when every one is ready. */
export async function runInProcesses(...tasks: Task[]): Promise<number[]> {
  // In the environment: arguments are in the list of processes, which a test searches for the password of the database.
  const workers = tasks.map((task) =>
    fork(new URL('./worker.ts', import.meta.url), { env: { ...process.env, TASK: JSON.stringify(task) } }),
  );
  await Promise.all(workers.map(nextMessage));
  const answers = workers.map(nextMessage);
  for (const worker of workers) worker.send('go');
  const results = await Promise.all(answers);
  await Promise.all(workers.map((worker) => worker.exitCode ?? once(worker, 'exit')));
  return results.map(Number);
}

/** Rejects when the worker goes before it answers. Its channel closes after its last message, unlike its exit. */
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
