/** Marks on unusual votes. They are stored with the vote and shown to admins and operators; they do not block votes. */
import { DAY_MS, type Instant } from '../clock.ts';
import { accountCreatedAt } from './account-age.ts';

/** The bit of each mark in votes.marks. */
export const MARK_BITS = {
  /** The account was less than 30 days old. */
  young_account: 1,
  /** Enough accounts voted from the network within an hour to require a challenge. */
  busy_network: 2,
  /** Another account voted for the same guild under the same name in the previous 24 hours. */
  shared_name: 4,
} as const;

export type VoteMark = keyof typeof MARK_BITS;

export const VOTE_MARKS: readonly VoteMark[] = ['young_account', 'busy_network', 'shared_name'];

export function isVoteMark(text: string): text is VoteMark {
  return VOTE_MARKS.some((mark) => mark === text);
}

export function marksOf(bits: number): VoteMark[] {
  return VOTE_MARKS.filter((mark) => (bits & MARK_BITS[mark]) !== 0);
}

const YOUNG_ACCOUNT_MS = 30 * DAY_MS;

/** How far back another account's vote under the same name counts as sharing it. */
export const SHARED_NAME_MS = DAY_MS;

/** The marks that depend on the account only. */
export function accountMarks(userId: string, castAt: Instant): number {
  return castAt < accountCreatedAt(userId) + YOUNG_ACCOUNT_MS ? MARK_BITS.young_account : 0;
}
