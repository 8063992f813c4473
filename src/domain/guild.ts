import type { Instant } from './clock.ts';
import type { DoublingRule } from './votes/vote.ts';

export type Sanction = { since: Instant; reason: string | null };

/** A community server listed on the site. */
export type Guild = {
  guildId: string;
  name: string;
  createdAt: Instant;
  doubling: DoublingRule;
  /** Votes under one name that are less than an hour apart earn one reward when claimed by name. */
  oneRewardPerName: boolean;
  premiumUntil: Instant | null;
  sanction: Sanction | null;
  /** Removed from the listing by the operator since then; everything else works as before. */
  unlistedAt: Instant | null;
  /** The same, by its own admins. */
  hiddenAt: Instant | null;
  /** The version of its icon, which is part of the icon's URL. Null: it has none. */
  icon: string | null;
  hasKey: boolean;
};

/** Whether the guild is in the public listing. */
export function isListed({ sanction, unlistedAt, hiddenAt }: Guild): boolean {
  return sanction === null && unlistedAt === null && hiddenAt === null;
}

export function hasPremium(guild: Guild, now: Instant): boolean {
  return guild.premiumUntil !== null && now < guild.premiumUntil;
}

/** A sanctioned guild keeps its data, but its key and its pages are disabled. */
export function isActive(guild: Guild): boolean {
  return guild.sanction === null;
}
