import { DAY_MS, type Instant } from '../clock.ts';

const DISCORD_EPOCH_MS = 1_420_070_400_000;
const TIMESTAMP_SHIFT = 22n;

/** When a Discord account was created: its id starts with the time. */
export function accountCreatedAt(userId: string): Instant {
  return Number(BigInt(userId) >> TIMESTAMP_SHIFT) + DISCORD_EPOCH_MS;
}

/** When an account that is younger than this many days can vote; null if it can now. 0 days: every account can. */
export function youngUntil(userId: string, days: number, now: Instant): Instant | null {
  const canVoteAt = accountCreatedAt(userId) + days * DAY_MS;
  return days > 0 && now < canVoteAt ? canVoteAt : null;
}
