/** A vote that was claimed or can be claimed, as lists return it. */
import { formatInstantOrNull } from '../../../domain/clock.ts';
import type { ClaimableVote as Vote, VoterTotals } from '../../../domain/votes/vote.ts';
import { NullableDateTime } from '../fields.ts';
import { identifiedVoteFields, toIdentifiedVote } from '../identified-vote.ts';
import { object, type Static } from '../schema.ts';

export const ClaimableVote = object('ClaimableVote', {
  ...identifiedVoteFields,
  claimed_at: {
    ...NullableDateTime,
    description: 'When the vote was claimed; `null` while it can still be claimed.',
  },
});

type ClaimableVote = Static<typeof ClaimableVote>;

export function toClaimableVote(vote: Vote, totals: VoterTotals | undefined): ClaimableVote {
  return {
    ...toIdentifiedVote(vote, totals),
    claimed_at: formatInstantOrNull(vote.claimedAt),
  };
}
