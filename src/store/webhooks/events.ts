/** Which events a vote causes, for which endpoints, and which of them are delivered again. */
import { setImmediate as yieldToRequests } from 'node:timers/promises';
import type { ReachedGoal } from '../../domain/votes/goal.ts';
import type { VoidBatch } from '../../domain/votes/voids.ts';
import type { ConsumerClaim, Vote } from '../../domain/votes/vote.ts';
import {
  firstEventIdAt,
  goalReached,
  rewardGranted,
  type SubscribableEvent,
  voteAvailable,
  voteReceived,
  voteVoided,
  type WebhookEvent,
} from '../../domain/webhooks/event.ts';
import type { VoteSums } from '../../domain/webhooks/payload.ts';
import { type EventTime, parseEvents } from './rows.ts';
import type { Replayed, ReplayRequest } from './store.ts';

/** The columns of an endpoint that casting a vote reads. */
export type Subscription = { endpoint_id: string; events: string };

/** An event to store, with its target endpoints. */
export type PlannedEvent = { event: WebhookEvent; endpointIds: string[] };

/**
 * The events of an accepted vote. For a disabled endpoint they wait until it is re-enabled. `readSums` is only called
 * when an endpoint wants `vote_received`.
 */
export function planVoteEvents(
  vote: Vote,
  readSums: () => VoteSums,
  subscriptions: readonly Subscription[],
): PlannedEvent[] {
  return [
    ...plan(subscriptions, 'vote_received', () => voteReceived(vote, readSums())),
    ...plan(subscriptions, 'vote_available', () => voteAvailable(vote)),
  ];
}

/** The events of a vote that reached a goal. */
export function planGoalEvents(reached: ReachedGoal, subscriptions: readonly Subscription[]): PlannedEvent[] {
  return plan(subscriptions, 'goal_reached', () => goalReached(reached));
}

/** The events of a claim. */
export function planClaimEvents(vote: ConsumerClaim, subscriptions: readonly Subscription[]): PlannedEvent[] {
  return plan(subscriptions, 'reward_granted', () => rewardGranted(vote));
}

/** The events of voiding these votes. */
export function planVoidEvents(
  votes: readonly Vote[],
  batch: VoidBatch,
  subscriptions: readonly Subscription[],
): PlannedEvent[] {
  return votes.flatMap((vote) => plan(subscriptions, 'vote_voided', () => voteVoided(vote, batch)));
}

/** Whether an event of the vote contains the voter's totals. */
export function wantsTotals(subscriptions: readonly Subscription[]): boolean {
  return subscriptions.some(({ events }) => parseEvents(events).includes('vote_received'));
}

function plan(
  subscriptions: readonly Subscription[],
  type: SubscribableEvent,
  makeEvent: () => WebhookEvent,
): PlannedEvent[] {
  const subscribed = subscriptions.filter(({ events }) => parseEvents(events).includes(type));
  if (subscribed.length === 0) return [];
  return [{ event: makeEvent(), endpointIds: subscribed.map(({ endpoint_id }) => endpoint_id) }];
}

/** Sorts after every digit of an event id. */
const AFTER_DIGITS = 'z';

/** Events that are queued in one transaction, each for a few endpoints. */
const BATCH_EVENTS = 100;

/** An upper bound for the ids of events that occurred up to this instant. */
export function lastEventIdAt(instant: number): string {
  return firstEventIdAt(instant) + AFTER_DIGITS;
}

/** The ids from `first` to `last`, inclusive: they start with their time. */
type EventRange = { first: string; last: string };

function replayRange({ which, now }: ReplayRequest): EventRange {
  if ('eventId' in which) return { first: which.eventId, last: which.eventId };
  return { first: firstEventIdAt(which.since), last: lastEventIdAt(now) };
}

/**
 * Whether to resend events that a receiver without duplicate detection may already have: only if both the event and the
 * endpoint are given.
 */
export function mayRepeat({ which, endpointId }: ReplayRequest): boolean {
  return 'eventId' in which && endpointId !== null;
}

/** The database operations of a replay. */
type ReplaySteps = {
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
