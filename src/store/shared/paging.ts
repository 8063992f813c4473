import { setImmediate as yieldToRequests } from 'node:timers/promises';
import type { Period } from '../../domain/votes/period.ts';
import { positionOf, type Vote, type VotePosition } from '../../domain/votes/vote.ts';
import { firstEventIdAt } from '../../domain/webhooks/event.ts';
import type { VoteStore } from '../votes/votes.ts';
import type { EventTime } from '../webhooks/rows.ts';
import type { Replayed, ReplayRequest } from '../webhooks/store.ts';

/**
 * The position just before a page. No user id is empty, so the empty one sorts before every vote of the first
 * millisecond of the period, and the first page uses the same query as all others.
 */
export function pageStart(period: Period, after: VotePosition | null): VotePosition {
  const start = { castAt: period.from, userId: '' };
  return after && after.castAt >= period.from ? after : start;
}

/** The position after the newest votes: no vote is as late as the default. */
export function beforeOrNewest(before: VotePosition | null): VotePosition {
  return before ?? { castAt: Number.MAX_SAFE_INTEGER, userId: '' };
}

/** Sorts after every digit of an event id. */
const BEHIND_ALL = 'z';

/** Events that are queued in one transaction, each for a few endpoints. */
const BATCH_EVENTS = 100;

/** Ids of events that occurred up to this instant are not above this one. */
export function lastEventIdAt(instant: number): string {
  return firstEventIdAt(instant) + BEHIND_ALL;
}

/** The ids from `first` to `last`, inclusive: they start with their time. */
type EventRange = { first: string; last: string };

function replayRange({ which, now }: ReplayRequest): EventRange {
  if ('eventId' in which) return { first: which.eventId, last: which.eventId };
  return { first: firstEventIdAt(which.since), last: lastEventIdAt(now) };
}

/** Whether to resend what a receiver that does not recognize duplicates has received: only one given delivery. */
export function isRepeatWanted({ which, endpointId }: ReplayRequest): boolean {
  return 'eventId' in which && endpointId !== null;
}

/** The database operations of a replay. */
export type ReplaySteps = {
  /** The first events of the range. */
  find(range: EventRange, limit: number): Promise<EventTime[]>;
  /** Queues the events of the range in one transaction and returns the number of deliveries. */
  queue(range: EventRange): Promise<number>;
};

/** Each batch is a separate transaction, and requests run in between. */
export async function replayInBatches(
  request: ReplayRequest,
  { find, queue }: ReplaySteps,
): Promise<Replayed> {
  let { first, last } = replayRange(request);
  for (let queued = 0; ; await yieldToRequests()) {
    const found = await find({ first, last }, BATCH_EVENTS + 1);
    const lastOfBatch = found.slice(0, BATCH_EVENTS).at(-1);
    if (!lastOfBatch) return { queued, nextSince: null };
    queued += await queue({ first, last: lastOfBatch.event_id });
    const next = found[BATCH_EVENTS];
    if (!next) return { queued, nextSince: null };
    if (queued >= request.limit) return { queued, nextSince: next.occurs_at };
    first = next.event_id;
  }
}

const PAGE_SIZE = 1000;

/**
 * Streams the votes of a guild, or of one user in it, page by page. No transaction or cursor stays open between
 * pages, so a slow reader holds nothing in the database.
 */
export async function* exportVotes(
  page: VoteStore['page'],
  guildId: string,
  period: Period,
  userId: string | null = null,
): AsyncGenerator<Vote> {
  let after: VotePosition | null = null;
  let votes: Vote[];
  do {
    votes = await page({ guildId, userId, period }, after, PAGE_SIZE);
    yield* votes;
    const last = votes.at(-1);
    if (last) after = positionOf(last);
  } while (votes.length === PAGE_SIZE);
}
