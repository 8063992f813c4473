import { DAY_MS, type Instant } from '../domain/clock.ts';

/** What Discord says about a person who signs in. */
export type UserProfile = {
  userId: string;
  /** The display name, made safe by `cleanName`. */
  name: string;
  /** The hash in the address of the profile picture; null without one. */
  avatar: string | null;
};

/** `showName`: the user agreed to appear by name on public pages. */
export type StoredUser = UserProfile & { showName: boolean };

/** Names of people, so that pages do not have to display ids. */
export interface UserStore {
  /** Stores the profile. Writes only if it changed, or if the last sign-in that was stored is a day ago. */
  remember(profile: UserProfile, now: Instant): Promise<void>;
  /** The known ones of these users, by id. */
  find(userIds: readonly string[]): Promise<Map<string, StoredUser>>;
  /** Returns false for a user who never signed in. */
  setShowName(userId: string, isShown: boolean): Promise<boolean>;
  /** Deletes users whose last sign-in is before `before`; returns how many, at most `limit`. */
  prune(before: Instant, limit: number): Promise<number>;
}

/** After a year without signing in a user is an id again. */
export const KEEP_USERS_MS = 365 * DAY_MS;

/** How exactly the last sign-in is stored. */
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
