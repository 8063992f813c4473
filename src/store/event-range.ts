import { firstEventIdAt } from '../domain/webhook-event.ts';
import type { ReplayRequest } from './webhook-store.ts';

/** Sorts behind every digit that an event id can go on with. */
const BEHIND_ALL = 'z';

/** Ids of events that occurred up to this instant are not above this one. */
export function lastEventIdAt(instant: number): string {
  return firstEventIdAt(instant) + BEHIND_ALL;
}

/** The ids from `first` to `last`, both included, that a replay takes: ids begin with their time. */
export function replayRange({ which, now }: ReplayRequest): { first: string; last: string } {
  if ('eventId' in which) return { first: which.eventId, last: which.eventId };
  return { first: firstEventIdAt(which.since), last: lastEventIdAt(now) };
}
