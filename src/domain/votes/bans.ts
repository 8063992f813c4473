import type { Instant } from '../clock.ts';

/** A user who may not vote for any guild. */
export type Ban = {
  userId: string;
  since: Instant;
  /** Null: the ban does not end. */
  until: Instant | null;
  /** For operators. */
  reason: string | null;
  /** Shown to the user. */
  publicReason: string | null;
};

/** At `until` itself the ban is over. */
export function isBanned(ban: Pick<Ban, 'until'> | undefined, now: Instant): boolean {
  return ban !== undefined && (ban.until === null || now < ban.until);
}
