import { Fields } from './fields.ts';
import type { UserVotePage, Vote, VoteCheck, VotePage } from './types.ts';

export function readVoteCheck(body: unknown): VoteCheck {
  const fields = new Fields(body);
  return {
    guildId: fields.text('guild_id'),
    hasVoted: fields.flag('has_voted'),
    isDoubled: fields.flag('is_doubled'),
    lastVoteAt: fields.dateOrNull('last_vote_at'),
    nextVoteAt: fields.dateOrNull('next_vote_at'),
    cooldownRemainingSeconds: fields.number('cooldown_remaining_seconds'),
  };
}

export function readVotePage(body: unknown): VotePage {
  const fields = new Fields(body);
  const pagination = fields.object('pagination');
  const period = fields.object('period');
  return {
    guildId: fields.text('guild_id'),
    votes: fields.list('votes', readVote),
    total: fields.number('total'),
    pagination: {
      limit: pagination.number('limit'),
      hasMore: pagination.flag('has_more'),
      nextCursor: pagination.textOrNull('next_cursor'),
    },
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
