/** A vote with its id, as claims and the feed return it. */
import { formatInstant } from '../../domain/clock.ts';
import { type Vote, type VoterTotals, voteId } from '../../domain/votes/vote.ts';
import { EXAMPLE } from '../openapi/operation.ts';
import { DateTime } from './fields.ts';
import { object, type Static } from './schema.ts';

export const identifiedVoteFields = {
  vote_id: { type: 'string', description: 'Identifies the vote, here and in webhooks.' },
  user_id: { type: 'string', description: 'Discord id of the user.' },
  external_id: {
    type: ['string', 'null'],
    description: 'The name in the vote link; `null` when the link had none.',
  },
  timestamp: { ...DateTime, description: 'When the vote was cast.' },
  is_doubled: { type: 'boolean', description: 'Whether the vote is worth double rewards.' },
  total_votes: {
    type: 'integer',
    minimum: 1,
    description: 'Votes of the user for this community up to this one, which is included.',
  },
  streak_days: {
    type: 'integer',
    minimum: 1,
    description: 'Consecutive UTC days with a vote of the user, up to the day of this vote.',
  },
} as const;

export const FeedVote = object('FeedVote', identifiedVoteFields);

type FeedVote = Static<typeof FeedVote>;

export const EXAMPLE_VOTE: FeedVote = {
  vote_id: 'vote_5f2b8c1d9e3a4b6c7d8e9f0a1b2c3d4e',
  user_id: EXAMPLE.userId,
  external_id: EXAMPLE.externalId,
  timestamp: EXAMPLE.votedAt,
  is_doubled: false,
  total_votes: 12,
  streak_days: 3,
};

/** The vote itself counts, also if it was voided since. */
const ONLY_THIS: VoterTotals = { totalVotes: 1, streakDays: 1 };

export function toIdentifiedVote(vote: Vote, totals: VoterTotals = ONLY_THIS): FeedVote {
  return {
    vote_id: voteId(vote),
    user_id: vote.userId,
    external_id: vote.externalId,
    timestamp: formatInstant(vote.castAt),
    is_doubled: vote.isDoubled,
    total_votes: Math.max(totals.totalVotes, 1),
    streak_days: totals.streakDays,
  };
}
