/** Who may not vote, for any guild. */
import type { Instant } from '../../domain/clock.ts';
import { type Ban, isBanned } from '../../domain/votes/bans.ts';
import type { Database } from '../database.ts';

export interface BanStore {
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

/** The primary key, in every statement that does not name an index. */
export function createBanStore({ read, write, dialect: { indexedBy, lock } }: Database): BanStore {
  const ban = write(`
    INSERT INTO voter_bans (user_id, since, until, reason) VALUES (@userId, @since, @until, @reason)
    ON CONFLICT (user_id) DO UPDATE SET since = excluded.since, until = excluded.until, reason = excluded.reason`);
  const unban = write('DELETE FROM voter_bans WHERE user_id = @userId AND (until IS NULL OR until > @now)');
  const find = read<BanRow>(
    'SELECT user_id, since, until, reason FROM voter_bans WHERE user_id = @userId',
    'find-ban',
  );
  const list = read<BanRow>(`
    SELECT user_id, since, until, reason FROM voter_bans
    WHERE user_id > @after AND (until IS NULL OR until > @now) ORDER BY user_id LIMIT @limit + 0`);
  // Index voter_bans_by_end. Rows that another process is deleting are skipped.
  const prune = write(`
    DELETE FROM voter_bans WHERE user_id IN (
      SELECT user_id FROM voter_bans ${indexedBy('voter_bans_by_end')} WHERE until < @before
      LIMIT @limit + 0 ${lock('FOR UPDATE SKIP LOCKED')}
    )`);
  return {
    async ban({ userId, since, until, reason }) {
      await ban({ userId, since, until, reason });
    },
    async unban(userId, now) {
      return (await unban({ userId, now })) > 0;
    },
    async findBan(userId, now) {
      const [row] = await find({ userId });
      return row && isBanned(row, now) ? toBan(row) : undefined;
    },
    async bans(now, after, limit) {
      return (await list({ now, after, limit })).map(toBan);
    },
    pruneBans: (before, limit) => prune({ before, limit }),
  };
}
