import { byUserId, SEEN_PRECISION_MS, type UserRow, type UserStore } from '../users.ts';
import type { Connections } from './connection.ts';

export function createUserStore(database: Connections): UserStore {
  const { reader, writer } = database;
  // The primary key, in every statement but the last.
  const remember = writer.prepare(
    `INSERT INTO users (user_id, name, avatar, seen_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (user_id) DO UPDATE
     SET name = excluded.name, avatar = excluded.avatar, seen_at = max(seen_at, excluded.seen_at)
     WHERE name IS NOT excluded.name OR avatar IS NOT excluded.avatar
        OR seen_at <= excluded.seen_at - ${SEEN_PRECISION_MS}`,
  );
  const find = reader.prepare<[string], UserRow>(
    `SELECT user_id, name, avatar, show_name FROM users
     WHERE user_id IN (SELECT value FROM json_each(?))`,
  );
  const setShowName = writer.prepare('UPDATE users SET show_name = ? WHERE user_id = ?');
  // Index users_by_age.
  const prune = writer.prepare(
    'DELETE FROM users WHERE user_id IN (SELECT user_id FROM users WHERE seen_at < ? ORDER BY seen_at LIMIT ?)',
  );
  return {
    async remember({ userId, name, avatar }, now) {
      await database.write(() => remember.run(userId, name, avatar, now));
    },
    async find(userIds) {
      return byUserId(find.all(JSON.stringify(userIds)));
    },
    setShowName: (userId, isShown) =>
      database.write(() => setShowName.run(Number(isShown), userId).changes > 0),
    prune: (before, limit) => database.write(() => prune.run(before, limit).changes),
  };
}
