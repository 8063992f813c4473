import type { DatabaseUrl } from '../../src/config.ts';
import type { ClaimIdentity, Vote } from '../../src/domain/votes/vote.ts';
import { migrateDatabase, openStore } from '../../src/store/open.ts';
import type { RateLimit } from '../../src/store/rates.ts';
import type { Store } from '../../src/store/store.ts';
import type { CastEvidence } from '../../src/store/votes/votes.ts';
import { claimRequest } from './claim-fixtures.ts';

/**
 * What one of several programs on a database does. Each returns a number: votes accepted, votes claimed, migrations
 * applied, highest count.
 */
export type Task =
  | { kind: 'cast'; database: DatabaseUrl; votes: Vote[]; evidence?: CastEvidence }
  | { kind: 'claim'; database: DatabaseUrl; claims: Claims[]; now: number; times: number }
  | { kind: 'migrate'; database: DatabaseUrl }
  | { kind: 'hit'; database: DatabaseUrl; caller: string; limit: RateLimit; now: number; times: number };

/** Claims in one guild: alternates between the identities, with one Idempotency-Key for all or with none. */
type Claims = { guildId: string; identities: ClaimIdentity[]; key: string | null };

export type PreparedTask = { perform(): Promise<number>; close(): Promise<void> };

/** Opens a store of its own for the task, with every connection, so that a race starts when it is performed. */
export async function prepareTask(task: Task): Promise<PreparedTask> {
  const { database } = task;
  if (task.kind === 'migrate') {
    return {
      perform: async () => (await migrateDatabase(database)).applied.length,
      close: async () => undefined,
    };
  }
  const store = await openStore(database);
  await Promise.all(Array.from({ length: 10 }, () => store.ping()));
  return { perform: () => perform(task, store), close: () => store.close() };
}

async function perform(task: Exclude<Task, { kind: 'migrate' }>, store: Store): Promise<number> {
  if (task.kind === 'cast') {
    const outcomes = await Promise.all(task.votes.map((vote) => store.votes.cast(vote, task.evidence)));
    return outcomes.filter((outcome) => outcome.kind === 'accepted').length;
  }
  if (task.kind === 'claim') {
    const requests = Array.from({ length: task.times }, (_, i) =>
      task.claims.map(({ guildId, identities, key }) => {
        const identity = identities[i % identities.length] ?? { userId: '' };
        const idempotency = key === null ? null : { key, requestHash: 'same' };
        return claimRequest(guildId, identity, { now: task.now, idempotency });
      }),
    );
    const results = await Promise.all(requests.flat().map((request) => store.claims.claim(request)));
    return results.filter((result) => result.kind === 'done' && result.claimed).length;
  }
  const hits = Array.from({ length: task.times }, () => store.rates.hit(task.caller, task.limit, task.now));
  const windows = await Promise.all(hits);
  return Math.max(...windows.map((window) => window.hits));
}

/** Runs each task on a store of its own in this process. All start in the same tick. */
export async function runInStores(...tasks: Task[]): Promise<number[]> {
  const prepared = await Promise.all(tasks.map(prepareTask));
  try {
    return await Promise.all(prepared.map((task) => task.perform()));
  } finally {
    await Promise.all(prepared.map((task) => task.close()));
  }
}
