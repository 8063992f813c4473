/**
 * Voiding removes votes that should not have counted from every list, total and ranking, as one batch that can be
 * restored. Bans prevent users from voting.
 */
import { randomBytes } from 'node:crypto';
import type { Instant } from '../clock.ts';
import type { VoteMark } from './marks.ts';

/**
 * Which votes of a guild are voided. `externalId` is compared exactly; `network` is the hash that a vote was kept with.
 */
export type VoidSelection =
  | { userId: string }
  | { externalId: string }
  | { mark: VoteMark }
  | { network: string };

/** Describes a batch when it is voided; every `vote_voided` event carries it. */
export type VoidBatch = { batch: string; reason: string | null; voidedAt: Instant };

const BATCH_BYTES = 8;

/** The id of a new batch: random and unguessable. */
export function createBatchId(random: (bytes: number) => Buffer = randomBytes): string {
  return `void_${random(BATCH_BYTES).toString('hex')}`;
}

/** A user who may not vote for any guild. `until` is null for a permanent ban. */
export type Ban = { userId: string; since: Instant; until: Instant | null; reason: string | null };

/** At `until` itself the ban is over. */
export function isBanned(ban: Pick<Ban, 'until'> | undefined, now: Instant): boolean {
  return ban !== undefined && (ban.until === null || now < ban.until);
}
