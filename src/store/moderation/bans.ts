/** Who may not vote, for any guild. */
import type { Instant } from '../../domain/clock.ts';
import { type Ban, isBanned } from '../../domain/votes/bans.ts';
import type { Database } from '../database.ts';
import type { ErasedIdOf } from '../personal-data/erased-ids.ts';

export interface BanStore {
  /** Replaces an earlier ban of the same user. */
  ban(ban: Ban): Promise<void>;
  /** Returns false if the user is not banned. */
  unban(userId: string, now: Instant): Promise<boolean>;
  /** The active ban, also if the user was erased since. Its user id is the one that was asked for. */
  findBan(userId: string, now: Instant): Promise<Ban | undefined>;
  /** The active ban of a user who was erased since. */
  findErasedBan(userId: string, now: Instant): Promise<Ban | undefined>;
  /** Active bans by user id, starting just after `afterUserId`. That of an erased user starts with `erased_`. */
  bans(now: Instant, afterUserId: string, limit: number): Promise<Ban[]>;
  /** Deletes at most `limit` bans that ended before `before`. Returns the number. */
  pruneBans(before: Instant, limit: number): Promise<number>;
}

/** A row of `voter_bans`. */
export type BanRow = {
  user_id: string;
  since: Instant;
  until: Instant | null;
  reason: string | null;
  public_reason: string | null;
};

export const BAN_COLUMNS = 'user_id, since, until, reason, public_reason';

export function toBan({ user_id: userId, public_reason: publicReason, since, until, reason }: BanRow): Ban {
  return { userId, since, until, reason, publicReason };
}

/** The primary key, in every statement that does not name an index. */
export function createBanStore(
  { read, write, dialect: { indexedBy, lock } }: Database,
  erasedIdOf: ErasedIdOf,
): BanStore {
  const ban = write(`
    INSERT INTO voter_bans (${BAN_COLUMNS}) VALUES (@userId, @since, @until, @reason, @publicReason)
    ON CONFLICT (user_id) DO UPDATE SET since = excluded.since, until = excluded.until, reason = excluded.reason,
      public_reason = excluded.public_reason`);
  const unban = write(`
    DELETE FROM voter_bans WHERE user_id IN (@userId, @erasedId) AND (until IS NULL OR until > @now)`);
  const find = read<BanRow>(
    `SELECT ${BAN_COLUMNS} FROM voter_bans WHERE user_id IN (@userId, @erasedId)`,
    'find-ban',
  );
  const list = read<BanRow>(`
    SELECT ${BAN_COLUMNS} FROM voter_bans
    WHERE user_id > @after AND (until IS NULL OR until > @now) ORDER BY user_id LIMIT @limit + 0`);
  // Index voter_bans_by_end. Rows that another process is deleting are skipped.
  const prune = write(`
    DELETE FROM voter_bans WHERE user_id IN (
      SELECT user_id FROM voter_bans ${indexedBy('voter_bans_by_end')} WHERE until < @before
      LIMIT @limit + 0 ${lock('FOR UPDATE SKIP LOCKED')}
    )`);

  async function findAmong(userId: string, ids: { userId: string; erasedId: string }, now: Instant) {
    const row = (await find(ids)).find((ban) => isBanned(ban, now));
    return row && { ...toBan(row), userId };
  }

  return {
    async ban({ userId, since, until, reason, publicReason }) {
      await ban({ userId, since, until, reason, publicReason });
    },
    async unban(userId, now) {
      return (await unban({ userId, erasedId: await erasedIdOf(userId), now })) > 0;
    },
    async findBan(userId, now) {
      return findAmong(userId, { userId, erasedId: await erasedIdOf(userId) }, now);
    },
    async findErasedBan(userId, now) {
      const erasedId = await erasedIdOf(userId);
      return findAmong(userId, { userId: erasedId, erasedId }, now);
    },
    async bans(now, after, limit) {
      return (await list({ now, after, limit })).map(toBan);
    },
    pruneBans: (before, limit) => prune({ before, limit }),
  };
}
