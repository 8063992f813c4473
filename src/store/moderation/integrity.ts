/**
 * What decides who may vote, besides the cooldown: guild rules, accounts per network, and challenges.
 *
 *   const { otherVotes } = await store.integrity.networkStanding(network, userId, now);
 *   if (!(await store.integrity.useChallenge(guildId, challengeId, expiresAt))) …   // it was used before
 */
import type { Instant } from '../../domain/clock.ts';
import type { NetworkStanding } from '../../domain/votes/network.ts';

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
  /** The salt of a period. The first proposal is kept, from any process. */
  networkSalt(period: number, offered: string): Promise<string>;
  /** The other accounts that voted from this network within the last hour, for any guild. */
  networkStanding(network: string, userId: string, now: Instant): Promise<NetworkStanding>;
  /** Returns true for the first use only, across processes. */
  useChallenge(guildId: string, challengeId: string, expiresAt: Instant): Promise<boolean>;
  /**
   * Deletes expired challenges, salts of past periods, and expired network hashes, at most `limit` rows per table.
   * Returns the number of rows changed in the table that changed most.
   */
  prune(now: Instant, limit: number): Promise<number>;
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
