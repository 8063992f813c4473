/**
 * What decides who may vote, besides the cooldown: guild rules, secrets of signed vote links, accounts per network,
 * and challenges.
 *
 *   const { otherVotes } = await store.integrity.networkUsage(network, userId, now);
 *   if (!(await store.integrity.useChallenge(guildId, challengeId, expiresAt))) …   // it was used before
 */

import { randomBytes } from 'node:crypto';
import { setImmediate as yieldToRequests } from 'node:timers/promises';
import { DAY_MS, type Instant } from '../../domain/clock.ts';
import { linkSecretContext, type Secrets, seal, unseal } from '../../domain/secrets.ts';
import { MARK_BITS, marksOf, type VoteMark } from '../../domain/votes/marks.ts';
import type { NetworkUsage } from '../../domain/votes/networks.ts';
import type { Period } from '../../domain/votes/period.ts';
import type { Vote } from '../../domain/votes/vote.ts';

/** What a guild requires of voters, in addition to the rules of the site. */
export type GuildRules = {
  minAccountAgeDays: number;
  membersOnly: boolean;
  signedLinksOnly: boolean;
};

export const NO_RULES: GuildRules = { minAccountAgeDays: 0, membersOnly: false, signedLinksOnly: false };

/** The sealed secrets that sign vote links; the previous one is valid until `previousUntil`. */
export type SealedLinkSecrets = { current: string; previous: string | null; previousUntil: Instant | null };

export interface IntegrityStore {
  /** `NO_RULES` for a guild without rules. */
  rules(guildId: string): Promise<GuildRules>;
  /** Returns false if the guild does not exist. */
  setRules(guildId: string, rules: GuildRules): Promise<boolean>;
  linkSecrets(guildId: string): Promise<SealedLinkSecrets | undefined>;
  setLinkSecrets(guildId: string, secrets: SealedLinkSecrets): Promise<boolean>;
  /** The salt of a period: the first one that any process offered. */
  networkSalt(period: number, offered: string): Promise<string>;
  /** The other accounts that voted from this network within the last hour, for any guild. */
  networkUsage(network: string, userId: string, now: Instant): Promise<NetworkUsage>;
  /** Returns true for the first use only, across processes. */
  useChallenge(guildId: string, challengeId: string, expiresAt: Instant): Promise<boolean>;
  /**
   * Deletes expired challenges, salts of past periods, and expired network hashes, at most `limit` rows per table.
   * Returns the number of rows changed in the table that changed most.
   */
  prune(now: Instant, limit: number): Promise<number>;
}

const LINK_SECRET_BYTES = 32;

/** Links that were signed before a rotation stay valid for this long, unless the old secret is revoked. */
const LINK_SECRET_GRACE_MS = 7 * DAY_MS;

/** Gives the guild a new secret for vote links. */
export async function rotateLinkSecret(
  { integrity }: { integrity: IntegrityStore },
  secrets: Secrets,
  guildId: string,
  now: Instant,
): Promise<string> {
  const secret = `vls_${randomBytes(LINK_SECRET_BYTES).toString('base64url')}`;
  const previous = (await integrity.linkSecrets(guildId))?.current ?? null;
  await integrity.setLinkSecrets(guildId, {
    current: seal(secret, linkSecretContext(guildId), secrets.sealKey),
    previous,
    previousUntil: previous === null ? null : now + LINK_SECRET_GRACE_MS,
  });
  return secret;
}

/** From now on, only links signed with the current secret work. */
export async function revokePreviousLinkSecret(
  { integrity }: { integrity: IntegrityStore },
  guildId: string,
): Promise<void> {
  const stored = await integrity.linkSecrets(guildId);
  if (stored) await integrity.setLinkSecrets(guildId, { ...stored, previous: null, previousUntil: null });
}

/** The secrets that sign valid links, the current one first. Secrets that cannot be decrypted are left out. */
export async function revealLinkSecrets(
  { integrity }: { integrity: IntegrityStore },
  secrets: Secrets,
  guildId: string,
  now: Instant,
): Promise<string[]> {
  const stored = await integrity.linkSecrets(guildId);
  if (!stored) return [];
  const isPreviousValid = stored.previousUntil !== null && now < stored.previousUntil;
  return [stored.current, isPreviousValid ? stored.previous : null]
    .map((sealed) => (sealed === null ? undefined : openLinkSecret(sealed, guildId, secrets)))
    .filter((secret) => secret !== undefined);
}

/** `undefined` when it was encrypted with a different master secret. */
export function openLinkSecret(sealed: string, guildId: string, { sealKey }: Secrets): string | undefined {
  return unseal(sealed, linkSecretContext(guildId), sealKey);
}

/** A row of `guild_rules` as both databases return it. */
export type RulesRow = {
  min_account_age_days: number;
  members_only: boolean | number;
  signed_links_only: boolean | number;
};

