/**
 * Voiding votes, and restoring them.
 *
 *   const voided = await store.moderation.void({ guildId, selection: { userId }, period, batch, reason, voidedAt });
 *   await store.moderation.restore(batch, clock());
 */
import type { Instant } from '../../domain/clock.ts';
import type { Period } from '../../domain/votes/period.ts';
import type { VoidBatch, VoidSelection } from '../../domain/votes/voids.ts';
import type { VotePosition } from '../../domain/votes/vote.ts';

/** Votes of a guild that were cast in the period. */
export type VoidQuery = { guildId: string; selection: VoidSelection; period: Period };

export type VoidRequest = VoidQuery & VoidBatch;

/** A stored batch. `votes` counts what was voided, even if it was restored since. */
export type RecordedBatch = VoidBatch & { guildId: string; votes: number; restoredAt: Instant | null };

/** A row of `void_batches`. */
export type VoidBatchRow = {
  batch: string;
  guild_id: string;
  created_at: Instant;
  reason: string | null;
  votes: number;
  restored_at: Instant | null;
};

export function toBatch(row: VoidBatchRow): RecordedBatch {
  const { batch, guild_id: guildId, created_at: voidedAt, reason, votes, restored_at: restoredAt } = row;
  return { batch, guildId, voidedAt, reason, votes, restoredAt };
}

export interface VoidStore {
  /**
   * Removes the votes from lists, totals, checks, rankings, claims and the feed, and writes their `vote_voided` events.
   * A vote, its part of the totals and its events change together. The cooldown of the voters and claims that were made
   * stay as they are. The batch is one transaction; on SQLite one for each `VOID_CHUNK` votes, so that a huge batch
   * does not keep requests waiting. Resolves with the number of votes; if there are none, no batch is created. Rejects
   * with `UnknownGuildError` when the guild is not listed.
   */
  void(request: VoidRequest): Promise<number>;
  /** How many votes `void` would remove now. */
  countVoidable(query: VoidQuery): Promise<number>;
  /**
   * Restores the votes of a batch, including claims and feed positions. Resolves with their number, 0 if the batch
   * was restored before; `undefined` if the batch does not exist.
   */
  restore(batch: string, now: Instant): Promise<number | undefined>;
  /** The hash of the network that a vote came from; null when it is no longer kept, or never was. */
  networkOf(guildId: string, position: VotePosition): Promise<string | null>;
  /** Deletes network hashes of voided votes, as for other votes: at most `limit` hashes below `oldest`. */
  pruneNetworks(oldest: string, limit: number): Promise<number>;
  findBatch(batch: string): Promise<RecordedBatch | undefined>;
}

/** Votes that SQLite voids or restores per transaction: about 25 us each, during which no request is answered. */
export const VOID_CHUNK = 5000;

/** Votes of one hour or month to subtract from a total or add back. */
export type Sum = { start: Instant; votes: number; doubled: number; firstSeq: number | null };

type Counted = { castAt: Instant; isDoubled: boolean; seq: number | null };

/** Sums by the first instant of their hour or month, in the order in which both databases lock the rows. */
export function sumBy(startOf: (castAt: Instant) => Instant, votes: readonly Counted[]): Sum[] {
  const sums = new Map<Instant, Sum>();
  for (const { castAt, isDoubled, seq } of votes) {
    const start = startOf(castAt);
    const sum = sums.get(start) ?? { start, votes: 0, doubled: 0, firstSeq: null };
    sum.votes += 1;
    sum.doubled += Number(isDoubled);
    if (seq !== null) sum.firstSeq = Math.min(seq, sum.firstSeq ?? seq);
    sums.set(start, sum);
  }
  return [...sums.values()].sort((a, b) => a.start - b.start);
}
