/**
 * What a webhook says. The body is made once, kept as text, and signed and sent as that very text at every try.
 *
 *   const event = voteReceived(vote, votesThisMonth);   // { eventId, guildId, type, occursAt, body }
 */
import { hash } from 'node:crypto';
import { formatInstant, type Instant } from './clock.ts';
import { COOLDOWN_MS } from './cooldown.ts';
import { type Vote, voteId } from './vote.ts';

/** What an endpoint can ask for. `reward_granted` is reserved by the contract, and never sent. */
export const SUBSCRIBABLE_EVENTS = ['vote_received', 'vote_available'] as const;

export type SubscribableEvent = (typeof SUBSCRIBABLE_EVENTS)[number];

export type WebhookEventType = SubscribableEvent | 'webhook_test';

/** A vote was cast and kept. */
export type VoteReceivedPayload = {
  type: 'vote_received';
  timestamp: string;
  data: {
    /** The same for one vote always, to recognise it by. */
    vote_id: string;
    guild_id: string;
    user_id: string;
    external_id: string | null;
    timestamp: string;
    is_doubled: boolean;
    next_vote_at: string;
    /** Votes of the guild in the UTC month, this one included. */
    votes_this_month: number;
  };
};

/** The cooldown of a vote is over: its user can vote again. */
export type VoteAvailablePayload = {
  type: 'vote_available';
  timestamp: string;
  data: {
    /** The vote whose cooldown is over. */
    vote_id: string;
    guild_id: string;
    user_id: string;
    external_id: string | null;
    last_vote_at: string;
    available_at: string;
  };
};

/** Somebody pressed the test button. */
export type WebhookTestPayload = {
  type: 'webhook_test';
  timestamp: string;
  data: { guild_id: string; message: string };
};

export type WebhookPayload = VoteReceivedPayload | VoteAvailablePayload | WebhookTestPayload;

/** An event as it is kept. `eventId` is the `webhook-id` of every delivery of it. */
export type WebhookEvent = {
  guildId: string;
  eventId: string;
  type: WebhookEventType;
  /** No delivery of it is tried earlier. */
  occursAt: Instant;
  body: string;
};

export function isSubscribable(text: string): text is SubscribableEvent {
  return SUBSCRIBABLE_EVENTS.some((event) => event === text);
}

export function voteReceived(vote: Vote, votesThisMonth: number): WebhookEvent {
  return voteEvent(vote, {
    type: 'vote_received',
    timestamp: formatInstant(vote.castAt),
    data: {
      vote_id: voteId(vote),
      guild_id: vote.guildId,
      user_id: vote.userId,
      external_id: vote.externalId,
      timestamp: formatInstant(vote.castAt),
      is_doubled: vote.isDoubled,
      next_vote_at: formatInstant(vote.castAt + COOLDOWN_MS),
      votes_this_month: votesThisMonth,
    },
  });
}

export function voteAvailable(vote: Vote): WebhookEvent {
  const availableAt = formatInstant(vote.castAt + COOLDOWN_MS);
  return voteEvent(vote, {
    type: 'vote_available',
    timestamp: availableAt,
    data: {
      vote_id: voteId(vote),
      guild_id: vote.guildId,
      user_id: vote.userId,
      external_id: vote.externalId,
      last_vote_at: formatInstant(vote.castAt),
      available_at: availableAt,
    },
  });
}

/** `nonce` makes it unlike every other test. */
export function webhookTest(guildId: string, now: Instant, nonce: string): WebhookEvent {
  const payload: WebhookTestPayload = {
    type: 'webhook_test',
    timestamp: formatInstant(now),
    data: { guild_id: guildId, message: 'This is a test. Your endpoint receives webhooks from Votary.' },
  };
  return keep(guildId, payload, eventIdAt(now, hash('sha256', `webhook_test ${guildId} ${nonce}`, 'hex')));
}

/** A vote causes an event of a type once, so both are the id: whatever is repeated finds the same one. */
function voteEvent(vote: Vote, payload: VoteReceivedPayload | VoteAvailablePayload): WebhookEvent {
  const identity = hash('sha256', `${payload.type} ${payload.data.vote_id}`, 'hex');
  return keep(vote.guildId, payload, eventIdAt(Date.parse(payload.timestamp), identity));
}

function keep(guildId: string, payload: WebhookPayload, eventId: string): WebhookEvent {
  const { type, timestamp } = payload;
  return { guildId, eventId, type, occursAt: Date.parse(timestamp), body: JSON.stringify(payload) };
}

const TIME_DIGITS = 12;
const IDENTITY_DIGITS = 20;

function eventIdAt(instant: Instant, identity: string): string {
  return firstEventIdAt(instant) + identity.slice(0, IDENTITY_DIGITS);
}

/** Ids begin with their time, so their order is that of time: no event of this instant or later has a smaller id. */
export function firstEventIdAt(instant: Instant): string {
  return `evt_${Math.max(0, instant).toString(16).padStart(TIME_DIGITS, '0')}`;
}
