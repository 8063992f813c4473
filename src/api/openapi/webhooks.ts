import { GOAL_PERIODS } from '../../domain/votes/goal.ts';
import { GONE_STATUS } from '../../domain/webhooks/delivery.ts';
import type { WebhookEvent } from '../../domain/webhooks/event.ts';
import type { Parameter, Schema, Webhook } from './components.ts';
import { EVENTS } from './webhook-examples.ts';

const VoteId = { type: 'string', description: 'Identifies the vote; the same in every event about it.' };
const GuildId = { type: 'string', description: 'The community that was voted for.' };
const UserId = { type: 'string', description: 'Discord id of the voter.' };
const ExternalId = {
  type: ['string', 'null'],
  description: 'Your own name for the voter, from the vote link; `null` when the link had none.',
};

const Test = {
  const: true,
  type: 'boolean',
  description:
    'Only present in sample events that were sent to test the endpoint. Do not grant a reward for them.',
};

/** The payloads sent to an endpoint, by event name. */
export const EVENT_SCHEMAS: Record<string, Schema> = {
  VoteReceived: event(
    'vote_received',
    {
      vote_id: VoteId,
      guild_id: GuildId,
      user_id: UserId,
      external_id: ExternalId,
      timestamp: dateTime('When the vote was cast.'),
      is_doubled: { type: 'boolean', description: 'Whether the vote is worth double rewards.' },
      next_vote_at: dateTime('When the user can vote again.'),
      votes_this_month: {
        type: 'integer',
        minimum: 0,
        description: 'Votes for this community in the current month (UTC), including this one.',
      },
    },
    {
      total_votes: {
        type: 'integer',
        minimum: 1,
        description:
          'Votes of this user for this community, including this one. A doubled vote counts once. Absent in events created by older versions.',
      },
      streak_days: {
        type: 'integer',
        minimum: 1,
        description:
          'Consecutive days (UTC) on which this user voted for this community, including today. Absent in events created by older versions.',
      },
      test: Test,
    },
  ),
  VoteAvailable: event(
    'vote_available',
    {
      guild_id: GuildId,
      user_id: UserId,
      external_id: ExternalId,
      vote_id: VoteId,
      last_vote_at: dateTime('When the user last voted.'),
      available_at: dateTime('When the cooldown ended and the user could vote again.'),
    },
    { test: Test },
  ),
  RewardGranted: event(
    'reward_granted',
    {
      vote_id: VoteId,
      guild_id: GuildId,
      user_id: UserId,
      external_id: ExternalId,
      vote_timestamp: dateTime('When the vote was cast.'),
      is_doubled: { type: 'boolean', description: 'Whether the vote is worth double rewards.' },
      claimed_at: dateTime('When the vote was claimed.'),
      consumer: {
        type: 'string',
        description: 'The consumer that claimed it; `default` unless the claim named another one.',
      },
    },
    { test: Test },
  ),
  VoteVoided: event(
    'vote_voided',
    {
      vote_id: VoteId,
      guild_id: GuildId,
      user_id: UserId,
      external_id: ExternalId,
      timestamp: dateTime('When the vote was cast.'),
      is_doubled: { type: 'boolean', description: 'Whether the vote was worth double rewards.' },
      reason: {
        type: ['string', 'null'],
        description: 'The reason given by the operator; `null` if there is none.',
      },
      batch: { type: 'string', description: 'Identifies the votes that were voided together.' },
      voided_at: dateTime('When the vote was voided.'),
    },
    { test: Test },
  ),
  GoalReached: event(
    'goal_reached',
    {
      guild_id: GuildId,
      goal: { type: 'integer', minimum: 1, description: 'The number of votes that was to be reached.' },
      period: {
        type: 'string',
        enum: GOAL_PERIODS,
        description:
          'A UTC day, week (from Monday) or month. `party`: votes are counted again from zero after every `goal` votes.',
      },
      votes: {
        type: 'integer',
        minimum: 1,
        description:
          'Votes in the period, or since the last vote party, including the one that reached the goal. A doubled vote counts once.',
      },
      reached_at: dateTime('When the vote that reached the goal was cast.'),
    },
    { test: Test },
  ),
  WebhookTest: event('webhook_test', {
    guild_id: GuildId,
    message: { type: 'string', description: 'A human-readable message.' },
  }),
};

