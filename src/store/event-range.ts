import { setImmediate as yieldToRequests } from 'node:timers/promises';
import { firstEventIdAt } from '../domain/webhook-event.ts';
import type { EventTime } from './webhook-rows.ts';
import type { Replayed, ReplayRequest } from './webhook-store.ts';

/** Sorts behind every digit that an event id can go on with. */
const BEHIND_ALL = 'z';

/** Events that are queued in one transaction, each for a few endpoints. */
const BATCH_EVENTS = 100;

/** Ids of events that occurred up to this instant are not above this one. */
export function lastEventIdAt(instant: number): string {
  return firstEventIdAt(instant) + BEHIND_ALL;
}

/** The ids from `first` to `last`, both included: they begin with their time. */
type EventRange = { first: string; last: string };

function replayRange({ which, now }: ReplayRequest): EventRange {
  if ('eventId' in which) return { first: which.eventId, last: which.eventId };
  return { first: firstEventIdAt(which.since), last: lastEventIdAt(now) };
}

/** What a database does for a replay. */
export type ReplaySteps = {
  /** The first events of the range. */
  find(range: EventRange, limit: number): Promise<EventTime[]>;
  /** Queues the events of the range as one transaction, and gives the number of deliveries. */
  queue(range: EventRange): Promise<number>;
};

/** Each batch is a transaction of its own, and requests get their turn in between. */
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
