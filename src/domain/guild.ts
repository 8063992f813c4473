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
  /** Hidden from the listing since then; everything else works as before. Null: listed. */
  unlistedAt: Instant | null;
  hasKey: boolean;
};

export function hasPremium(guild: Guild, now: Instant): boolean {
  return guild.premiumUntil !== null && now < guild.premiumUntil;
}

/** A sanctioned guild keeps its data, but its key and its pages are disabled. */
export function isActive(guild: Guild): boolean {
  return guild.sanction === null;
}
