import { DAY_MS, type Instant } from '../domain/clock.ts';
import type { Database } from './database.ts';
import type { ErasedIdOf } from './personal-data/erased-ids.ts';

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
  /**
   * When the user last signed out or was erased. `undefined` if that never happened, or so long ago that no session from
   * before is left.
   */
  signedOutAt(userId: string): Promise<Instant | undefined>;
  /** Deletes sign-outs before `before`; returns how many, at most `limit`. */
  pruneSignOuts(before: Instant, limit: number): Promise<number>;
}

/** The length of a session. Sign-outs are kept as long: after that, every session that they ended has expired. */
export const SESSION_MS = 7 * DAY_MS;

/** Profiles are deleted after a year without a sign-in. */
export const KEEP_USERS_MS = 365 * DAY_MS;

/** The precision of the stored last sign-in. */
const SEEN_PRECISION_MS = DAY_MS;

type UserRow = { user_id: string; name: string; avatar: string | null; show_name: boolean | number };

function byUserId(rows: readonly UserRow[]): Map<string, StoredUser> {
  return new Map(
    rows.map(({ user_id: userId, name, avatar, show_name }) => [
      userId,
      { userId, name, avatar, showName: Boolean(show_name) },
    ]),
  );
}

export function createUserStore(database: Database, erasedIdOf: ErasedIdOf): UserStore {
  const sql = prepare(database);
  return {
    async remember({ userId, name, avatar }, now) {
      await sql.remember({ userId, name, avatar, now });
    },
    async find(userIds) {
      return byUserId(await sql.find({ userIds }));
    },
    async setShowName(userId, isShown) {
      return (await sql.setShowName({ userId, isShown })) > 0;
    },
    prune: (before, limit) => sql.prune({ before, limit }),
    async signOut(userId, at) {
      await sql.signOut({ userId, at });
    },
    async signedOutAt(userId) {
      const erasedId = await erasedIdOf(userId);
      return (await sql.signedOutAt({ userId, erasedId }))[0]?.signed_out_at ?? undefined;
    },
    pruneSignOuts: (before, limit) => sql.pruneSignOuts({ before, limit }),
  };
}

/** The primary key, in every statement that does not name an index. */
function prepare({ read, write, dialect: { greatest, inList } }: Database) {
  return {
    remember: write(`
      INSERT INTO users (user_id, name, avatar, seen_at) VALUES (@userId, @name, @avatar, @now)
      ON CONFLICT (user_id) DO UPDATE
      SET name = excluded.name, avatar = excluded.avatar, seen_at = ${greatest}(users.seen_at, excluded.seen_at)
      WHERE users.name IS DISTINCT FROM excluded.name OR users.avatar IS DISTINCT FROM excluded.avatar
         OR users.seen_at <= excluded.seen_at - ${SEEN_PRECISION_MS}`),
    find: read<UserRow>(
      `SELECT user_id, name, avatar, show_name FROM users WHERE user_id ${inList('@userIds')}`,
    ),
    setShowName: write('UPDATE users SET show_name = @isShown WHERE user_id = @userId'),
    // Index users_by_age.
    prune: write(`
      DELETE FROM users WHERE user_id IN (
        SELECT user_id FROM users WHERE seen_at < @before ORDER BY seen_at LIMIT @limit + 0)`),
    signOut: write(`
      INSERT INTO sign_outs (user_id, signed_out_at) VALUES (@userId, @at)
      ON CONFLICT (user_id) DO UPDATE
      SET signed_out_at = ${greatest}(sign_outs.signed_out_at, excluded.signed_out_at)`),
    // Read for every page of a signed-in user.
    signedOutAt: read<{ signed_out_at: Instant | null }>(
      'SELECT max(signed_out_at) AS signed_out_at FROM sign_outs WHERE user_id IN (@userId, @erasedId)',
      'signed-out-at',
    ),
    // Index sign_outs_by_age.
    pruneSignOuts: write(`
      DELETE FROM sign_outs WHERE user_id IN (
        SELECT user_id FROM sign_outs WHERE signed_out_at < @before ORDER BY signed_out_at LIMIT @limit + 0)`),
  };
}
