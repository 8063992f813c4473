import type { ClaimedVote } from '../../domain/votes/claim.ts';
import type { VoidBatch } from '../../domain/votes/integrity.ts';
import type { Vote } from '../../domain/votes/vote.ts';
import {
  rewardGranted,
  type SubscribableEvent,
  voteAvailable,
  voteReceived,
  voteVoided,
  type WebhookEvent,
} from '../../domain/webhooks/event.ts';
import type { VoteSums } from '../../domain/webhooks/payload.ts';
import { parseEvents } from './rows.ts';

/** What casting a vote reads of each endpoint. */
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

/** The events of a claim. */
export function planClaimEvents(vote: ClaimedVote, subscriptions: readonly Subscription[]): PlannedEvent[] {
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

function plan(
  subscriptions: readonly Subscription[],
  type: SubscribableEvent,
  makeEvent: () => WebhookEvent,
): PlannedEvent[] {
  const asked = subscriptions.filter(({ events }) => parseEvents(events).includes(type));
  if (asked.length === 0) return [];
  return [{ event: makeEvent(), endpointIds: asked.map(({ endpoint_id }) => endpoint_id) }];
}
