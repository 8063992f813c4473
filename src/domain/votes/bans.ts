import type { Instant } from '../clock.ts';

/** A user who may not vote for any guild. `until` is null for a permanent ban. */
export type Ban = { userId: string; since: Instant; until: Instant | null; reason: string | null };

/** At `until` itself the ban is over. */
export function isBanned(ban: Pick<Ban, 'until'> | undefined, now: Instant): boolean {
  return ban !== undefined && (ban.until === null || now < ban.until);
}
