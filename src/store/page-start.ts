import type { Period } from '../domain/period.ts';
import type { VotePosition } from '../domain/vote.ts';

/**
 * The position a page begins just after. No user id is empty, so the empty one stands before every vote of the
 * period's first millisecond: the first page and all others are then one and the same query.
 */
export function pageStart(period: Period, after: VotePosition | null): VotePosition {
  const start = { castAt: period.from, userId: '' };
  return after && after.castAt >= period.from ? after : start;
}

/** The position that the newest votes stand before: no vote was cast as late as the default. */
export function beforeOrNewest(before: VotePosition | null): VotePosition {
  return before ?? { castAt: Number.MAX_SAFE_INTEGER, userId: '' };
}
