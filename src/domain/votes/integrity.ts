/**
 * What protects the votes of a guild: marks on unusual votes, the age of accounts, networks, reasons to refuse a vote,
 * and voiding. Marks are stored with the vote and shown to admins and operators; they do not block votes.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { DAY_MS, HOUR_MS, type Instant } from '../clock.ts';

/** The bit of each mark in votes.marks. */
export const MARK_BITS = {
  /** The account was less than 30 days old. */
  young_account: 1,
  /** Enough accounts voted from the network within an hour to require a challenge. */
  busy_network: 2,
  /** Another account voted for the same guild under the same name in the previous 24 hours. */
  shared_name: 4,
} as const;

export type VoteMark = keyof typeof MARK_BITS;

export const VOTE_MARKS: readonly VoteMark[] = ['young_account', 'busy_network', 'shared_name'];

export function marksOf(bits: number): VoteMark[] {
  return VOTE_MARKS.filter((mark) => (bits & MARK_BITS[mark]) !== 0);
}

const YOUNG_ACCOUNT_MS = 30 * DAY_MS;

/** How far back another account's vote under the same name counts as sharing it. */
export const SHARED_NAME_MS = DAY_MS;

const DISCORD_EPOCH_MS = 1_420_070_400_000;
const TIMESTAMP_SHIFT = 22n;

/** When a Discord account was created: its id starts with the time. */
function accountCreatedAt(userId: string): Instant {
  return Number(BigInt(userId) >> TIMESTAMP_SHIFT) + DISCORD_EPOCH_MS;
}

/** When an account that is younger than this many days can vote; null if it can now. 0 days: every account can. */
export function youngUntil(userId: string, days: number, now: Instant): Instant | null {
  const canVoteAt = accountCreatedAt(userId) + days * DAY_MS;
  return days > 0 && now < canVoteAt ? canVoteAt : null;
}

/** The marks that depend on the account only. */
export function accountMarks(userId: string, castAt: Instant): number {
  return castAt < accountCreatedAt(userId) + YOUNG_ACCOUNT_MS ? MARK_BITS.young_account : 0;
}

/** Why votes are refused, and what happens to challenges and reminders, as metric labels. */
export const VOTE_REFUSALS = [
  'cooldown',
  'banned',
  'young_account',
  'not_member',
  'membership_unknown',
  'busy_network',
  'challenge',
  'bad_link',
] as const;

export type VoteRefusal = (typeof VOTE_REFUSALS)[number];

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

/** The results of reminders. `refused`: the user accepts no direct messages. */
export const REMINDER_RESULTS = ['sent', 'dropped', 'limited', 'refused', 'retried', 'rejected'] as const;

export type ReminderResult = (typeof REMINDER_RESULTS)[number];

export type ChallengeEvent = (typeof CHALLENGE_EVENTS)[number];

/** Which votes of a guild are voided. `externalId` is compared exactly; `network` is the hash stored with a vote. */
export type VoidSelection =
  | { userId: string }
  | { externalId: string }
  | { mark: VoteMark }
  | { network: string };

/** Describes a batch when it is voided; every `vote_voided` event carries it. */
export type VoidBatch = { batch: string; reason: string | null; voidedAt: Instant };

const BATCH_BYTES = 8;

/** The id of a new batch: random and unguessable. */
export function createBatchId(random: (bytes: number) => Buffer = randomBytes): string {
  return `void_${random(BATCH_BYTES).toString('hex')}`;
}

/** A user who may not vote for any guild. `until` is null for a permanent ban. */
export type Ban = { userId: string; since: Instant; until: Instant | null; reason: string | null };

/** At `until` itself the ban is over. */
export function isBanned(ban: Pick<Ban, 'until'> | undefined, now: Instant): boolean {
  return ban !== undefined && (ban.until === null || now < ban.until);
}

/*
 * Networks of voters: how many accounts one network may use within an hour, what a vote costs there, and the keyed
 * hash that represents a network. A network is an IPv4 address or the /64 of an IPv6 address. Providers assign up to a
 * /48 to one customer, so the /56 and the /48 count too, where several accounts count as one.
 */

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
