/**
 * The part of the store that lists votes in the order they were accepted. Each accepted vote has a number within its
 * guild, and becomes visible only after every vote with a smaller number: whoever continues after the last number seen
 * gets each vote once, whichever process accepted it. Imported votes have no number.
 *
 *   let seq = await store.feed.startAt(guildId, from);
 *   const page = await store.feed.read(guildId, seq, from, 100);
 *   seq = page.at(-1)?.seq ?? seq;
 */
import type { Instant } from '../domain/clock.ts';
import type { Vote } from '../domain/votes/vote.ts';

export type FeedVote = Vote & { seq: number };

export interface FeedStore {
  /** The number of the newest vote of each guild, in one query. A guild without accepted votes is missing. */
  heads(guildIds: readonly string[]): Promise<Map<string, number>>;
  /** The next votes after the number, in order, without those that were cast before `from`. */
  read(guildId: string, afterSeq: number, from: Instant, limit: number): Promise<FeedVote[]>;
  /**
   * A number to read after so that no vote cast at `from` or later is missed. It may lie up to an hour of votes too
   * early, which `read` leaves out.
   */
  startAt(guildId: string, from: Instant): Promise<number>;
}