const SIGNATURE_PARAMETERS: Parameter[] = [
  signed(
    'webhook-id',
    'Identifies the event; the same in every attempt. Use it to process each event only once.',
    EVENTS.vote_received.eventId,
  ),
  signed(
    'webhook-timestamp',
    'When this attempt was made, in Unix seconds. Reject it if it differs from the current time by more than five minutes.',
    '1794744000',
  ),
  signed(
    'webhook-signature',
    'One or more signatures, separated by spaces; accept the request if one of them is valid. Each is `v1,` followed by the Base64 of the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`, where the key is the secret of the endpoint without `whsec_`, decoded from Base64.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

export const WEBHOOKS: Record<string, Webhook> = {
  vote_received: post(
    'VoteReceived',
    EVENTS.vote_received,
    'A user voted',
    'Sent when a vote is accepted. Reward the voter once per `webhook-id`, or once per `vote_id`.',
  ),
  vote_available: post(
    'VoteAvailable',
    EVENTS.vote_available,
    'A user can vote again',
    'Sent one hour after a vote, when the cooldown ends, to endpoints that subscribe to it. Use it to remind the voter.',
  ),
  reward_granted: post(
    'RewardGranted',
    EVENTS.reward_granted,
    'A vote was claimed',
    'Sent when a vote is claimed, to endpoints that subscribe to it. If the vote is released and claimed again, that is a new event.',
  ),
  vote_voided: post(
    'VoteVoided',
    EVENTS.vote_voided,
    'A vote was voided',
    'Sent when an operator voids a vote, to endpoints that subscribe to it. The vote no longer counts, and you may take its reward back.',
  ),
  goal_reached: post(
    'GoalReached',
    EVENTS.goal_reached,
    'A goal was reached',
    'Sent when the community reaches its goal, to endpoints that subscribe to it: once per day, week or month, or after every so many votes. A goal that had enough votes already when it was set is not reached before the next period.',
  ),
  webhook_test: post(
    'WebhookTest',
    EVENTS.webhook_test,
    'A test event',
    'Sent by the test button in the dashboard and by `votary webhook test`. No vote was cast: just respond with a 2xx status.',
  ),
};

/** Every field of `data` is always present, except those in `optional`. */
function event(
  type: WebhookEvent['type'],
  data: Record<string, Schema>,
  optional: Record<string, Schema> = {},
): Schema {
  return {
    type: 'object',
    properties: {
      type: { const: type, type: 'string' },
      timestamp: dateTime('When the event happened.'),
      data: { type: 'object', properties: { ...data, ...optional }, required: Object.keys(data) },
    },
    required: ['type', 'timestamp', 'data'],
  };
}

function dateTime(description: string): Schema {
  return { type: 'string', format: 'date-time', description };
}

function signed(name: string, description: string, example: string): Parameter {
  return { name, in: 'header', required: true, description, schema: { type: 'string' }, example };
}

function post(schema: string, { body }: WebhookEvent, summary: string, description: string): Webhook {
  const example: object = JSON.parse(body);
  return {
    post: {
      operationId: `on${schema}`,
      tags: ['Webhooks'],
      summary,
      description,
      security: [],
      parameters: SIGNATURE_PARAMETERS,
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, example } },
      },
      responses: {
        '2XX': {
          description: 'Accepted. Respond within 15 seconds; the body is only shown in the delivery log.',
        },
        [GONE_STATUS]: { description: 'Gone: the endpoint is disabled and receives no more events.' },
        default: {
          description: 'Any other status, including redirects: retried later with the same `webhook-id`.',
        },
      },
    },
  };
}
