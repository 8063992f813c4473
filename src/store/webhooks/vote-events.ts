import type { Vote } from '../../domain/votes/vote.ts';
import {
  type SubscribableEvent,
  voteAvailable,
  voteReceived,
  type WebhookEvent,
} from '../../domain/webhooks/event.ts';
import { parseEvents } from './rows.ts';

/** What casting a vote reads of each endpoint of the guild. */
export type Subscription = { endpoint_id: string; events: string };

/** An event to be kept, and the endpoints it is to be sent to. */
export type PlannedEvent = { event: WebhookEvent; endpointIds: string[] };

/** What a vote that was kept causes. For an endpoint that is switched off it waits until that is on again. */
export function planVoteEvents(
  vote: Vote,
  votesThisMonth: number,
  subscriptions: readonly Subscription[],
): PlannedEvent[] {
  const plan: PlannedEvent[] = [];
  const add = (type: SubscribableEvent, makeEvent: () => WebhookEvent) => {
    const asked = subscriptions.filter(({ events }) => parseEvents(events).includes(type));
    if (asked.length === 0) return;
    plan.push({ event: makeEvent(), endpointIds: asked.map(({ endpoint_id }) => endpoint_id) });
  };
  add('vote_received', () => voteReceived(vote, votesThisMonth));
  add('vote_available', () => voteAvailable(vote));
  return plan;
}
