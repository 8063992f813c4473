/**
 * Webhook events. The body is rendered once, stored as text, and signed and sent as that text at every attempt.
 *
 *   const event = voteReceived(vote, sums);   // { eventId, guildId, type, occursAt, body }
 */
import { hash } from 'node:crypto';
import { formatInstant, type Instant, MINUTE_MS } from '../clock.ts';
import { DEFAULT_CONSUMER } from '../votes/consumers.ts';
import type { ReachedGoal } from '../votes/goal.ts';
import { TEST_VOTER } from '../votes/test-vote.ts';
import type { VoidBatch } from '../votes/voids.ts';
import type { ConsumerClaim, Vote } from '../votes/vote.ts';
import { COOLDOWN_MS, voteId } from '../votes/vote.ts';
import {
  availablePayload,
  type GoalReachedPayload,
  goalPayload,
  grantedPayload,
  receivedPayload,
  type VotePayload,
  type VoteSums,
  voidedPayload,
  type WebhookPayload,
} from './payload.ts';

/** The events an endpoint can subscribe to. */
export const SUBSCRIBABLE_EVENTS = [
  'vote_received',
  'vote_available',
  'reward_granted',
  'vote_voided',
  'goal_reached',
] as const;

export type SubscribableEvent = (typeof SUBSCRIBABLE_EVENTS)[number];

export type WebhookEventType = SubscribableEvent | 'webhook_test';

/** The events that can be sent as a test. */
export const TEST_TYPES: readonly [WebhookEventType, ...WebhookEventType[]] = [
  'webhook_test',
  ...SUBSCRIBABLE_EVENTS,
];

/** A stored event. `eventId` is the `webhook-id` of all its deliveries. */
export type WebhookEvent = {
  guildId: string;
  eventId: string;
  type: WebhookEventType;
  /** Deliveries are not attempted earlier. */
  occursAt: Instant;
  body: string;
};

export function isSubscribable(text: string): text is SubscribableEvent {
  return SUBSCRIBABLE_EVENTS.some((event) => event === text);
}

export function voteReceived(vote: Vote, sums: VoteSums): WebhookEvent {
  return voteEvent(receivedPayload(vote, sums));
}

export function voteAvailable(vote: Vote): WebhookEvent {
  return voteEvent(availablePayload(vote));
}

export function rewardGranted(vote: ConsumerClaim): WebhookEvent {
  const payload = grantedPayload(vote);
  // Two consumers can claim a vote in the same millisecond.
  const { vote_id, consumer } = payload.data;
  return consumer === DEFAULT_CONSUMER
    ? voteEvent(payload)
    : toEvent(payload, `reward_granted ${vote_id} ${consumer}`);
}

export function voteVoided(vote: Vote, batch: VoidBatch): WebhookEvent {
  const payload = voidedPayload(vote, batch);
  return toEvent(payload, `vote_voided ${payload.data.vote_id} ${batch.batch}`);
}

/** A vote reaches at most one goal, so it identifies the event. */
export function goalReached(reached: ReachedGoal): WebhookEvent {
  return toEvent(goalPayload(reached), `goal_reached ${voteId(reached.vote)}`);
}

/** `nonce` makes the id unique. */
export function webhookTest(guildId: string, now: Instant, nonce: string): WebhookEvent {
  const message = 'This is a test. Your endpoint receives webhooks.';
  const timestamp = formatInstant(now);
  return testEvent({ type: 'webhook_test', timestamp, data: { guild_id: guildId, message } }, nonce);
}

const SAMPLE = { ...TEST_VOTER, isDoubled: false };
const SAMPLE_SUMS = { votesThisMonth: 139, totalVotes: 12, streakDays: 3 };
const SAMPLE_GOAL = { period: 'day', target: 100, votes: 100 } as const;
const SAMPLE_BATCH = { batch: 'void_0000000000000000', reason: 'Test' };

/** A test that looks like a real event of this type, except for its `test` field. */
export function sampleEvent(
  type: WebhookEventType,
  guildId: string,
  now: Instant,
  nonce: string,
): WebhookEvent {
  if (type === 'webhook_test') return webhookTest(guildId, now, nonce);
  const payload = samplePayload(type, guildId, now);
  payload.data.test = true;
  return testEvent(payload, nonce);
}

function samplePayload(
  type: SubscribableEvent,
  guildId: string,
  now: Instant,
): VotePayload | GoalReachedPayload {
  const vote = { ...SAMPLE, guildId, castAt: now };
  switch (type) {
    case 'vote_received':
      return receivedPayload(vote, SAMPLE_SUMS);
    case 'vote_available':
      return availablePayload({ ...vote, castAt: now - COOLDOWN_MS });
    case 'reward_granted':
      return grantedPayload({
        ...vote,
        castAt: now - MINUTE_MS,
        claimedAt: now,
        consumer: DEFAULT_CONSUMER,
      });
    case 'vote_voided':
      return voidedPayload({ ...vote, castAt: now - MINUTE_MS }, { ...SAMPLE_BATCH, voidedAt: now });
    case 'goal_reached':
      return goalPayload({ ...SAMPLE_GOAL, vote });
  }
}

/**
 * A vote causes at most one event of each type at a time, so the id is derived from these, and repeating the operation
 * gives the same id.
 */
function voteEvent(payload: VotePayload): WebhookEvent {
  return toEvent(payload, `${payload.type} ${payload.data.vote_id}`);
}

function testEvent(payload: WebhookPayload, nonce: string): WebhookEvent {
  return toEvent(payload, `webhook_test ${payload.data.guild_id} ${nonce}`);
}

function toEvent(payload: WebhookPayload, identity: string): WebhookEvent {
  const { type, timestamp, data } = payload;
  const occursAt = Date.parse(timestamp);
  const eventId = firstEventIdAt(occursAt) + hash('sha256', identity, 'hex').slice(0, IDENTITY_DIGITS);
  return { guildId: data.guild_id, eventId, type, occursAt, body: JSON.stringify(payload) };
}

const TIME_DIGITS = 12;
const IDENTITY_DIGITS = 20;

/** Ids start with their time, so no event of this instant or later has a smaller id. */
export function firstEventIdAt(instant: Instant): string {
  return `evt_${Math.max(0, instant).toString(16).padStart(TIME_DIGITS, '0')}`;
}
