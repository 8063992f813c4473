import type { Instant } from '../../domain/clock.ts';
import type { FeedHistory } from '../../domain/votes/feed.ts';
import type { Vote } from '../../domain/votes/vote.ts';

export type FeedVote = Vote & { seq: number };

export type FeedRead = { votes: FeedVote[]; history: FeedHistory };

/**
 * Lists votes in the order they were accepted. Each accepted vote has a number within its guild and becomes visible
 * only after every vote with a smaller number, so a reader that continues after the last number gets each vote once,
 * whichever process accepted it. Imported votes have no number.
 *
 *   let seq = await store.feed.startAt(guildId, from);
 *   const { votes } = await store.feed.read(guildId, seq, from, 100);
 *   seq = votes.at(-1)?.seq ?? seq;
 */
export interface FeedStore {
  /** The number of the latest vote of each guild, in one query. Guilds without accepted votes are missing. */
  heads(guildIds: readonly string[]): Promise<Map<string, number>>;
  /** The same for a caller that polls. Empty if the database can tell that nothing was written since the last call. */
  changedHeads(guildIds: readonly string[]): Promise<Map<string, number>>;
  /**
   * The next votes after the number, in order, without those cast before `from`, and what is known about a reader who
   * is after that number. Voided votes keep their numbers.
   */
  read(guildId: string, afterSeq: number, from: Instant, limit: number): Promise<FeedRead>;
  /**
   * A number to read after, so that no vote cast at `from` or later is missed. It may be up to an hour of votes too
   * early; `read` leaves those out.
   */
  startAt(guildId: string, from: Instant): Promise<number>;
}
