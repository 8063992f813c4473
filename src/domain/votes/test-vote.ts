/** A vote that an admin sends to try claims. It can be claimed once, and it is in no list, count or feed of votes. */
import { type Instant, MINUTE_MS } from '../clock.ts';
import type { ClaimIdentity } from './vote.ts';

/** Who casts votes that are tests: names that no player should have. */
export const TEST_VOTER = { userId: '200000000000000001', externalId: 'Votary_Test' } as const;

/** How long a test vote can be claimed. */
export const TEST_VOTE_MS = 15 * MINUTE_MS;

/** `claim`: null while it is not claimed. */
export type TestVote = { castAt: Instant; claim: { claimedAt: Instant; consumer: string } | null };

export function isTestVoter(identity: ClaimIdentity): boolean {
  if ('userId' in identity) return identity.userId === TEST_VOTER.userId;
  return 'externalId' in identity && identity.externalId === TEST_VOTER.externalId;
}

export function testVoteState({ castAt, claim }: TestVote, now: Instant): 'claimed' | 'waiting' | 'expired' {
  if (claim) return 'claimed';
  return now < castAt + TEST_VOTE_MS ? 'waiting' : 'expired';
}
