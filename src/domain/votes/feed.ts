/**
 * The feed numbers the votes of a guild in the order they were accepted. A restored backup forgets the last numbers, and
 * new votes would get them again: a reader who is past them would miss these votes. Two rules prevent it:
 *
 * - A restore starts an epoch. Numbers that are given later are greater than its time in milliseconds, and so greater
 *   than any number of the forgotten history.
 * - A reader also remembers when the vote at its position was cast. If another vote has that number, the database was
 *   replaced without a new epoch, for example by copying its file.
 */
import type { Instant } from '../clock.ts';

/** Where a reader is: after the vote with the number `seq`. */
export type FeedPosition = {
  seq: number;
  /** Votes cast earlier are left out. */
  from: Instant;
  /** The epoch in which the number was given; 0 if that is not known. */
  epoch: Instant;
  /** When the vote with that number was cast; null if there is none, or that is not known. */
  castAt: Instant | null;
};

/** What a database knows about the position of a reader. */
export type FeedHistory = {
  /** Every epoch that the database continues, oldest first; the first one is 0. */
  epochs: readonly Instant[];
  /** The last number given to a vote of the guild; 0 before the first. */
  lastSeq: number;
  /** When the vote with the number of the reader was cast; null if there is none, or it was deleted since. */
  castAt: Instant | null;
};

/** The epoch in which a number was given. */
export function epochOf(seq: number, { epochs }: FeedHistory): Instant {
  return epochs.findLast((epoch) => epoch < seq) ?? 0;
}

/**
 * Whether reading on from the position returns every vote that the reader has not got. False if the reader got votes
 * that this database has forgotten, and their numbers may have been given to others since.
 */
export function isContinued({ seq, epoch, castAt }: FeedPosition, history: FeedHistory): boolean {
  if (!history.epochs.includes(epoch)) return false;
  if (castAt !== null && history.castAt !== null && castAt !== history.castAt) return false;
  return seq <= Math.max(history.lastSeq, history.epochs.at(-1) ?? 0);
}
