/**
 * Rewards each vote once for each consumer, across processes, identities and retries.
 *
 *   const result = await store.claims.claim({ ...query, now, idempotency, render: (outcome) => JSON.stringify(...) });
 *   if (result.kind === 'done') send(result.body);
 */
import type { Instant } from '../../domain/clock.ts';
import { isStorableExternalId } from '../../domain/identifiers.ts';
import { isSearchable } from '../../domain/text/text.ts';
import { matchingNameKeys, type PlayerNameRule } from '../../domain/votes/player-names.ts';
import type { RecentWindow, Vote, VotePosition } from '../../domain/votes/vote.ts';
import {
  type ClaimableVote,
  type ClaimedVote,
  type ClaimIdentity,
  type ClaimOutcome,
  foldExternalId,
  MAX_LISTED_CLAIMS,
} from '../../domain/votes/vote.ts';

/**
 * The votes of an identity inside a window, and the claims of one consumer. With `oneRewardPerName`, of the votes under
 * one name that are less than an hour apart only the first can be claimed by that name, and none that is less than an
 * hour from one that this consumer has claimed.
 */
export type ClaimQuery = {
  guildId: string;
  consumer: string;
  identity: ClaimIdentity;
  playerNames: PlayerNameRule;
  window: RecentWindow;
  oneRewardPerName: boolean;
};

export type ClaimRequest = ClaimQuery & {
  now: Instant;
  /** The client's Idempotency-Key and `claimRequestHash` of its parameters; null without one. */
  idempotency: { key: string; requestHash: string } | null;
  /** Claims this vote instead of the oldest. If `heldBy` has claimed it already, the outcome is that claim. */
  only?: VotePosition & { heldBy: string };
  /** Renders the response body inside the transaction, so it is stored together with the claim. */
  render(outcome: ClaimOutcome): string;
};

/** Many identities of one kind. */
export type ClaimIdentities = { userIds: readonly string[] } | { externalIds: readonly string[] };

export type ClaimableQuery = Omit<ClaimQuery, 'identity'> & { identities: ClaimIdentities };

/** `claimed`: this call claimed a vote, so there may be webhook events to send. A replay did not. */
export type ClaimResult =
  | { kind: 'done'; body: string; replayed: boolean; claimed: boolean }
  /** The key was used within the last 24 hours with different parameters. Nothing changed. */
  | { kind: 'mismatch' }
  /** The consumer would be one too many for the guild. Nothing changed. */
  | { kind: 'too-many-consumers' };

/** When a vote was claimed: by the consumer `default`, and by others. */
export type ClaimTimes = { claimedAt: Instant | null; claims: Readonly<Record<string, Instant>> };

/** A vote with the claims of all consumers; `claimedAt` is that of `default`. */
export type VoteWithClaims = Vote & ClaimTimes;

/** `votes` are the claimed and the claimable votes, oldest first, at most `MAX_LISTED_CLAIMS`. */
export type ClaimOverview = { claimable: number; claimed: number; votes: ClaimableVote[] };

export interface ClaimStore {
  /**
   * Claims the oldest vote that can be claimed. Under any concurrency, from any number of processes and by either
   * identity, a vote is claimed once per consumer. The claim, the `reward_granted` events of the guild's webhooks and the
   * body stored under the Idempotency-Key are written together or not at all. A key that was used less than `IDEMPOTENCY_MS` ago
   * returns the stored body, unless its claim was released: then the key counts as unused. Requests that use one key at
   * the same time wait for the first of them.
   * Rejects with `UnknownGuildError` when the guild is not listed.
   */
  claim(request: ClaimRequest): Promise<ClaimResult>;
  /** What a claim would find now. Read-only. */
  ofIdentity(query: ClaimQuery): Promise<ClaimOverview>;
  /** How many votes of each identity could be claimed now, in the same order. */
  countClaimable(query: ClaimableQuery): Promise<number[]>;
  /** Votes of the guild in the window that the consumer has not claimed, by position, starting just after `after`. */
  pending(
    { guildId, consumer }: { guildId: string; consumer: string },
    window: RecentWindow,
    after: VotePosition | null,
    limit: number,
  ): Promise<Vote[]>;
  /** When each of these votes was claimed, in the same order, in one query for each table. */
  claimTimes(guildId: string, votes: readonly VotePosition[]): Promise<ClaimTimes[]>;
  /**
   * Makes a claimed vote claimable again. Returns false if the vote is not claimed or, with `claimedAt`, was claimed
   * at another time. A vote that is claimed again gets a later time, so `claimedAt` identifies a claim, also when all
   * of this happens within a millisecond.
   */
  release(claim: ReleasedClaim): Promise<boolean>;
  /** Deletes at most `limit` Idempotency-Keys that were used before `before`. Returns the number. */
  pruneKeys(before: Instant, limit: number): Promise<number>;
  /** Forgets at most `limit` released claims from before `before`. Returns the number. */
  pruneReleases(before: Instant, limit: number): Promise<number>;
}

