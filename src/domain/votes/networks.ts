/**
 * Networks of voters: how many accounts one network may use within an hour, what a vote costs there, and the keyed
 * hash that represents a network. A network is an IPv4 address or the /64 of an IPv6 address. Providers assign up to a
 * /48 to one customer, so the /56 and the /48 count too, where several accounts count as one.
 */
import { createHmac } from 'node:crypto';
import { DAY_MS, HOUR_MS, type Instant } from '../clock.ts';

export const NETWORK_WINDOW_MS = HOUR_MS;

/** Each limit is a number of distinct accounts per hour, including the voter. Infinity disables a limit. */
export type NetworkLimits = {
  /** From this many on, a vote needs a solved challenge. */
  challengeFrom: number;
  /** Above this many, votes are refused. */
  refuseAbove: number;
};

export const DEFAULT_NETWORK_LIMITS: NetworkLimits = { challengeFrom: 5, refuseAbove: 60 };

/** The votes of other accounts from the network within the last hour, oldest first. */
export type NetworkUsage = { otherVotes: readonly Instant[] };

/** The usage of the networks of one voter. */
export type WeightedUsage = NetworkUsage & { weight: number };

/** The count that limits apply to: of the network where it is highest. `accounts` include the voter. */
export function weightedCount(networks: readonly { accounts: number; weight: number }[]): number {
  return Math.max(0, ...networks.map(({ accounts, weight }) => Math.floor(accounts / weight)));
}

/** The accounts of a network that count as at most `count`. */
export function accountLimit(count: number, weight: number): number {
  return weight * (count + 1) - 1;
}

/** Counts the voter, whether or not they have voted before. */
export function countAccounts(usages: readonly WeightedUsage[]): number {
  return weightedCount(usages.map(({ otherVotes, weight }) => ({ accounts: otherVotes.length + 1, weight })));
}

/** When the voter will be one of at most `accounts` accounts, if nobody else votes until then. */
export function belowLimitAt(usages: readonly WeightedUsage[], accounts: number, now: Instant): Instant {
  const times = usages.map(({ otherVotes, weight }) => {
    const leaving = otherVotes[otherVotes.length - accountLimit(accounts, weight)];
    return leaving === undefined ? now : leaving + NETWORK_WINDOW_MS;
  });
  return Math.max(now, ...times);
}

/** How long a key is used. A vote keeps its hash until the period of its key is KEEP_NETWORK_MS old. */
const KEY_PERIOD_DAYS = 7;
const KEEP_NETWORK_MS = 30 * DAY_MS;

/** The period of an instant, identified by the number of its first day. */
export function networkPeriod(instant: Instant): number {
  const day = Math.floor(instant / DAY_MS);
  return day - (day % KEY_PERIOD_DAYS);
}

/** Past periods are deleted with their keys a day later, because the clocks of other processes may be behind. */
export function lastUsedPeriod(now: Instant): number {
  return networkPeriod(now - DAY_MS);
}

/** Every hash of an older period sorts before this text. */
export function oldestKeptNetwork(now: Instant): string {
  const day = Math.ceil((now - KEEP_NETWORK_MS) / DAY_MS);
  return `${day}.`;
}

/** Computing the hash needs both the operator's secret and the salt of the period. */
export function hashNetwork(network: string, period: number, salt: string, secret: Buffer): string {
  const digest = createHmac('sha256', secret).update(`${salt} ${network}`).digest('base64url');
  return `${period}.${digest.slice(0, 16)}`;
}
