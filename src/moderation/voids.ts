import { createBatchId } from '../domain/votes/voids.ts';
import type { AuditDetail } from '../store/moderation/audit.ts';
import type { VoidQuery } from '../store/moderation/voiding.ts';
import { type Moderator, moderate } from './moderator.ts';

export type VoidInput = VoidQuery & {
  reason: string | null;
  /** How the votes were selected, for the log. */
  logged: Pick<AuditDetail, 'guild' | 'userId' | 'selection'>;
};

export type VoidOutcome = { kind: 'voided'; batch: string; votes: number } | { kind: 'nothing' };

/**
 * Voids votes as a batch that can be restored. The log has the number of votes that were counted before; the batch has
 * the number that was voided, which differs if a vote is cast in between.
 */
export async function voidVotes(moderator: Moderator, input: VoidInput): Promise<VoidOutcome> {
  const { store, clock } = moderator;
  const { logged, reason, ...query } = input;
  const counted = await store.moderation.countVoidable(query);
  if (counted === 0) return { kind: 'nothing' };
  const batch = createBatchId();
  const detail = { ...logged, batch, votes: counted, reason };
  const action = { action: 'votes_voided', guildId: query.guildId, detail } as const;
  const votes = await moderate(moderator, action, () =>
    store.moderation.void({ ...query, batch, reason, voidedAt: clock() }),
  );
  return votes === 0 ? { kind: 'nothing' } : { kind: 'voided', batch, votes };
}

export type RestoreOutcome =
  | { kind: 'restored'; votes: number }
  | { kind: 'already_restored' }
  | { kind: 'unknown' };

/** Restores the votes of a batch. A restore that was interrupted continues. */
export async function restoreVotes(moderator: Moderator, batch: string): Promise<RestoreOutcome> {
  const { store, clock } = moderator;
  const known = await store.moderation.findBatch(batch);
  if (!known) return { kind: 'unknown' };
  if (known.restoredAt !== null) return { kind: 'already_restored' };
  const { guildId, votes: voided } = known;
  const action = { action: 'votes_restored', guildId, detail: { batch, votes: voided } } as const;
  const votes = await moderate(moderator, action, () => store.moderation.restore(batch, clock()));
  return votes === undefined ? { kind: 'unknown' } : { kind: 'restored', votes };
}