export type LinkSecretsRow = {
  link_secret: string;
  previous_link_secret: string | null;
  previous_link_secret_until: Instant | null;
};

export function toRules(row: RulesRow | undefined): GuildRules {
  if (!row) return NO_RULES;
  return {
    minAccountAgeDays: row.min_account_age_days,
    membersOnly: Boolean(row.members_only),
    signedLinksOnly: Boolean(row.signed_links_only),
  };
}

export function toLinkSecrets(row: LinkSecretsRow | undefined): SealedLinkSecrets | undefined {
  if (!row) return undefined;
  return {
    current: row.link_secret,
    previous: row.previous_link_secret,
    previousUntil: row.previous_link_secret_until,
  };
}

export type MarkedVote = Vote & { marks: VoteMark[] };

/** Marked votes of all guilds are listed by time, then guild, then user. */
export type MarkedPosition = Pick<Vote, 'castAt' | 'guildId' | 'userId'>;

/** `next`: where the next page starts; null for the last page. It can be set even if no vote with the mark is left. */
export type MarkedPage = { votes: MarkedVote[]; next: MarkedPosition | null };

/** Votes of a UTC day with each mark. */
export type MarkedDay = { day: Instant } & Record<VoteMark, number>;

export type GuildSummary = {
  /** Days with marked votes, in order. Only the newest `MAX_SUMMED` marked votes are counted. */
  days: MarkedDay[];
  /** The names with the most votes marked `shared_name`. */
  sharedNames: { name: string; votes: number }[];
  /** The number of networks that votes marked `busy_network` came from, as far as they are still known. */
  busyNetworks: number;
};

export type HourlyVotes = { hour: Instant; votes: number; doubled: number };

export const MAX_SUMMED = 10_000;
/** Names and networks are read from the votes themselves, not only from the index. */
export const MAX_EXAMINED = 1000;
export const MAX_NAMES = 5;

/**
 * Marked votes, for review by admins and operators. Networks are counted here and never returned.
 *
 *   const { votes, next } = await store.unusual.list('busy_network', null, 50);
 */
export interface UnusualStore {
  /**
   * The newest marked votes of all guilds, from just before `before`; with this mark, or with any mark when it is null.
   */
  list(mark: VoteMark | null, before: MarkedPosition | null, limit: number): Promise<MarkedPage>;
  summarize(guildId: string, from: Instant): Promise<GuildSummary>;
  /** Votes per UTC hour in the period, marked or not, without empty hours. */
  hourly(guildId: string, period: Period): Promise<HourlyVotes[]>;
}

/** Takes a millisecond or two, because only the index is read. */
const SCANNED_AT_ONCE = 2000;
/** The scans per page: with a rare mark, a page can end early, and the next one continues. */
const MAX_SCANS = 50;

const ALL_MARKS = MARK_BITS.young_account | MARK_BITS.busy_network | MARK_BITS.shared_name;

export type MarkedScan = { before: MarkedPosition; bits: number; limit: number };

/** `place`: the position among the scanned votes, starting at 1. */
export type ScannedVote = MarkedPosition & { bits: number; place: number };

/** How a database reads marked votes. */
export type MarkedReader = {
  /** Reads `limit` votes from the index only. Returns those with one of the marks, and always the last one. */
  scan(scan: MarkedScan): Promise<ScannedVote[]>;
  /** In the given order; votes that were removed in the meantime are omitted. */
  load(positions: readonly MarkedPosition[]): Promise<(Vote & { bits: number })[]>;
};

/** Reads marked votes until a page is full. */
export async function scanMarked(
  { scan, load }: MarkedReader,
  mark: VoteMark | null,
  before: MarkedPosition | null,
  limit: number,
): Promise<MarkedPage> {
  const found: MarkedPosition[] = [];
  const pageUntil = async (next: MarkedPosition | null): Promise<MarkedPage> => {
    const votes = await load(found);
    return { votes: votes.map(({ bits, ...vote }) => ({ ...vote, marks: marksOf(bits) })), next };
  };
  const wanted =
    mark === null ? { bits: ALL_MARKS, limit: limit + 1 } : { bits: MARK_BITS[mark], limit: SCANNED_AT_ONCE };
  let position = before ?? { castAt: Number.MAX_SAFE_INTEGER, guildId: '', userId: '' };
  for (let scans = 0; scans < MAX_SCANS; scans += 1) {
    const scanned = await scan({ before: position, ...wanted });
    for (const vote of scanned) {
      if ((vote.bits & wanted.bits) === 0) continue;
      if (found.length === limit) return pageUntil(found.at(-1) ?? null);
      found.push(vote);
    }
    const last = scanned.at(-1);
    if (last?.place !== wanted.limit) return pageUntil(null);
    position = last;
    await yieldToRequests();
  }
  return pageUntil(position);
}
