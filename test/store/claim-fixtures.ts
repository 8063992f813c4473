import { HOUR_MS } from '../../src/domain/clock.ts';
import { type ClaimOutcome, claimWindow, type VotePosition } from '../../src/domain/votes/vote.ts';
import type { ClaimRequest } from '../../src/store/claims/claims.ts';
import type { Store } from '../../src/store/store.ts';
import { NOW } from './fixtures.ts';

export function claimRequest(
  guildId: string,
  identity: ClaimRequest['identity'],
  given: Partial<ClaimRequest> = {},
): ClaimRequest {
  return {
    guildId,
    consumer: 'default',
    identity,
    playerNames: 'exact',
    window: claimWindow(given.now ?? NOW, 24),
    oneRewardPerName: true,
    now: NOW,
    idempotency: null,
    render: (outcome) => JSON.stringify(outcome),
    ...given,
  };
}

/** Claims and parses the result from the body. */
export async function claimVote(
  store: Store,
  guildId: string,
  identity: ClaimRequest['identity'],
  given: Partial<ClaimRequest> = {},
): Promise<ClaimOutcome> {
  const result = await store.claims.claim(claimRequest(guildId, identity, given));
  if (result.kind !== 'done') throw new Error(result.kind);
  return JSON.parse(result.body);
}

/** The times of the claimed votes, claimed one after the other until none is left. */
export async function claimAll(
  store: Store,
  guildId: string,
  identity: ClaimRequest['identity'],
  given: Partial<ClaimRequest> = {},
): Promise<number[]> {
  const times: number[] = [];
  for (;;) {
    const { vote } = await claimVote(store, guildId, identity, given);
    if (!vote) return times;
    times.push(vote.castAt);
  }
}

/** When the consumer `default` claimed each of these votes. */
export async function claimedAts(
  store: Store,
  guildId: string,
  votes: readonly VotePosition[],
): Promise<(number | null)[]> {
  return (await store.claims.claimTimes(guildId, votes)).map(({ claimedAt }) => claimedAt);
}

export const hoursAgo = (hours: number): number => NOW - hours * HOUR_MS;
