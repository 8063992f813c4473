import { randomBytes } from 'node:crypto';
import type { Instant } from '../clock.ts';
import type { VoteMark } from './marks.ts';

/** Which votes of a guild are voided. `externalId` is compared exactly; `network` is the hash stored with a vote. */
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
