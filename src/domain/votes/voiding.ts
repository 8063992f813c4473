/**
 * Voiding: votes that should not have counted are taken out of every list, total and ranking, as one batch that can be
 * restored. Bans: who may not vote at all.
 */
import { randomBytes } from 'node:crypto';
import type { Instant } from '../clock.ts';

/** Which votes of a guild are voided. `externalId` is compared exactly. */
export type VoidSelection = { userId: string } | { externalId: string };

/** What is known of a batch when it is voided; every `vote_voided` event carries it. */
export type VoidBatch = { batch: string; reason: string | null; voidedAt: Instant };

const BATCH_BYTES = 8;

/** The name of a new batch. It tells nothing, and nobody can guess the next one. */
export function createBatchId(random: (bytes: number) => Buffer = randomBytes): string {
  return `void_${random(BATCH_BYTES).toString('hex')}`;
}

/** A user who may not vote for any guild. `until` is null when the ban has no end. */
export type Ban = { userId: string; since: Instant; until: Instant | null; reason: string | null };

/** At the very instant of `until` the ban is over. */
export function isBanned(ban: Pick<Ban, 'until'> | undefined, now: Instant): boolean {
  return ban !== undefined && (ban.until === null || now < ban.until);
}
