import { MINUTE_MS, SECOND_MS } from '../../domain/clock.ts';
import type { Vote } from '../../domain/votes/vote.ts';
import {
  rewardGranted,
  voteAvailable,
  voteReceived,
  voteVoided,
  type WebhookEvent,
  type WebhookEventType,
  webhookTest,
} from '../../domain/webhooks/event.ts';
import type {
  ClaimableResult,
  ClaimOverview,
  ClaimResult,
  FeedPage,
  PendingClaims,
  ReleaseResult,
} from '../schemas/claims.ts';
import type {
  Leaderboard,
  UserVoteList,
  VoteCheckResult,
  VoteChecksResult,
  VoteList,
} from '../schemas/votes.ts';

const GUILD_ID = '100000000000000001';
const USER_ID = '200000000000000001';

const VOTED_FIELDS = {
  has_voted: true,
  is_doubled: false,
  last_vote_at: '2026-11-15T12:00:00.000Z',
  next_vote_at: '2026-11-15T13:00:00.000Z',
  cooldown_remaining_seconds: 2400,
};

export const VOTED: VoteCheckResult = { ok: true, guild_id: GUILD_ID, ...VOTED_FIELDS };

const NOT_VOTED_FIELDS = {
  has_voted: false,
  is_doubled: false,
  last_vote_at: null,
  next_vote_at: null,
  cooldown_remaining_seconds: 0,
};

export const NOT_VOTED: VoteCheckResult = { ok: true, guild_id: GUILD_ID, ...NOT_VOTED_FIELDS };

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

export const VOTE_CHECKS: VoteChecksResult = {
  ok: true,
  guild_id: GUILD_ID,
  results: [
    { external_id: 'Steve_42', ...VOTED_FIELDS },
    { external_id: 'Alex', ...NOT_VOTED_FIELDS },
  ],
};

const FEED_VOTE = {
  vote_id: 'vote_5f2b8c1d9e3a4b6c7d8e9f0a1b2c3d4e',
  user_id: USER_ID,
  external_id: 'Steve_42',
  timestamp: '2026-11-15T12:00:00.000Z',
  is_doubled: false,
};

const CLAIMED_AT = '2026-11-15T12:00:05.000Z';

export const CLAIMED: ClaimResult = {
  ok: true,
  guild_id: GUILD_ID,
  claimed: true,
  vote: { ...FEED_VOTE, claimed_at: CLAIMED_AT },
  remaining: 0,
};

export const NOTHING_CLAIMED: ClaimResult = {
  ok: true,
  guild_id: GUILD_ID,
  claimed: false,
  vote: null,
  remaining: 0,
};

export const CLAIM_OVERVIEW: ClaimOverview = {
  ok: true,
  guild_id: GUILD_ID,
  claimable: 1,
  claimed: 0,
  votes: [{ ...FEED_VOTE, claimed_at: null }],
};

export const CLAIMABLE: ClaimableResult = {
  ok: true,
  guild_id: GUILD_ID,
  results: [
    { external_id: 'Steve_42', claimable: 2 },
    { external_id: 'Alex', claimable: 0 },
  ],
};

export const PENDING_CLAIMS: PendingClaims = {
  ok: true,
  guild_id: GUILD_ID,
  votes: [{ ...FEED_VOTE, claimed_at: null }],
  pagination: { limit: 100, has_more: false, next_cursor: null },
};

export const RELEASED: ReleaseResult = { ok: true, guild_id: GUILD_ID, released: true };

export const LEADERBOARD: Leaderboard = {
  ok: true,
  guild_id: GUILD_ID,
  month: '2026-11',
  total: 31,
  voters: [
    { rank: 1, user_id: '200000000000000001', votes: 21 },
    { rank: 2, user_id: '200000000000000002', votes: 10 },
  ],
};

export const FEED_PAGE: FeedPage = {
  ok: true,
  guild_id: GUILD_ID,
  votes: [FEED_VOTE],
  next_cursor: 'NDIuMA.Bx_8',
  has_more: false,
};

const VOTE: Vote = {
  guildId: GUILD_ID,
  userId: USER_ID,
  castAt: Date.parse('2026-11-15T12:00:00.000Z'),
  externalId: 'Steve_42',
  isDoubled: false,
};

/** One event of each type, created like real ones. */
export const EVENTS = {
  vote_received: voteReceived(VOTE, { votesThisMonth: 139, totalVotes: 12, streakDays: 3 }),
  vote_available: voteAvailable(VOTE),
  reward_granted: rewardGranted({ ...VOTE, claimedAt: VOTE.castAt + 90 * SECOND_MS }),
  vote_voided: voteVoided(VOTE, {
    batch: 'void_5f0c2a9be1d47388',
    reason: 'scripted accounts',
    voidedAt: VOTE.castAt + 90 * MINUTE_MS,
  }),
  webhook_test: webhookTest(GUILD_ID, VOTE.castAt, 'an example'),
} satisfies Record<WebhookEventType, WebhookEvent>;