/** `claimedAt`: null for a claim of any time. */
export type ReleasedClaim = { guildId: string; consumer: string; voteId: string; claimedAt: Instant | null };

/** Which of the claimable votes a request claims: the oldest, or only one. `remaining`: the number of the others. */
export function wantedOf(
  claimable: readonly Vote[],
  only: VotePosition | undefined,
): { wanted: Vote | undefined; remaining: number } {
  const wanted = only
    ? claimable.find(({ castAt, userId }) => castAt === only.castAt && userId === only.userId)
    : claimable[0];
  return { wanted, remaining: claimable.length - Number(wanted !== undefined) };
}

export function toOverview(claimable: readonly Vote[], claimed: readonly ClaimedVote[]): ClaimOverview {
  const open = claimable.map((vote) => ({ ...vote, claimedAt: null }));
  const votes = [...open, ...claimed].sort(byPosition).slice(0, MAX_LISTED_CLAIMS);
  return { claimable: claimable.length, claimed: claimed.length, votes };
}

/** The number of votes whose claims are read at once. */
const CLAIMS_AT_ONCE = 500;

type ClaimTimeRow = { place: number; claimed_at: Instant; consumer?: string };

/** The claims of `count` votes, from the rows of both tables; `place` is the index of the vote. */
export function toClaimTimes(count: number, rows: readonly ClaimTimeRow[]): ClaimTimes[] {
  const times = Array.from({ length: count }, () => NO_CLAIMS);
  for (const { place, claimed_at, consumer } of rows) {
    const { claimedAt, claims } = times[place] ?? NO_CLAIMS;
    times[place] =
      consumer === undefined
        ? { claimedAt: claimed_at, claims }
        : { claimedAt, claims: { ...claims, [consumer]: claimed_at } };
  }
  return times;
}

export const NO_CLAIMS: ClaimTimes = { claimedAt: null, claims: {} };

/** Adds to each vote of one guild the times of its claims. */
export async function* withClaimTimes(
  claims: Pick<ClaimStore, 'claimTimes'>,
  votes: AsyncIterable<Vote>,
): AsyncGenerator<VoteWithClaims> {
  async function* claimed(batch: Vote[]): AsyncGenerator<VoteWithClaims> {
    const [first] = batch;
    if (!first) return;
    const times = await claims.claimTimes(first.guildId, batch);
    yield* batch.map((vote, i) => ({ ...vote, ...(times[i] ?? NO_CLAIMS) }));
  }
  let batch: Vote[] = [];
  for await (const vote of votes) {
    if (batch.push(vote) < CLAIMS_AT_ONCE) continue;
    yield* claimed(batch);
    batch = [];
  }
  yield* claimed(batch);
}

export function byPosition(a: VotePosition, b: VotePosition): number {
  return a.castAt - b.castAt || (a.userId < b.userId ? -1 : 1);
}

/** A name to search votes by: one of these keys, and `externalId` exactly unless it is null. */
export type ClaimName = { nameKeys: readonly string[]; externalId: string | null };

/** `undefined` when no vote can carry such a name. */
export function nameOf(
  identity: Exclude<ClaimIdentity, { userId: string }>,
  rule: PlayerNameRule,
): ClaimName | undefined {
  if ('foldedName' in identity) {
    const { foldedName } = identity;
    if (!isSearchable(foldedName)) return undefined;
    return { nameKeys: matchingNameKeys(foldedName, rule), externalId: null };
  }
  const { externalId } = identity;
  if (!isStorableExternalId(externalId)) return undefined;
  const nameKeys = matchingNameKeys(foldExternalId(externalId), rule);
  return { nameKeys, externalId: rule === 'exact' ? externalId : null };
}

/** The position before the first pending vote: no user id is empty. */
export function pendingStart(after: Instant, start: VotePosition | null): VotePosition {
  return start && start.castAt > after ? start : { castAt: after + 1, userId: '' };
}
