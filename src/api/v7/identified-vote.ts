/** A vote with its id, as claims and the feed return it. */
import { formatInstant } from '../../domain/clock.ts';
import { type Vote, voteId } from '../../domain/votes/vote.ts';
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
} as const;

export const FeedVote = object('FeedVote', identifiedVoteFields);

type FeedVote = Static<typeof FeedVote>;

export const EXAMPLE_VOTE: FeedVote = {
  vote_id: 'vote_5f2b8c1d9e3a4b6c7d8e9f0a1b2c3d4e',
  user_id: EXAMPLE.userId,
  external_id: EXAMPLE.externalId,
  timestamp: EXAMPLE.votedAt,
  is_doubled: false,
};

export function toIdentifiedVote(vote: Vote): FeedVote {
  return {
    vote_id: voteId(vote),
    user_id: vote.userId,
    external_id: vote.externalId,
    timestamp: formatInstant(vote.castAt),
    is_doubled: vote.isDoubled,
  };
}
