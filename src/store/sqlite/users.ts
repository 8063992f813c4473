import type { Instant } from '../../domain/clock.ts';
import { COOLDOWN_MS } from '../../domain/votes/vote.ts';
import {
  byUserId,
  type ClaimedReminder,
  type ClaimedReminderRow,
  type ReminderStore,
  SEEN_PRECISION_MS,
  type SettingRow,
  toClaimedReminder,
  toSetting,
  type UserRow,
  type UserStore,
} from '../users.ts';
import type { Connection, Connections } from './connection.ts';

export function createUserStore(database: Connections): UserStore {
  const { reader, writer } = database;
  // The primary key, in every statement that does not name an index.
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
    'DELETE FROM users WHERE user_id IN (SELECT user_id FROM users WHERE seen_at < ? ORDER BY seen_at LIMIT ? + 0)',
  );
  const signOut = writer.prepare(
    `INSERT INTO sign_outs (user_id, signed_out_at) VALUES (?, ?)
     ON CONFLICT (user_id) DO UPDATE SET signed_out_at = max(signed_out_at, excluded.signed_out_at)`,
  );
  const signedOutAt = reader
    .prepare<[string], Instant>('SELECT signed_out_at FROM sign_outs WHERE user_id = ?')
    .pluck();
  // Index sign_outs_by_age.
  const pruneSignOuts = writer.prepare(
    `DELETE FROM sign_outs WHERE user_id IN (
       SELECT user_id FROM sign_outs WHERE signed_out_at < ? ORDER BY signed_out_at LIMIT ? + 0)`,
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
    async signOut(userId, at) {
      await database.write(() => signOut.run(userId, at));
    },
    signedOutAt: async (userId) => signedOutAt.get(userId),
    pruneSignOuts: (before, limit) => database.write(() => pruneSignOuts.run(before, limit).changes),
  };
}

export function createReminderStore(database: Connections): ReminderStore {
  const { writer } = database;
  const read = prepareReads(database.reader);
  const write = prepareWrites(writer);
  const keyOf = ({ guildId, userId, dueAt, claimedUntil }: ClaimedReminder) =>
    [guildId, userId, dueAt - COOLDOWN_MS, claimedUntil] as const;

  function claimAll(now: Instant, until: Instant, limit: number): ClaimedReminder[] {
    const due = write.due.all(now, limit);
    for (const { guild_id, user_id } of due) write.claim.run(until, guild_id, user_id);
    return due.map((row) => toClaimedReminder(row, until));
  }

  return {
    async enable({ guildId, userId, locale, now }) {
      const row = await database.write(() =>
        write.enable.get({ guildId, userId, locale, now, cooldown: COOLDOWN_MS }),
      );
      return row && toSetting(row);
    },
    disable: (guildId, userId) => database.write(() => write.disable.run(guildId, userId).changes > 0),
    disableAll: (userId) => database.write(() => write.disableAll.run(userId).changes),
    async find(guildId, userId) {
      const row = read.find.get(guildId, userId);
      return row && toSetting(row);
    },
    async claim({ now, until, limit }) {
      // Searched without the write lock, because usually nothing is due.
      if (!read.anyDue.get(now)) return [];
      return database.transaction(() => claimAll(now, until, limit));
    },
    async finish(reminder) {
      await database.write(() => write.finish.run(...keyOf(reminder)));
    },
    async retry(reminder, at, mayBeSent) {
      await database.write(() => write.retry.run(at, Number(mayBeSent), ...keyOf(reminder)));
    },
    prune: (before, limit) => database.write(() => write.prune.run(before, limit).changes),
  };
}

function prepareReads(db: Connection) {
  return {
    // The primary key.
    find: db.prepare<[string, string], SettingRow>(
      'SELECT locale, active_at, next_attempt_at FROM reminders WHERE guild_id = ? AND user_id = ?',
    ),
    // Index reminders_due.
    anyDue: db.prepare<[Instant], { one: number }>(
      'SELECT 1 AS one FROM reminders INDEXED BY reminders_due WHERE next_attempt_at <= ? LIMIT 1',
    ),
  };
}

function prepareWrites(db: Connection) {
  return {
    // The primary keys of guilds and cooldowns. Reminders that are on already keep their message.
    enable: db.prepare<[object], SettingRow>(
      `INSERT INTO reminders (guild_id, user_id, locale, active_at, next_attempt_at)
       SELECT g.guild_id, @userId, @locale, coalesce(c.last_vote_at, @now), c.last_vote_at + @cooldown
       FROM guilds g LEFT JOIN cooldowns c
         ON c.guild_id = g.guild_id AND c.user_id = @userId AND c.last_vote_at + @cooldown > @now
       WHERE g.guild_id = @guildId AND g.removed_at IS NULL
       ON CONFLICT (guild_id, user_id) DO UPDATE SET locale = excluded.locale
       RETURNING locale, active_at, next_attempt_at`,
    ),
    disable: db.prepare('DELETE FROM reminders WHERE guild_id = ? AND user_id = ?'),
    // Index reminders_by_user.
    disableAll: db.prepare('DELETE FROM reminders INDEXED BY reminders_by_user WHERE user_id = ?'),
    // Index reminders_due, then the primary key of guilds.
    due: db.prepare<[Instant, number], ClaimedReminderRow>(
      `SELECT r.guild_id, r.user_id, r.locale, r.active_at, r.next_attempt_at, r.may_be_sent, g.name, g.sanctioned_at
       FROM reminders r INDEXED BY reminders_due JOIN guilds g ON g.guild_id = r.guild_id
       WHERE r.next_attempt_at <= ? ORDER BY r.next_attempt_at LIMIT ? + 0`,
    ),
    claim: db.prepare(
      'UPDATE reminders SET next_attempt_at = ?, may_be_sent = 1 WHERE guild_id = ? AND user_id = ?',
    ),
    finish: db.prepare(
      `UPDATE reminders SET next_attempt_at = NULL, may_be_sent = 0
       WHERE guild_id = ? AND user_id = ? AND active_at = ? AND next_attempt_at = ?`,
    ),
    retry: db.prepare(
      `UPDATE reminders SET next_attempt_at = ?, may_be_sent = ?
       WHERE guild_id = ? AND user_id = ? AND active_at = ? AND next_attempt_at = ?`,
    ),
    // A full read of a small table, once an hour.
    prune: db.prepare(
      `DELETE FROM reminders WHERE (guild_id, user_id) IN (
         SELECT guild_id, user_id FROM reminders WHERE active_at < ? AND next_attempt_at IS NULL LIMIT ? + 0)`,
    ),
  };
}
