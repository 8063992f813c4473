/**
 * What a webhook says. The body is made once, kept as text, and signed and sent as that very text at every try.
 *
 *   const event = voteReceived(vote, votesThisMonth);   // { eventId, guildId, type, occursAt, body }
 */
import { hash } from 'node:crypto';
import { formatInstant, type Instant, MINUTE_MS } from '../clock.ts';
import type { ClaimedVote } from '../votes/claim.ts';
import { COOLDOWN_MS } from '../votes/cooldown.ts';
import { type Vote, voteId } from '../votes/vote.ts';

/** What an endpoint can ask for. */
export const SUBSCRIBABLE_EVENTS = ['vote_received', 'vote_available', 'reward_granted'] as const;

export type SubscribableEvent = (typeof SUBSCRIBABLE_EVENTS)[number];

export type WebhookEventType = SubscribableEvent | 'webhook_test';

/** What can be sent as a test. */
export const TEST_TYPES: readonly WebhookEventType[] = ['webhook_test', ...SUBSCRIBABLE_EVENTS];

/** A vote was cast and kept. `test` is there in a sample that somebody asked for, and never in a real event. */
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
    test?: true;
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
    test?: true;
  };
};

/** A vote was claimed. Claimed again after a release, it is a new event. */
export type RewardGrantedPayload = {
  type: 'reward_granted';
  timestamp: string;
  data: {
    vote_id: string;
    guild_id: string;
    user_id: string;
    external_id: string | null;
    vote_timestamp: string;
    is_doubled: boolean;
    claimed_at: string;
    test?: true;
  };
};

/** Somebody pressed the test button. */
export type WebhookTestPayload = {
  type: 'webhook_test';
  timestamp: string;
  data: { guild_id: string; message: string };
};

type VotePayload = VoteReceivedPayload | VoteAvailablePayload | RewardGrantedPayload;

export type WebhookPayload = VotePayload | WebhookTestPayload;

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
  return voteEvent(receivedPayload(vote, votesThisMonth));
}

export function voteAvailable(vote: Vote): WebhookEvent {
  return voteEvent(availablePayload(vote));
}

export function rewardGranted(vote: ClaimedVote): WebhookEvent {
  return voteEvent(grantedPayload(vote));
}

/** `nonce` makes it unlike every other test. */
export function webhookTest(guildId: string, now: Instant, nonce: string): WebhookEvent {
  const message = 'This is a test. Your endpoint receives webhooks from Votary.';
  const timestamp = formatInstant(now);
  return testEvent({ type: 'webhook_test', timestamp, data: { guild_id: guildId, message } }, nonce);
}

/** Nobody's vote, under names that no player should have. */
const SAMPLE = { userId: '200000000000000001', externalId: 'Votary_Test', isDoubled: false };
const SAMPLE_VOTES_THIS_MONTH = 139;

/** A test that looks like the real event of this type, but for its `test` field. */
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

function samplePayload(type: SubscribableEvent, guildId: string, now: Instant): VotePayload {
  const vote = { ...SAMPLE, guildId, castAt: now };
  switch (type) {
    case 'vote_received':
      return receivedPayload(vote, SAMPLE_VOTES_THIS_MONTH);
    case 'vote_available':
      return availablePayload({ ...vote, castAt: now - COOLDOWN_MS });
    case 'reward_granted':
      return grantedPayload({ ...vote, castAt: now - MINUTE_MS, claimedAt: now });
  }
}

function receivedPayload(vote: Vote, votesThisMonth: number): VoteReceivedPayload {
  return {
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
  };
}

function availablePayload(vote: Vote): VoteAvailablePayload {
  const availableAt = formatInstant(vote.castAt + COOLDOWN_MS);
  return {
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
  };
}

function grantedPayload(vote: ClaimedVote): RewardGrantedPayload {
  const claimedAt = formatInstant(vote.claimedAt);
  return {
    type: 'reward_granted',
    timestamp: claimedAt,
    data: {
      vote_id: voteId(vote),
      guild_id: vote.guildId,
      user_id: vote.userId,
      external_id: vote.externalId,
      vote_timestamp: formatInstant(vote.castAt),
      is_doubled: vote.isDoubled,
      claimed_at: claimedAt,
    },
  };
}

/** A vote causes an event of a type once at one time, so these make the id: whatever is repeated finds the same one. */
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

/** Ids begin with their time, so their order is that of time: no event of this instant or later has a smaller id. */
export function firstEventIdAt(instant: Instant): string {
  return `evt_${Math.max(0, instant).toString(16).padStart(TIME_DIGITS, '0')}`;
}
