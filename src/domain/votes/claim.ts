/**
 * Claims: each vote is rewarded once. The database decides which request gets a vote (store/claims.ts); the rules that
 * do not need a database are here.
 */
import { hash } from 'node:crypto';
import { HOUR_MS, type Instant } from '../clock.ts';
import type { Vote } from './vote.ts';
import { CLOCK_SKEW_MS, type RecentWindow } from './vote.ts';

/**
 * Whose votes are claimed: a user's, or those cast under a name. `externalId` is compared exactly; `foldedName`, which
 * `foldExternalId` makes, ignores case for protocols that do.
 */
export type ClaimIdentity = { userId: string } | { externalId: string } | { foldedName: string };

/** A vote and when it was claimed; null while it is not. */
export type ClaimableVote = Vote & { claimedAt: Instant | null };

export type ClaimedVote = Vote & { claimedAt: Instant };

/** The result of a claim: the oldest claimable vote, and how many more can be claimed after it. */
export type ClaimOutcome = { vote: ClaimedVote | null; remaining: number };

export const DEFAULT_WITHIN_HOURS = 24;
export const MAX_WITHIN_HOURS = 744;

/** The maximum number of votes in a claim overview; its counts cover all of them. */
export const MAX_LISTED_CLAIMS = 100;

/** How long a repeated Idempotency-Key returns the stored response. */
export const IDEMPOTENCY_MS = 24 * HOUR_MS;

/** With "one reward per name", votes under one name that are closer than this earn one reward. */
export const NAME_INTERVAL_MS = HOUR_MS;

/** The votes that can be claimed at `now`. */
export function claimWindow(now: Instant, withinHours: number): RecentWindow {
  return { after: now - withinHours * HOUR_MS, until: now + CLOCK_SKEW_MS };
}

/** Whether "one reward per name" limits this claim: only claims by name are limited. */
export function isLimitedByName(identity: ClaimIdentity, oneRewardPerName: boolean): boolean {
  return oneRewardPerName && !('userId' in identity);
}

/** Compatibility forms can be eighteen times as long as the text; an index entry must stay below 2.7 kB. */
const MAX_FOLDED_BYTES = 800;

/**
 * A name without case and compatibility forms (Ｇ is G). Upper case does not depend on neighboring letters, unlike
 * lower case (ς, σ). The result is stored in votes.name_key, so a different folding requires a migration.
 */
export function foldExternalId(externalId: string): string {
  const folded = externalId.normalize('NFKC').toUpperCase().normalize('NFKC');
  return Buffer.byteLength(folded) <= MAX_FOLDED_BYTES ? folded : `sha256:${hash('sha256', folded, 'hex')}`;
}

/** votes.name_key of a vote. */
export function nameKeyOf({ externalId }: Pick<Vote, 'externalId'>): string | null {
  return externalId === null ? null : foldExternalId(externalId);
}

/** What a repeated Idempotency-Key must have in common with the first request. */
export function claimRequestHash(identity: ClaimIdentity, withinHours: number, action = 'claim'): string {
  return hash('sha256', JSON.stringify([identity, withinHours, action]), 'hex');
}
