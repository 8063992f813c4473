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
import type { Queryable } from './connection/connection.ts';

const USER_SQL = {
  // The primary key, in every statement that does not name an index.
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
  signOut: `
    INSERT INTO sign_outs AS kept (user_id, signed_out_at) VALUES ($1, $2)
    ON CONFLICT (user_id) DO UPDATE SET signed_out_at = greatest(kept.signed_out_at, excluded.signed_out_at)`,
  signedOutAt: 'SELECT signed_out_at FROM sign_outs WHERE user_id = $1',
  // Index sign_outs_by_age.
  pruneSignOuts: `
    DELETE FROM sign_outs WHERE user_id IN (
      SELECT user_id FROM sign_outs WHERE signed_out_at < $1 ORDER BY signed_out_at LIMIT $2)`,
} as const;

export function createUserStore(database: Queryable): UserStore {
  return {
    async remember({ userId, name, avatar }, now) {
      await database.query({ text: USER_SQL.remember, values: [userId, name, avatar, now] });
    },
    async find(userIds) {
      const { rows } = await database.query<UserRow>({ text: USER_SQL.find, values: [userIds] });
      return byUserId(rows);
    },
    async setShowName(userId, isShown) {
      const { rowCount } = await database.query({ text: USER_SQL.setShowName, values: [isShown, userId] });
      return (rowCount ?? 0) > 0;
    },
    async prune(before, limit) {
      return (await database.query({ text: USER_SQL.prune, values: [before, limit] })).rowCount ?? 0;
    },
    async signOut(userId, at) {
      await database.query({ text: USER_SQL.signOut, values: [userId, at] });
    },
    async signedOutAt(userId) {
      // Read for every page of a signed-in user, so it is prepared.
      const statement = { name: 'signed-out-at', text: USER_SQL.signedOutAt, values: [userId] };
      return (await database.query<{ signed_out_at: Instant }>(statement)).rows[0]?.signed_out_at;
    },
    async pruneSignOuts(before, limit) {
      return (await database.query({ text: USER_SQL.pruneSignOuts, values: [before, limit] })).rowCount ?? 0;
    },
  };
}

const REMINDER_SQL = {
  // The primary keys of guilds and cooldowns. Reminders that are on already keep their message. The guild is locked
  // first, in the same order as its removal.
  enable: `
    INSERT INTO reminders (guild_id, user_id, locale, active_at, next_attempt_at)
    SELECT g.guild_id, $2, $3, coalesce(c.last_vote_at, $4::bigint), c.last_vote_at + $5::bigint
    FROM guilds g LEFT JOIN cooldowns c
      ON c.guild_id = g.guild_id AND c.user_id = $2 AND c.last_vote_at + $5::bigint > $4::bigint
    WHERE g.guild_id = $1 AND g.removed_at IS NULL
    FOR KEY SHARE OF g
    ON CONFLICT (guild_id, user_id) DO UPDATE SET locale = excluded.locale
    RETURNING locale, active_at, next_attempt_at`,
  disable: 'DELETE FROM reminders WHERE guild_id = $1 AND user_id = $2',
  // Index reminders_by_user.
  disableAll: 'DELETE FROM reminders WHERE user_id = $1',
  // The primary key.
  find: 'SELECT locale, active_at, next_attempt_at FROM reminders WHERE guild_id = $1 AND user_id = $2',
  // Index reminders_due; reminders that another worker is claiming are skipped.
  claim: `
    WITH due AS MATERIALIZED (
      SELECT guild_id, user_id, locale, active_at, next_attempt_at, may_be_sent FROM reminders
      WHERE next_attempt_at <= $1 ORDER BY next_attempt_at LIMIT $3 FOR UPDATE SKIP LOCKED
    ), claimed AS (
      UPDATE reminders r SET next_attempt_at = $2, may_be_sent = TRUE FROM due
      WHERE r.guild_id = due.guild_id AND r.user_id = due.user_id
    )
    SELECT due.*, g.name, g.sanctioned_at FROM due JOIN guilds g ON g.guild_id = due.guild_id
    ORDER BY due.next_attempt_at`,
  finish: `
    UPDATE reminders SET next_attempt_at = NULL, may_be_sent = FALSE
    WHERE guild_id = $1 AND user_id = $2 AND active_at = $3 AND next_attempt_at = $4`,
  retry: `
    UPDATE reminders SET next_attempt_at = $5, may_be_sent = $6
    WHERE guild_id = $1 AND user_id = $2 AND active_at = $3 AND next_attempt_at = $4`,
  // A full read of a small table, once an hour.
  prune: `
    DELETE FROM reminders WHERE (guild_id, user_id) IN (
      SELECT guild_id, user_id FROM reminders WHERE active_at < $1 AND next_attempt_at IS NULL
      LIMIT $2 FOR UPDATE SKIP LOCKED)`,
} as const;

export function createReminderStore(database: Queryable): ReminderStore {
  const run = <Row extends object>(name: keyof typeof REMINDER_SQL, ...values: unknown[]) =>
    database.query<Row>({ name: `reminders-${name}`, text: REMINDER_SQL[name], values });
  const keyOf = ({ guildId, userId, dueAt, claimedUntil }: ClaimedReminder) =>
    [guildId, userId, dueAt - COOLDOWN_MS, claimedUntil] as const;

  return {
    async enable({ guildId, userId, locale, now }) {
      const { rows } = await run<SettingRow>('enable', guildId, userId, locale, now, COOLDOWN_MS);
      return rows[0] && toSetting(rows[0]);
    },
    async disable(guildId, userId) {
      return (await run('disable', guildId, userId)).rowCount !== 0;
    },
    async disableAll(userId) {
      return (await run('disableAll', userId)).rowCount ?? 0;
    },
    async find(guildId, userId) {
      const { rows } = await run<SettingRow>('find', guildId, userId);
      return rows[0] && toSetting(rows[0]);
    },
    async claim({ now, until, limit }) {
      const { rows } = await run<ClaimedReminderRow>('claim', now, until, limit);
      return rows.map((row) => toClaimedReminder(row, until));
    },
    async finish(reminder) {
      await run('finish', ...keyOf(reminder));
    },
    async retry(reminder, at, mayBeSent) {
      await run('retry', ...keyOf(reminder), at, mayBeSent);
    },
    async prune(before, limit) {
      return (await run('prune', before, limit)).rowCount ?? 0;
    },
  };
}
