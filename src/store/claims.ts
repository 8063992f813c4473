/**
 * Rewards each vote once, across processes, identities and retries.
 *
 *   const result = await store.claims.claim({ ...query, now, idempotency, render: (outcome) => JSON.stringify(...) });
 *   if (result.kind === 'done') send(result.body);
 */
import type { Instant } from '../domain/clock.ts';
import { isStorableExternalId } from '../domain/identifiers.ts';
import { isSearchable } from '../domain/text.ts';
import type { RecentWindow, Vote, VotePosition } from '../domain/votes/vote.ts';
import {
  type ClaimableVote,
  type ClaimedVote,
  type ClaimIdentity,
  type ClaimOutcome,
  foldExternalId,
  MAX_LISTED_CLAIMS,
} from '../domain/votes/vote.ts';

/**
 * The votes of an identity inside a window. With `oneRewardPerName`, of the votes under one name that are less than an
 * hour apart only the first can be claimed by that name, and none that is less than an hour from a claimed one.
 */
export type ClaimQuery = {
  guildId: string;
  identity: ClaimIdentity;
  window: RecentWindow;
  oneRewardPerName: boolean;
};

export type ClaimRequest = ClaimQuery & {
  now: Instant;
  /** The client's Idempotency-Key and `claimRequestHash` of its parameters; null without one. */
  idempotency: { key: string; requestHash: string } | null;
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
  | { kind: 'mismatch' };

/** `votes` are the claimed and the claimable votes, oldest first, at most `MAX_LISTED_CLAIMS`. */
export type ClaimOverview = { claimable: number; claimed: number; votes: ClaimableVote[] };

export interface ClaimStore {
  /**
   * Claims the oldest vote that can be claimed. Under any concurrency, from any number of processes and by either
   * identity, a vote is claimed once. The claim, the `reward_granted` events of the guild's webhooks and the body stored
   * under the Idempotency-Key are written together or not at all. A key that was used less than `IDEMPOTENCY_MS` ago
   * returns the stored body, unless its claim was released: then the key counts as unused. Requests that use one key at
   * the same time wait for the first of them.
   * Rejects with `UnknownGuildError` when the guild is not listed.
   */
  claim(request: ClaimRequest): Promise<ClaimResult>;
  /** What a claim would find now. Read-only. */
  ofIdentity(query: ClaimQuery): Promise<ClaimOverview>;
  /** How many votes of each identity could be claimed now, in the same order. */
  countClaimable(query: ClaimableQuery): Promise<number[]>;
  /** Unclaimed votes of the guild in the window, by position, starting just after `after`. */
  pending(guildId: string, window: RecentWindow, after: VotePosition | null, limit: number): Promise<Vote[]>;
  /** When each of these votes was claimed, in the same order, in one query; null for unclaimed ones. */
  claimTimes(guildId: string, votes: readonly VotePosition[]): Promise<(Instant | null)[]>;
  /**
   * Makes a claimed vote claimable again. Returns false if the vote is not claimed or, with `claimedAt`, was claimed
   * at another time. A vote that is claimed again gets a later time, so `claimedAt` identifies a claim, also when all
   * of this happens within a millisecond.
   */
  release(guildId: string, voteId: string, claimedAt?: Instant | null): Promise<boolean>;
  /** Deletes at most `limit` Idempotency-Keys that were used before `before`. Returns the number. */
  pruneKeys(before: Instant, limit: number): Promise<number>;
  /** Forgets at most `limit` released claims from before `before`. Returns the number. */
  pruneReleases(before: Instant, limit: number): Promise<number>;
}

export function toOverview(claimable: readonly Vote[], claimed: readonly ClaimedVote[]): ClaimOverview {
  const open = claimable.map((vote) => ({ ...vote, claimedAt: null }));
  const votes = [...open, ...claimed].sort(byPosition).slice(0, MAX_LISTED_CLAIMS);
  return { claimable: claimable.length, claimed: claimed.length, votes };
}

/** The number of votes whose claims are read at once. */
const CLAIMS_AT_ONCE = 500;

/** Adds to each vote of one guild the time of its claim. */
export async function* withClaimTimes(
  claims: Pick<ClaimStore, 'claimTimes'>,
  votes: AsyncIterable<Vote>,
): AsyncGenerator<ClaimableVote> {
  async function* claimed(batch: Vote[]): AsyncGenerator<ClaimableVote> {
    const [first] = batch;
    if (!first) return;
    const times = await claims.claimTimes(first.guildId, batch);
    yield* batch.map((vote, i) => ({ ...vote, claimedAt: times[i] ?? null }));
  }
  let batch: Vote[] = [];
  for await (const vote of votes) {
    if (batch.push(vote) < CLAIMS_AT_ONCE) continue;
    yield* claimed(batch);
    batch = [];
  }
  yield* claimed(batch);
}

function byPosition(a: VotePosition, b: VotePosition): number {
  return a.castAt - b.castAt || (a.userId < b.userId ? -1 : 1);
}

/** A name to search votes by. `externalId` is null when any name with this key matches. */
export type ClaimName = { nameKey: string; externalId: string | null };

/** `undefined` when no vote can carry such a name. */
export function nameOf(identity: Exclude<ClaimIdentity, { userId: string }>): ClaimName | undefined {
  if ('foldedName' in identity)
    return isSearchable(identity.foldedName) ? { nameKey: identity.foldedName, externalId: null } : undefined;
  const { externalId } = identity;
  return isStorableExternalId(externalId) ? { nameKey: foldExternalId(externalId), externalId } : undefined;
}

/** `undefined` for a name that no vote can carry. */
export function namesOf({ externalIds }: { externalIds: readonly string[] }): (ClaimName | undefined)[] {
  return externalIds.map((externalId) => nameOf({ externalId }));
}

/** The position before the first pending vote: no user id is empty. */
export function pendingStart(after: Instant, start: VotePosition | null): VotePosition {
  return start && start.castAt > after ? start : { castAt: after + 1, userId: '' };
}
