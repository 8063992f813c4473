/**
 * Networks of voters: how many accounts one network may use within an hour, what a vote costs there, and the keyed
 * hash that represents a network. A network is an IPv4 address or the /64 of an IPv6 address.
 */
import { createHmac } from 'node:crypto';
import { DAY_MS, HOUR_MS, type Instant } from '../clock.ts';

export const NETWORK_WINDOW_MS = HOUR_MS;

/** In distinct accounts per hour, including the voter. Infinity disables a limit. */
export type NetworkLimits = {
  /** From this many on, a vote needs a solved challenge. */
  challengeFrom: number;
  /** Above this many, votes are refused. */
  refuseAbove: number;
};

export const DEFAULT_NETWORK_LIMITS: NetworkLimits = { challengeFrom: 5, refuseAbove: 60 };

/** The votes of other accounts from the network within the last hour, oldest first. */
export type NetworkStanding = { otherVotes: readonly Instant[] };

/** Counts the voter, whether or not they have voted before. */
export function accountsWith({ otherVotes }: NetworkStanding): number {
  return otherVotes.length + 1;
}

/** When the voter will be one of at most `accounts` accounts, if no one else votes meanwhile. */
export function quietAt({ otherVotes }: NetworkStanding, accounts: number, now: Instant): Instant {
  const leaving = otherVotes[otherVotes.length - accounts];
  return leaving === undefined ? now : leaving + NETWORK_WINDOW_MS;
}

/**
 * A challenge is valid for a range of account counts, so that another vote in the meantime rarely makes it too cheap.
 * Each range is twice as long as the previous one and costs twice as much.
 */
export type ChallengeLevel = { cost: number; maxAccounts: number };

export function challengeLevel(
  accounts: number,
  { challengeFrom, refuseAbove }: NetworkLimits,
): ChallengeLevel {
  let cost = 1;
  let next = 2 * challengeFrom;
  while (accounts >= next) {
    cost *= 2;
    next *= 2;
  }
  return { cost, maxAccounts: Math.min(next - 1, refuseAbove) };
}

/** How long a key is used. A vote keeps its hash until the period of its key is KEEP_NETWORK_MS old. */
const KEY_PERIOD_DAYS = 7;
export const KEEP_NETWORK_MS = 30 * DAY_MS;

/** The period of an instant, identified by the number of its first day. */
export function networkPeriod(instant: Instant): number {
  const day = Math.floor(instant / DAY_MS);
  return day - (day % KEY_PERIOD_DAYS);
}

/** Past periods are deleted with their keys a day later, because the clocks of other processes may be behind. */
export function lastUsedPeriod(now: Instant): number {
  return networkPeriod(now - DAY_MS);
}

/** Every hash of an older period is below this text. */
export function oldestKeptNetwork(now: Instant): string {
  const day = Math.ceil((now - KEEP_NETWORK_MS) / DAY_MS);
  return `${day}.`;
}

/** Computing the hash needs both the operator's secret and the salt of the period. */
export function hashNetwork(network: string, period: number, salt: string, secret: Buffer): string {
  const digest = createHmac('sha256', secret).update(`${salt} ${network}`).digest('base64url');
  return `${period}.${digest.slice(0, 16)}`;
}
