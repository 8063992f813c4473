import { byUserId, SEEN_PRECISION_MS, type UserRow, type UserStore } from '../users.ts';
import type { Queryable } from './connection/connection.ts';

const SQL = {
  // The primary key, in every statement but the last.
  remember: `
    INSERT INTO users AS kept (user_id, name, avatar, seen_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (user_id) DO UPDATE
    SET name = excluded.name, avatar = excluded.avatar, seen_at = greatest(kept.seen_at, excluded.seen_at)
    WHERE kept.name IS DISTINCT FROM excluded.name OR kept.avatar IS DISTINCT FROM excluded.avatar
       OR kept.seen_at <= excluded.seen_at - ${SEEN_PRECISION_MS}`,
  find: 'SELECT user_id, name, avatar, show_name FROM users WHERE user_id = ANY ($1::text[])',
  setShowName: 'UPDATE users SET show_name = $1 WHERE user_id = $2',
  // Index users_by_age.
  prune: `
    DELETE FROM users WHERE user_id IN (
      SELECT user_id FROM users WHERE seen_at < $1 ORDER BY seen_at LIMIT $2)`,
} as const;

export function createUserStore(database: Queryable): UserStore {
  return {
    async remember({ userId, name, avatar }, now) {
      await database.query({ text: SQL.remember, values: [userId, name, avatar, now] });
    },
    async find(userIds) {
      const { rows } = await database.query<UserRow>({ text: SQL.find, values: [userIds] });
      return byUserId(rows);
    },
    async setShowName(userId, isShown) {
      const { rowCount } = await database.query({ text: SQL.setShowName, values: [isShown, userId] });
      return (rowCount ?? 0) > 0;
    },
    async prune(before, limit) {
      return (await database.query({ text: SQL.prune, values: [before, limit] })).rowCount ?? 0;
    },
  };
}
