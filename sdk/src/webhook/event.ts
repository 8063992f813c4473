import { Fields } from '../fields.ts';
import type { GoalPeriod } from '../types.ts';

/** `id` is the `webhook-id`. It is the same for all deliveries of an event, so that duplicates can be recognized. */
type EventOf<Type extends string, Data> = { id: string; type: Type; timestamp: Date; data: Data };

/** A user voted. */
export type VoteReceivedEvent = EventOf<
  'vote_received',
  {
    voteId: string;
    guildId: string;
    userId: string;
    /** Null if the vote link had no external id. */
    externalId: string | null;
    /** When the vote was cast. */
    timestamp: Date;
    isDoubled: boolean;
    nextVoteAt: Date;
    votesThisMonth: number;
    /** Votes of this user for the community, including this one. Absent in events of older services. */
    totalVotes?: number;
    /** Consecutive UTC days with a vote of this user, including today. Absent in events of older services. */
    streakDays?: number;
    /** Only in samples that were sent to test the endpoint: `webhookHandler` passes them to `onTest`. */
    test?: true;
  }
>;

/** The cooldown of a user is over: they can vote again. */
export type VoteAvailableEvent = EventOf<
  'vote_available',
  {
    /** The vote whose cooldown is over. */
    voteId: string;
    guildId: string;
    userId: string;
    externalId: string | null;
    lastVoteAt: Date;
    availableAt: Date;
    /** Only in samples that were sent to test the endpoint. */
    test?: true;
  }
>;

/** A vote was claimed, by this or another client of the community. */
export type RewardGrantedEvent = EventOf<
  'reward_granted',
  {
    voteId: string;
    guildId: string;
    userId: string;
    externalId: string | null;
    /** When the vote was cast. */
    voteTimestamp: Date;
    isDoubled: boolean;
    claimedAt: Date;
    /** The consumer that claimed it: a vote can be claimed once by each. */
    consumer: string;
    /** Only in samples that were sent to test the endpoint. */
    test?: true;
  }
>;

/** The operator of the site voided a vote: it no longer counts. */
export type VoteVoidedEvent = EventOf<
  'vote_voided',
  {
    voteId: string;
    guildId: string;
    userId: string;
    externalId: string | null;
    /** When the vote was cast. */
    timestamp: Date;
    isDoubled: boolean;
    reason: string | null;
    /** Identifies the votes that were voided together. */
    batch: string;
    voidedAt: Date;
    /** Only in samples that were sent to test the endpoint. */
    test?: true;
  }
>;

/** The community reached its goal. */
export type GoalReachedEvent = EventOf<
  'goal_reached',
  {
    guildId: string;
    /** The number of votes that was to be reached. */
    goal: number;
    period: GoalPeriod;
    /** Votes in the period, or since the last vote party, including the one that reached the goal. */
    votes: number;
    reachedAt: Date;
    /** Only in samples that were sent to test the endpoint. */
    test?: true;
  }
>;

/** Sent by the test button of the endpoint. `message` is a sentence for your log. */
export type WebhookTestEvent = EventOf<'webhook_test', { guildId: string; message: string }>;

/** A sample of an event, sent to test the endpoint: grant no reward for it. */
export type SampleEvent = AsSample<
  VoteReceivedEvent | VoteAvailableEvent | RewardGrantedEvent | VoteVoidedEvent | GoalReachedEvent
>;

/** Distributes over the union, so that `type` still determines the data. */
type AsSample<Event> = Event extends { data: infer Data } ? Event & { data: Data & { test: true } } : never;

/** An event of a newer service. `name` is its type; its data is unchanged. */
export type UnknownEvent = EventOf<'unknown', unknown> & { name: string };

export type WebhookEvent =
  | VoteReceivedEvent
  | VoteAvailableEvent
  | RewardGrantedEvent
  | VoteVoidedEvent
  | GoalReachedEvent
  | WebhookTestEvent
  | UnknownEvent;

/** Throws a `FieldError` if the body does not have the fields of its event type. */
export function readEvent(id: string, body: unknown): WebhookEvent {
  const fields = new Fields(body);
  const name = fields.text('type');
  const base = { id, timestamp: fields.date('timestamp') };
  switch (name) {
    case 'vote_received':
      return { ...base, type: name, data: readVote(fields.object('data')) };
    case 'vote_available':
      return { ...base, type: name, data: readAvailable(fields.object('data')) };
    case 'reward_granted':
      return { ...base, type: name, data: readReward(fields.object('data')) };
    case 'vote_voided':
      return { ...base, type: name, data: readVoided(fields.object('data')) };
    case 'goal_reached':
      return { ...base, type: name, data: readGoal(fields.object('data')) };
    case 'webhook_test':
      return { ...base, type: name, data: readTest(fields.object('data')) };
    default:
      return { ...base, type: 'unknown', name, data: fields.raw('data') };
  }
}

function readVote(data: Fields): VoteReceivedEvent['data'] {
  return {
    voteId: data.text('vote_id'),
    guildId: data.text('guild_id'),
    userId: data.text('user_id'),
    externalId: data.textOrNull('external_id'),
    timestamp: data.date('timestamp'),
    isDoubled: data.flag('is_doubled'),
    nextVoteAt: data.date('next_vote_at'),
    votesThisMonth: data.number('votes_this_month'),
    ...(data.has('total_votes') && { totalVotes: data.number('total_votes') }),
    ...(data.has('streak_days') && { streakDays: data.number('streak_days') }),
    ...readMark(data),
  };
}

function readAvailable(data: Fields): VoteAvailableEvent['data'] {
  return {
    voteId: data.text('vote_id'),
    guildId: data.text('guild_id'),
    userId: data.text('user_id'),
    externalId: data.textOrNull('external_id'),
    lastVoteAt: data.date('last_vote_at'),
    availableAt: data.date('available_at'),
    ...readMark(data),
  };
}

function readMark(data: Fields): { test?: true } {
  return data.raw('test') === true ? { test: true } : {};
}

function readReward(data: Fields): RewardGrantedEvent['data'] {
  return {
    voteId: data.text('vote_id'),
    guildId: data.text('guild_id'),
    userId: data.text('user_id'),
    externalId: data.textOrNull('external_id'),
    voteTimestamp: data.date('vote_timestamp'),
    isDoubled: data.flag('is_doubled'),
    claimedAt: data.date('claimed_at'),
    consumer: data.textOrNull('consumer') ?? 'default',
    ...readMark(data),
  };
}

function readVoided(data: Fields): VoteVoidedEvent['data'] {
  return {
    voteId: data.text('vote_id'),
    guildId: data.text('guild_id'),
    userId: data.text('user_id'),
    externalId: data.textOrNull('external_id'),
    timestamp: data.date('timestamp'),
    isDoubled: data.flag('is_doubled'),
    reason: data.textOrNull('reason'),
    batch: data.text('batch'),
    voidedAt: data.date('voided_at'),
    ...readMark(data),
  };
}

function readGoal(data: Fields): GoalReachedEvent['data'] {
  return {
    guildId: data.text('guild_id'),
    goal: data.number('goal'),
    period: data.text('period'),
    votes: data.number('votes'),
    reachedAt: data.date('reached_at'),
    ...readMark(data),
  };
}

function readTest(data: Fields): WebhookTestEvent['data'] {
  return { guildId: data.text('guild_id'), message: data.text('message') };
}
