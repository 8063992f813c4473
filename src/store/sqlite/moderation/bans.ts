import type { Instant } from '../../../domain/clock.ts';
import { isBanned } from '../../../domain/votes/integrity.ts';
import { type BanRow, type ModerationStore, toBan } from '../../moderation/moderation.ts';
import type { Connections } from '../connection.ts';

type Bans = Pick<ModerationStore, 'ban' | 'unban' | 'findBan' | 'bans' | 'pruneBans'>;

export function createBans(database: Connections): Bans {
  const sql = prepare(database);
  return {
    async ban({ userId, since, until, reason }) {
      await database.write(() => sql.ban.run(userId, since, until, reason));
    },
    unban: (userId, now) => database.write(() => sql.unban.run(userId, now).changes > 0),
    async findBan(userId, now) {
      const row = sql.find.get(userId);
      return row && isBanned(row, now) ? toBan(row) : undefined;
    },
    async bans(now, afterUserId, limit) {
      return sql.list.all(afterUserId, now, limit).map(toBan);
    },
    pruneBans: (before, limit) => database.write(() => sql.prune.run(before, limit).changes),
  };
}

/** The primary key, except for `prune`. */
function prepare({ reader, writer }: Connections) {
  return {
    ban: writer.prepare(
      `INSERT INTO voter_bans (user_id, since, until, reason) VALUES (?, ?, ?, ?)
       ON CONFLICT (user_id) DO UPDATE SET since = excluded.since, until = excluded.until, reason = excluded.reason`,
    ),
    unban: writer.prepare('DELETE FROM voter_bans WHERE user_id = ? AND (until IS NULL OR until > ?)'),
    find: reader.prepare<[string], BanRow>(
      'SELECT user_id, since, until, reason FROM voter_bans WHERE user_id = ?',
    ),
    list: reader.prepare<[string, Instant, number], BanRow>(
      `SELECT user_id, since, until, reason FROM voter_bans
       WHERE user_id > ? AND (until IS NULL OR until > ?) ORDER BY user_id LIMIT ?`,
    ),
    // Index voter_bans_by_end.
    prune: writer.prepare(
      `DELETE FROM voter_bans WHERE user_id IN (
         SELECT user_id FROM voter_bans INDEXED BY voter_bans_by_end WHERE until < ? LIMIT ?
       )`,
    ),
  };
}
