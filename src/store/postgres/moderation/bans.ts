import { isBanned } from '../../../domain/votes/integrity.ts';
import { type BanRow, type ModerationStore, toBan } from '../../moderation/moderation.ts';
import type { Queryable } from '../connection/connection.ts';

type Bans = Pick<ModerationStore, 'ban' | 'unban' | 'findBan' | 'bans' | 'pruneBans'>;

/** The primary key, except for `prune`. */
const SQL = {
  ban: `
    INSERT INTO voter_bans (user_id, since, until, reason) VALUES ($1, $2, $3, $4)
    ON CONFLICT (user_id) DO UPDATE SET since = excluded.since, until = excluded.until, reason = excluded.reason`,
  unban: 'DELETE FROM voter_bans WHERE user_id = $1 AND (until IS NULL OR until > $2)',
  find: 'SELECT user_id, since, until, reason FROM voter_bans WHERE user_id = $1',
  list: `
    SELECT user_id, since, until, reason FROM voter_bans
    WHERE user_id > $1 AND (until IS NULL OR until > $2) ORDER BY user_id LIMIT $3`,
  // Index voter_bans_by_end. Rows that another process is deleting are skipped.
  prune: `
    DELETE FROM voter_bans WHERE user_id IN (
      SELECT user_id FROM voter_bans WHERE until < $1 LIMIT $2 FOR UPDATE SKIP LOCKED
    )`,
} as const;

export function createBans(database: Queryable): Bans {
  const run = (name: keyof typeof SQL, ...values: unknown[]) =>
    database.query<BanRow>({ name: `bans-${name}`, text: SQL[name], values });
  return {
    async ban({ userId, since, until, reason }) {
      await run('ban', userId, since, until, reason);
    },
    async unban(userId, now) {
      return (await run('unban', userId, now)).rowCount !== 0;
    },
    async findBan(userId, now) {
      const row = (await run('find', userId)).rows[0];
      return row && isBanned(row, now) ? toBan(row) : undefined;
    },
    async bans(now, afterUserId, limit) {
      return (await run('list', afterUserId, now, limit)).rows.map(toBan);
    },
    async pruneBans(before, limit) {
      return (await run('prune', before, limit)).rowCount ?? 0;
    },
  };
}
