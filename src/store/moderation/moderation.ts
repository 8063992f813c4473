/**
 * Moderation for the operator: voiding votes, banning voters, and the log of what operators did.
 *
 *   const voided = await store.moderation.void({ guildId, selection: { userId }, period, batch, reason, voidedAt });
 *   await store.moderation.restore(batch, clock());
 */
import { DAY_MS, formatInstant, type Instant } from '../../domain/clock.ts';
import type { Ban } from '../../domain/votes/bans.ts';
import type { Period } from '../../domain/votes/period.ts';
import type { VoidBatch, VoidSelection } from '../../domain/votes/voids.ts';
import type { VotePosition } from '../../domain/votes/vote.ts';

/** Votes of a guild that were cast in the period. */
export type VoidQuery = { guildId: string; selection: VoidSelection; period: Period };

export type VoidRequest = VoidQuery & VoidBatch;

/** A stored batch. `votes` counts what was voided, even if it was restored since. */
export type RecordedBatch = VoidBatch & { guildId: string; votes: number; restoredAt: Instant | null };

/** A row of `void_batches`. */
export type VoidBatchRow = {
  batch: string;
  guild_id: string;
  created_at: Instant;
  reason: string | null;
  votes: number;
  restored_at: Instant | null;
};

export function toBatch(row: VoidBatchRow): RecordedBatch {
  const { batch, guild_id: guildId, created_at: voidedAt, reason, votes, restored_at: restoredAt } = row;
  return { batch, guildId, voidedAt, reason, votes, restoredAt };
}

export interface ModerationStore {
  /**
   * Removes the votes from lists, totals, checks, rankings, claims and the feed, and writes their `vote_voided` events.
   * A vote, its part of the totals and its events change together. The cooldown of the voters and claims that were made
   * stay as they are. The batch is one transaction; on SQLite one for each `VOID_CHUNK` votes, so that a huge batch
   * does not keep requests waiting. Resolves with the number of votes; if there are none, no batch is created. Rejects
   * with `UnknownGuildError` when the guild is not listed.
   */
  void(request: VoidRequest): Promise<number>;
  /** How many votes `void` would remove now. */
  countVoidable(query: VoidQuery): Promise<number>;
  /**
   * Restores the votes of a batch, including claims and feed positions. Resolves with their number, 0 if the batch
   * was restored before; `undefined` if the batch does not exist.
   */
  restore(batch: string, now: Instant): Promise<number | undefined>;
  /** The hash of the network that a vote came from; null when it is no longer kept, or never was. */
  networkOf(guildId: string, position: VotePosition): Promise<string | null>;
  /** Deletes network hashes of voided votes, as for other votes: at most `limit` hashes below `oldest`. */
  pruneNetworks(oldest: string, limit: number): Promise<number>;
  findBatch(batch: string): Promise<RecordedBatch | undefined>;
  /** Replaces an earlier ban of the same user. */
  ban(ban: Ban): Promise<void>;
  /** Returns false if the user is not banned. */
  unban(userId: string, now: Instant): Promise<boolean>;
  /** The active ban. */
  findBan(userId: string, now: Instant): Promise<Ban | undefined>;
  /** Active bans by user id, starting just after `afterUserId`. */
  bans(now: Instant, afterUserId: string, limit: number): Promise<Ban[]>;
  /** Deletes at most `limit` bans that ended before `before`. Returns the number. */
  pruneBans(before: Instant, limit: number): Promise<number>;
}

/** A row of `voter_bans`. */
export type BanRow = { user_id: string; since: Instant; until: Instant | null; reason: string | null };

export function toBan({ user_id: userId, since, until, reason }: BanRow): Ban {
  return { userId, since, until, reason };
}

/** Votes that SQLite voids or restores per transaction: about 25 us each, during which no request is answered. */
export const VOID_CHUNK = 5000;

/** Votes of one hour or month to subtract from a total or add back. */
export type Sum = { start: Instant; votes: number; doubled: number; firstSeq: number | null };

type Counted = { castAt: Instant; isDoubled: boolean; seq: number | null };

/** Sums by the first instant of their hour or month, in the order in which both databases lock the rows. */
export function sumBy(startOf: (castAt: Instant) => Instant, votes: readonly Counted[]): Sum[] {
  const sums = new Map<Instant, Sum>();
  for (const { castAt, isDoubled, seq } of votes) {
    const start = startOf(castAt);
    const sum = sums.get(start) ?? { start, votes: 0, doubled: 0, firstSeq: null };
    sum.votes += 1;
    sum.doubled += Number(isDoubled);
    if (seq !== null) sum.firstSeq = Math.min(seq, sum.firstSeq ?? seq);
    sums.set(start, sum);
  }
  return [...sums.values()].sort((a, b) => a.start - b.start);
}

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
  'votes_import_started',
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

/**
 * The log of operator actions, from the console or the command line. It has no reference to guilds, so it outlives
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

/** A position after all entries, so that reading starts with the newest. */
export function auditStart(before: AuditPosition | null): AuditPosition {
  return before ?? { at: Number.MAX_SAFE_INTEGER, id: 0 };
}

/** An instant in `detail`; null stays null. */
export function auditInstant(instant: Instant | null): string | null {
  return instant === null ? null : formatInstant(instant);
}
