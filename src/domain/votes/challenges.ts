/** Challenges that voters on busy networks have to solve. */
import type { NetworkLimits } from './networks.ts';

/** What happens to challenges, as metric labels. */
export const CHALLENGE_EVENTS = [
  'issued',
  'passed',
  'missing',
  'expired',
  'forged',
  'replayed',
  'too_cheap',
  'turnstile_refused',
  'turnstile_unreachable',
  'store_failed',
] as const;

export type ChallengeEvent = (typeof CHALLENGE_EVENTS)[number];

/**
 * A challenge is valid for a range of account counts, so that another vote in the meantime rarely makes it too cheap.
 * Each range is twice as long as the previous one and costs a ninth more than the first.
 */
export type ChallengeLevel = { cost: number; maxAccounts: number };

/** The first level is expensive already; more would make voters on phones wait for too long. */
const COST_PER_LEVEL = 1 / 9;

export function challengeLevel(
  accounts: number,
  { challengeFrom, refuseAbove }: NetworkLimits,
): ChallengeLevel {
  let level = 0;
  let next = 2 * challengeFrom;
  while (accounts >= next) {
    level += 1;
    next *= 2;
  }
  return { cost: 1 + level * COST_PER_LEVEL, maxAccounts: Math.min(next - 1, refuseAbove) };
}
