import { SECOND_MS } from '../../domain/clock.ts';
import type { Vote } from '../../domain/votes/vote.ts';
import {
  rewardGranted,
  voteAvailable,
  voteReceived,
  type WebhookEvent,
  type WebhookEventType,
  webhookTest,
} from '../../domain/webhooks/event.ts';
import type { UserVoteList, VoteCheckResult, VoteList } from '../schemas.ts';

const GUILD_ID = '100000000000000001';
const USER_ID = '200000000000000001';

export const VOTED: VoteCheckResult = {
  ok: true,
  guild_id: GUILD_ID,
  has_voted: true,
  is_doubled: false,
  last_vote_at: '2026-11-15T12:00:00.000Z',
  next_vote_at: '2026-11-15T13:00:00.000Z',
  cooldown_remaining_seconds: 2400,
};

export const NOT_VOTED: VoteCheckResult = {
  ok: true,
  guild_id: GUILD_ID,
  has_voted: false,
  is_doubled: false,
  last_vote_at: null,
  next_vote_at: null,
  cooldown_remaining_seconds: 0,
};

const PERIOD = { from: '2026-11-01T00:00:00.000Z', to: '2026-11-15T12:20:00.000Z' };

export const VOTE_LIST: VoteList = {
  ok: true,
  guild_id: GUILD_ID,
  votes: [
    { user_id: '200000000000000029', timestamp: '2026-11-01T04:23:58.842Z', is_doubled: true },
    { user_id: USER_ID, timestamp: '2026-11-02T05:05:28.322Z', is_doubled: false },
  ],
  total: 139,
  pagination: { limit: 2, has_more: true, next_cursor: 'MTc5MzQ5NTgzODg0Mg.Bx_8' },
  period: PERIOD,
};

export const USER_VOTE_LIST: UserVoteList = {
  ok: true,
  guild_id: GUILD_ID,
  user_id: USER_ID,
  votes: [{ user_id: USER_ID, timestamp: '2026-11-02T05:05:28.322Z', is_doubled: false }],
  total: 1,
  pagination: { limit: 100, has_more: false, next_cursor: null },
  period: PERIOD,
};

const VOTE: Vote = {
  guildId: GUILD_ID,
  userId: USER_ID,
  castAt: Date.parse('2026-11-15T12:00:00.000Z'),
  externalId: 'Steve_42',
  isDoubled: false,
};

/** An event of each kind, made as those that are sent. */
export const EVENTS = {
  vote_received: voteReceived(VOTE, 139),
  vote_available: voteAvailable(VOTE),
  reward_granted: rewardGranted({ ...VOTE, claimedAt: VOTE.castAt + 90 * SECOND_MS }),
  webhook_test: webhookTest(GUILD_ID, VOTE.castAt, 'an example'),
} satisfies Record<WebhookEventType, WebhookEvent>;
