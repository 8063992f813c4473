/** The log of what operators did. */

import { DAY_MS, type Instant } from '../../domain/clock.ts';
import { isTokenId } from '../../domain/keys/api-token.ts';
import type { Goal } from '../../domain/votes/goal.ts';
import type { PlayerNameRule } from '../../domain/votes/player-names.ts';
import type { VoterRole } from '../../domain/votes/voter-role.ts';
import type { Database } from '../database.ts';

export const OPERATOR_ACTIONS = [
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
  'votes_import_started',
  'votes_imported',
  'votes_voided',
  'votes_restored',
  'voter_banned',
  'voter_unbanned',
  'rate_limit_changed',
  'goal_changed',
  'claims_changed',
  'voter_role_changed',
  'votes_cast',
  'token_created',
  'token_revoked',
  'user_erased',
  'maintenance_started',
  'maintenance_ended',
] as const;

export type OperatorAction = (typeof OPERATOR_ACTIONS)[number];

/** An operator, or a token of the management API. */
export type AuditActor = { userId: string; name: string } | { tokenId: string; name: string };

/** `actor` is null for the command line; `guildId` is null for actions without a single guild. */
export type AuditEntry = {
  at: Instant;
  actor: AuditActor | null;
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
  /** The reason that a banned voter sees. */
  publicReason?: string;
  batch?: string;
  votes?: number;
  /** Which votes were voided, as command line options, or as a choice of the console: see `readSelection`. */
  selection?: string;
  /** The id of a token of the management API. */
  token?: string;
  scopes?: string;
  /** Requests per minute; null: the limit of the service. */
  rateLimit?: number | null;
  /** Null: no goal. */
  goal?: Goal | null;
  playerNames?: PlayerNameRule;
  listforgeConsumer?: string;
  /** Null: no voter role. */
  voterRole?: VoterRole | null;
};

export type AuditPosition = { at: Instant; id: number };

export type RecordedAudit = AuditEntry & { id: number };

/**
 * The log of operator actions, from the console, the command line or the management API. It has no reference to guilds, so it outlives
 * them. Secrets are never written to it.
 *
 *   await store.audit.record({ at, actor, action: 'guild_renamed', guildId, detail: { name: { from, to } } });
 */
export interface AuditStore {
  record(entry: AuditEntry): Promise<void>;
  /** Newest first, starting just before `before`. */
  recent(before: AuditPosition | null, limit: number): Promise<RecordedAudit[]>;
  /** Deletes at most `limit` entries from before `before`. Returns the number. */
  prune(before: Instant, limit: number): Promise<number>;
}

export const KEEP_AUDIT_MS = 730 * DAY_MS;

/** A row of `operator_actions`. Only the store writes it, so action and detail are trusted. */
type AuditRow = {
  action_id: number;
  at: Instant;
  actor_id: string | null;
  actor_name: string | null;
  action: OperatorAction;
  guild_id: string | null;
  detail: string;
};

function toAudit(row: AuditRow): RecordedAudit {
  const { action_id: id, at, action, guild_id: guildId, detail } = row;
  return { id, at, actor: toActor(row), action, guildId, detail: JSON.parse(detail) };
}

function toActor({ actor_id: actorId, actor_name: actorName }: AuditRow): AuditActor | null {
  if (actorId === null) return null;
  const name = actorName ?? '';
  return isTokenId(actorId) ? { tokenId: actorId, name } : { userId: actorId, name };
}

function actorId(actor: AuditActor): string {
  return 'tokenId' in actor ? actor.tokenId : actor.userId;
}

/** A position after all entries, so that reading starts with the newest. */
const NEWEST: AuditPosition = { at: Number.MAX_SAFE_INTEGER, id: 0 };

export function createAuditStore({ read, write, dialect: { indexedBy, lock } }: Database): AuditStore {
  const record = write(`
    INSERT INTO operator_actions (at, actor_id, actor_name, action, guild_id, detail)
    VALUES (@at, @actorId, @name, @action, @guildId, @detail)`);
  // Index operator_actions_by_time on SQLite, the primary key (at, action_id) on PostgreSQL, here and below. Read
  // backwards.
  const recent = read<AuditRow>(`
    SELECT action_id, at, actor_id, actor_name, action, guild_id, detail
    FROM operator_actions ${indexedBy('operator_actions_by_time')}
    WHERE (at, action_id) < (@at, @id) ORDER BY at DESC, action_id DESC LIMIT @limit + 0`);
  // Rows that another process is deleting are skipped.
  const prune = write(`
    DELETE FROM operator_actions WHERE (at, action_id) IN (
      SELECT at, action_id FROM operator_actions ${indexedBy('operator_actions_by_time')}
      WHERE at < @before ORDER BY at, action_id LIMIT @limit + 0 ${lock('FOR UPDATE SKIP LOCKED')}
    )`);
  return {
    async record({ at, actor, action, guildId, detail }) {
      const who = { actorId: actor && actorId(actor), name: actor?.name ?? null };
      await record({ at, ...who, action, guildId, detail: JSON.stringify(detail) });
    },
    async recent(before, limit) {
      return (await recent({ ...(before ?? NEWEST), limit })).map(toAudit);
    },
    prune: (before, limit) => prune({ before, limit }),
  };
}
