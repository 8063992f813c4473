import { Fields } from './fields.ts';
import type {
  ClaimableVote,
  ClaimOverview,
  ClaimResult,
  FeedPage,
  FeedVote,
  GoalStatus,
  Leaderboard,
  Pagination,
  UserVotePage,
  Vote,
  VoteCheck,
  VotePage,
} from './types.ts';

export function readVoteCheck(body: unknown): VoteCheck {
  const fields = new Fields(body);
  return { guildId: fields.text('guild_id'), ...readCheckFields(fields) };
}

/** The checks of a batch, each with the identifier that was requested. */
export function readVoteChecks(body: unknown, kind: 'discord_id' | 'external_id') {
  const fields = new Fields(body);
  const guildId = fields.text('guild_id');
  return fields.list('results', (result) => ({
    id: result.text(kind),
    check: { guildId, ...readCheckFields(result) },
  }));
}

export function readClaimable(body: unknown, kind: 'discord_id' | 'external_id') {
  return new Fields(body).list('results', (result) => ({
    id: result.text(kind),
    claimable: result.number('claimable'),
  }));
}

function readCheckFields(fields: Fields): Omit<VoteCheck, 'guildId'> {
  return {
    hasVoted: fields.flag('has_voted'),
    isDoubled: fields.flag('is_doubled'),
    lastVoteAt: fields.dateOrNull('last_vote_at'),
    nextVoteAt: fields.dateOrNull('next_vote_at'),
    cooldownRemainingSeconds: fields.number('cooldown_remaining_seconds'),
  };
}

export function readVotePage(body: unknown): VotePage {
  const fields = new Fields(body);
  const period = fields.object('period');
  return {
    guildId: fields.text('guild_id'),
    votes: fields.list('votes', readVote),
    total: fields.number('total'),
    pagination: readPagination(fields.object('pagination')),
    period: { from: period.date('from'), to: period.date('to') },
  };
}

export function readUserVotePage(body: unknown): UserVotePage {
  return { ...readVotePage(body), userId: new Fields(body).text('user_id') };
}

function readVote(fields: Fields): Vote {
  return {
    userId: fields.text('user_id'),
    timestamp: fields.date('timestamp'),
    isDoubled: fields.flag('is_doubled'),
  };
}

export function readPagination(fields: Fields): Pagination {
  return {
    limit: fields.number('limit'),
    hasMore: fields.flag('has_more'),
    nextCursor: fields.textOrNull('next_cursor'),
  };
}

export function readLeaderboard(body: unknown): Leaderboard {
  const fields = new Fields(body);
  return {
    guildId: fields.text('guild_id'),
    month: fields.text('month'),
    total: fields.number('total'),
    voters: fields.list('voters', (voter) => ({
      rank: voter.number('rank'),
      userId: voter.text('user_id'),
      votes: voter.number('votes'),
    })),
  };
}

export function readGoal(body: unknown): GoalStatus {
  const fields = new Fields(body);
  const guildId = fields.text('guild_id');
  if (!fields.has('goal')) return { guildId, goal: null };
  const goal = fields.object('goal');
  return {
    guildId,
    goal: {
      period: goal.text('period'),
      target: goal.number('target'),
      votes: goal.number('votes'),
      remaining: goal.number('remaining'),
      resetsAt: goal.dateOrNull('resets_at'),
    },
  };
}

export function readClaim(body: unknown): ClaimResult {
  const fields = new Fields(body);
  const shared = {
    guildId: fields.text('guild_id'),
    consumer: readConsumer(fields),
    remaining: fields.number('remaining'),
  };
  if (!fields.flag('claimed')) return { ...shared, claimed: false, vote: null };
  const vote = fields.object('vote');
  const claimed = { ...readFeedVote(vote), claimedAt: vote.date('claimed_at') };
  const test = fields.has('test') && fields.flag('test') ? { test: true as const } : {};
  return { ...shared, claimed: true, vote: claimed, ...test };
}

export function readClaimOverview(body: unknown): ClaimOverview {
  const fields = new Fields(body);
  return {
    guildId: fields.text('guild_id'),
    consumer: readConsumer(fields),
    claimable: fields.number('claimable'),
    claimed: fields.number('claimed'),
    votes: fields.list('votes', readClaimableVote),
  };
}

export function readPendingPage(body: unknown): { items: ClaimableVote[]; pagination: Pagination } {
  const fields = new Fields(body);
  return {
    items: fields.list('votes', readClaimableVote),
    pagination: readPagination(fields.object('pagination')),
  };
}

export function readReleased(body: unknown): boolean {
  return new Fields(body).flag('released');
}

export function readFeedPage(body: unknown): FeedPage {
  const fields = new Fields(body);
  return { votes: fields.list('votes', readFeedVote), cursor: fields.text('next_cursor') };
}

function readClaimableVote(fields: Fields): ClaimableVote {
  return { ...readFeedVote(fields), claimedAt: fields.dateOrNull('claimed_at') };
}

/** Services of earlier versions have one consumer, and do not name it. */
export function readConsumer(fields: Fields): string {
  return fields.textOrNull('consumer') ?? 'default';
}

function readFeedVote(fields: Fields): FeedVote {
  return {
    voteId: fields.text('vote_id'),
    userId: fields.text('user_id'),
    externalId: fields.textOrNull('external_id'),
    timestamp: fields.date('timestamp'),
    isDoubled: fields.flag('is_doubled'),
    // Services of earlier versions do not have these, and a claimed vote must not be lost because of that.
    totalVotes: fields.has('total_votes') ? fields.number('total_votes') : 0,
    streakDays: fields.has('streak_days') ? fields.number('streak_days') : 0,
  };
}
