/** Who wants a message when they can vote again. */
import type { Instant } from '../domain/clock.ts';
import type { Locale } from '../domain/locale.ts';
import { COOLDOWN_MS } from '../domain/votes/vote.ts';
import type { Database } from './database.ts';

/** The reminders of one user for one guild. `dueAt`: when the next message is sent; null until the next vote. */
export type ReminderSetting = { locale: Locale; dueAt: Instant | null };

export type ReminderRequest = { guildId: string; userId: string; locale: Locale; now: Instant };

/** A message that one worker has claimed: no other worker sends it before `claimedUntil`. */
export type ClaimedReminder = {
  guildId: string;
  guildName: string;
  isSanctioned: boolean;
  userId: string;
  locale: Locale;
  dueAt: Instant;
  /** An earlier attempt ended without a result, so Discord may already have delivered the message. */
  mayBeSent: boolean;
  claimedUntil: Instant;
};

/**
 * Who wants a direct message when they can vote again, and which messages are due. A cast schedules the message of its
 * voter in the same transaction.
 *
 *   await store.reminders.enable({ guildId, userId, locale: 'en', now });
 *   for (const reminder of await store.reminders.claim({ now, until, limit })) …
 *   await store.reminders.finish(reminder);
 */
export interface ReminderStore {
  /**
   * Turns reminders on, or changes their language. During a cooldown the first message is due at its end. Returns
   * `undefined` if the guild does not exist.
   */
  enable(request: ReminderRequest): Promise<ReminderSetting | undefined>;
  /** Returns false if they were off. A message that is being sent at the moment still arrives. */
  disable(guildId: string, userId: string): Promise<boolean>;
  /** Turns the reminders of a user off in all guilds; returns how many guilds. */
  disableAll(userId: string): Promise<number>;
  /** `undefined`: reminders are off. */
  find(guildId: string, userId: string): Promise<ReminderSetting | undefined>;
  /** Claims messages that are due, earliest first. */
  claim(request: { now: Instant; until: Instant; limit: number }): Promise<ClaimedReminder[]>;
  /** Nothing is left to send until the next vote. Does nothing if the user has voted again or the claim has expired. */
  finish(reminder: ClaimedReminder): Promise<void>;
  /** Retries at `at`, under the same conditions as `finish`. */
  retry(reminder: ClaimedReminder, at: Instant, mayBeSent: boolean): Promise<void>;
  /** Deletes settings of users whose last vote and opt-in are older. Returns how many. */
  prune(before: Instant, limit: number): Promise<number>;
}

/** Columns as both databases return them. */
type SettingRow = { locale: Locale; active_at: Instant; next_attempt_at: Instant | null };

export type ClaimedReminderRow = SettingRow & {
  guild_id: string;
  user_id: string;
  name: string;
  sanctioned_at: Instant | null;
  may_be_sent: boolean | number;
};

function toSetting({ locale, active_at, next_attempt_at }: SettingRow): ReminderSetting {
  return { locale, dueAt: next_attempt_at === null ? null : active_at + COOLDOWN_MS };
}

export function toClaimedReminder(row: ClaimedReminderRow, claimedUntil: Instant): ClaimedReminder {
  return {
    guildId: row.guild_id,
    guildName: row.name,
    isSanctioned: row.sanctioned_at !== null,
    userId: row.user_id,
    locale: row.locale,
    dueAt: row.active_at + COOLDOWN_MS,
    mayBeSent: Boolean(row.may_be_sent),
    claimedUntil,
  };
}

/** `claim` differs: on PostgreSQL, several workers claim at the same time. */
export function createReminderStore(database: Database, claim: ReminderStore['claim']): ReminderStore {
  const sql = prepare(database);
  const keyOf = ({ guildId, userId, dueAt, claimedUntil }: ClaimedReminder) => ({
    ...{ guildId, userId, claimedUntil },
    activeAt: dueAt - COOLDOWN_MS,
  });
  return {
    claim,
    async enable({ guildId, userId, locale, now }) {
      const request = { guildId, userId, locale, now, cooldown: COOLDOWN_MS };
      return (await sql.enable(request)).map(toSetting)[0];
    },
    async disable(guildId, userId) {
      return (await sql.disable({ guildId, userId })) > 0;
    },
    disableAll: (userId) => sql.disableAll({ userId }),
    async find(guildId, userId) {
      return (await sql.find({ guildId, userId })).map(toSetting)[0];
    },
    async finish(reminder) {
      await sql.finish(keyOf(reminder));
    },
    async retry(reminder, at, mayBeSent) {
      await sql.retry({ ...keyOf(reminder), at, mayBeSent });
    },
    prune: (before, limit) => sql.prune({ before, limit }),
  };
}

const THIS_CLAIM = `
  guild_id = @guildId AND user_id = @userId AND active_at = @activeAt AND next_attempt_at = @claimedUntil`;

function prepare({ read, write, writeAndRead, dialect: { indexedBy, lock } }: Database) {
  return {
    // The primary keys of guilds and cooldowns. Reminders that are on already keep their message. The guild is locked
    // first, in the same order as its removal.
    enable: writeAndRead<SettingRow>(`
      INSERT INTO reminders (guild_id, user_id, locale, active_at, next_attempt_at)
      SELECT g.guild_id, @userId, @locale, coalesce(c.last_vote_at, CAST(@now AS BIGINT)),
        c.last_vote_at + CAST(@cooldown AS BIGINT)
      FROM guilds g LEFT JOIN cooldowns c ON c.guild_id = g.guild_id AND c.user_id = @userId
        AND c.last_vote_at + CAST(@cooldown AS BIGINT) > CAST(@now AS BIGINT)
      WHERE g.guild_id = @guildId AND g.removed_at IS NULL
      ${lock('FOR KEY SHARE OF g')}
      ON CONFLICT (guild_id, user_id) DO UPDATE SET locale = excluded.locale
      RETURNING locale, active_at, next_attempt_at`),
    disable: write('DELETE FROM reminders WHERE guild_id = @guildId AND user_id = @userId'),
    // Index reminders_by_user.
    disableAll: write(`DELETE FROM reminders ${indexedBy('reminders_by_user')} WHERE user_id = @userId`),
    // The primary key.
    find: read<SettingRow>(`
      SELECT locale, active_at, next_attempt_at FROM reminders WHERE guild_id = @guildId AND user_id = @userId`),
    finish: write(`UPDATE reminders SET next_attempt_at = NULL, may_be_sent = FALSE WHERE ${THIS_CLAIM}`),
    retry: write(`UPDATE reminders SET next_attempt_at = @at, may_be_sent = @mayBeSent WHERE ${THIS_CLAIM}`),
    // A full read of a small table, once an hour.
    prune: write(`
      DELETE FROM reminders WHERE (guild_id, user_id) IN (
        SELECT guild_id, user_id FROM reminders WHERE active_at < @before AND next_attempt_at IS NULL
        LIMIT @limit + 0 ${lock('FOR UPDATE SKIP LOCKED')})`),
  };
}
