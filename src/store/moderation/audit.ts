/**
 * The log of operator actions, from the console or the command line. It has no reference to guilds, so it outlives
 * them. Secrets are never written to it.
 *
 *   await store.audit.record({ at, actor, action: 'guild_renamed', guildId, detail: { name: { from, to } } });
 */
import { DAY_MS, formatInstant, type Instant } from '../../domain/clock.ts';

const OPERATOR_ACTIONS = [
  'guild_added',
  'guild_removed',
  'guild_renamed',
  'guild_unlisted',
  'guild_relisted',
  'premium_changed',
  'sanction_added',
  'sanction_lifted',
  'key_generated',
  'key_shown',
  'key_revoked',
  'votes_imported',
  'votes_voided',
  'votes_restored',
  'voter_banned',
  'voter_unbanned',
] as const;

export type OperatorAction = (typeof OPERATOR_ACTIONS)[number];

/** `actor` is null for the command line; `guildId` is null for actions without a single guild. */
export type AuditEntry = {
  at: Instant;
  actor: { userId: string; name: string } | null;
  action: OperatorAction;
  guildId: string | null;
  detail: AuditDetail;
};

export type AuditDetail = {
  /** The name of the guild at that time. */
  guild?: string;
  /** The new name. */
  name?: string;
  userId?: string;
  until?: string | null;
  reason?: string | null;
  batch?: string;
  votes?: number;
  /** Which votes were voided, as command line options. */
  selection?: string;
};

export type AuditPosition = { at: Instant; id: number };

export type RecordedAudit = AuditEntry & { id: number };

export interface AuditStore {
  record(entry: AuditEntry): Promise<void>;
  /** Newest first, starting just before `before`. */
  recent(before: AuditPosition | null, limit: number): Promise<RecordedAudit[]>;
  /** Deletes at most `limit` entries from before `before`. Returns the number. */
  prune(before: Instant, limit: number): Promise<number>;
}

export const KEEP_AUDIT_MS = 730 * DAY_MS;

/** A row of `operator_actions`. Only the store writes it, so action and detail are trusted. */
export type AuditRow = {
  action_id: number;
  at: Instant;
  actor_id: string | null;
  actor_name: string | null;
  action: OperatorAction;
  guild_id: string | null;
  detail: string;
};

/** at, actor_id, actor_name, action, guild_id, detail */
export function toAuditColumns({
  at,
  actor,
  action,
  guildId,
  detail,
}: AuditEntry): (string | number | null)[] {
  return [at, actor?.userId ?? null, actor?.name ?? null, action, guildId, JSON.stringify(detail)];
}

export function toAudit(row: AuditRow): RecordedAudit {
  const { action_id: id, at, actor_id: userId, actor_name: name, action, guild_id: guildId, detail } = row;
  const actor = userId === null ? null : { userId, name: name ?? '' };
  return { id, at, actor, action, guildId, detail: JSON.parse(detail) };
}

/** The position that the newest entries stand before. */
export function auditStart(before: AuditPosition | null): AuditPosition {
  return before ?? { at: Number.MAX_SAFE_INTEGER, id: 0 };
}

/** An instant in `detail`; null stays null. */
export function auditInstant(instant: Instant | null): string | null {
  return instant === null ? null : formatInstant(instant);
}
