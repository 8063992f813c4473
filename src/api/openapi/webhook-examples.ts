import { MINUTE_MS, SECOND_MS } from '../../domain/clock.ts';
import { DEFAULT_CONSUMER } from '../../domain/votes/consumers.ts';
import type { Vote } from '../../domain/votes/vote.ts';
import {
  goalReached,
  rewardGranted,
  voteAvailable,
  voteReceived,
  voteVoided,
  type WebhookEvent,
  type WebhookEventType,
  webhookTest,
} from '../../domain/webhooks/event.ts';
import { EXAMPLE } from './operation.ts';

const VOTE: Vote = {
  guildId: EXAMPLE.guildId,
  userId: EXAMPLE.userId,
  castAt: Date.parse(EXAMPLE.votedAt),
  externalId: EXAMPLE.externalId,
  isDoubled: false,
};

/** One event of each type, created like real ones. */
export const EVENTS = {
  vote_received: voteReceived(VOTE, { votesThisMonth: 139, totalVotes: 12, streakDays: 3 }),
  vote_available: voteAvailable(VOTE),
  reward_granted: rewardGranted({
    ...VOTE,
    claimedAt: VOTE.castAt + 90 * SECOND_MS,
    consumer: DEFAULT_CONSUMER,
  }),
  vote_voided: voteVoided(VOTE, {
    batch: 'void_5f0c2a9be1d47388',
    reason: 'scripted accounts',
    voidedAt: VOTE.castAt + 90 * MINUTE_MS,
  }),
  goal_reached: goalReached({ period: 'day', target: 100, votes: 100, vote: VOTE }),
  webhook_test: webhookTest(EXAMPLE.guildId, VOTE.castAt, 'an example'),
} satisfies Record<WebhookEventType, WebhookEvent>;
