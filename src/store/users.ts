import { DAY_MS, type Instant } from '../domain/clock.ts';
import type { Locale } from '../domain/locale.ts';
import { COOLDOWN_MS } from '../domain/votes/vote.ts';

/** The Discord profile of a person who signs in. */
export type UserProfile = {
  userId: string;
  /** The display name, made safe by `cleanName`. */
  name: string;
  /** The hash in the URL of the profile picture; null without one. */
  avatar: string | null;
};

/** `showName`: the user agreed to appear by name on public pages. */
export type StoredUser = UserProfile & { showName: boolean };

/** Names of people, so that pages do not have to display ids, and when they signed out. */
export interface UserStore {
  /** Stores the profile. Writes only if it changed, or if the stored last sign-in is at least a day old. */
  remember(profile: UserProfile, now: Instant): Promise<void>;
  /** The users among these that are known, by id. */
  find(userIds: readonly string[]): Promise<Map<string, StoredUser>>;
  /** Returns false for a user who never signed in. */
  setShowName(userId: string, isShown: boolean): Promise<boolean>;
  /** Deletes users whose last sign-in is before `before`; returns how many, at most `limit`. */
  prune(before: Instant, limit: number): Promise<number>;
  /** Ends the sessions of the user that began at or before `at`. An earlier time changes nothing. */
  signOut(userId: string, at: Instant): Promise<void>;
  /** `undefined` if the user has not signed out, or so long ago that no session from before is left. */
  signedOutAt(userId: string): Promise<Instant | undefined>;
  /** Deletes sign-outs before `before`; returns how many, at most `limit`. */
  pruneSignOuts(before: Instant, limit: number): Promise<number>;
}

/** The length of a session. Sign-outs are kept as long: after that, every session that they ended has expired. */
export const SESSION_MS = 7 * DAY_MS;

/** Profiles are deleted after a year without a sign-in. */
export const KEEP_USERS_MS = 365 * DAY_MS;

/** The precision of the stored last sign-in. */
export const SEEN_PRECISION_MS = DAY_MS;

export type UserRow = { user_id: string; name: string; avatar: string | null; show_name: boolean | number };

export function byUserId(rows: readonly UserRow[]): Map<string, StoredUser> {
  return new Map(
    rows.map(({ user_id: userId, name, avatar, show_name }) => [
      userId,
      { userId, name, avatar, showName: Boolean(show_name) },
    ]),
  );
}

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
export type SettingRow = { locale: Locale; active_at: Instant; next_attempt_at: Instant | null };

export type ClaimedReminderRow = SettingRow & {
  guild_id: string;
  user_id: string;
  name: string;
  sanctioned_at: Instant | null;
  may_be_sent: boolean | number;
};

export function toSetting({ locale, active_at, next_attempt_at }: SettingRow): ReminderSetting {
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
