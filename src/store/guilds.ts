/** Guilds and their keys, and their profiles for the listing and the public pages. */
import { generateApiKey, hashApiKey, type RandomInt } from '../domain/api-key.ts';
import type { Instant } from '../domain/clock.ts';
import { type Guild, type GuildProfile, readLanguage, type Sanction } from '../domain/guild.ts';
import { type Secrets, seal, unseal } from '../domain/secrets.ts';
import type { DoublingRule } from '../domain/votes/vote.ts';
import type { RemovalStore } from './removal.ts';

export type NewGuild = Pick<Guild, 'guildId' | 'name' | 'createdAt'>;

/** A stored key: the hash finds its guild, the encrypted text can be shown to an admin. */
export type StoredKey = { hash: string; sealed: string; createdAt: Instant };

export interface GuildStore extends RemovalStore {
  /** Returns false, without changes, if the guild is listed already. */
  add(guild: NewGuild): Promise<boolean>;
  /** All guilds, ordered by id. */
  list(): Promise<Guild[]>;
  find(guildId: string): Promise<Guild | undefined>;
  /** The guild of this key, sanctioned or not. */
  findByKeyHash(hash: string): Promise<Guild | undefined>;
  /** Replaces the key; the previous one stops working immediately. `null` leaves the guild without a key. */
  setKey(guildId: string, key: StoredKey | null): Promise<boolean>;
  /** The stored key; `undefined` when the guild has none. */
  findKey(guildId: string): Promise<StoredKey | undefined>;
  rename(guildId: string, name: string): Promise<boolean>;
  /** Removes the guild from the public listing, or restores it with null. Nothing else changes. */
  setUnlisted(guildId: string, since: Instant | null): Promise<boolean>;
  /** The same for its admins: a guild is in the listing if neither they nor the operator have removed it. */
  setHidden(guildId: string, since: Instant | null): Promise<boolean>;
  setPremiumUntil(guildId: string, until: Instant | null): Promise<boolean>;
  setSanction(guildId: string, sanction: Sanction | null): Promise<boolean>;
  setDoubling(guildId: string, rule: DoublingRule): Promise<boolean>;
  setOneRewardPerName(guildId: string, isOn: boolean): Promise<boolean>;
}

/**
 * Gives the guild a new key; the previous one stops working immediately. `undefined` if the guild does not exist. The
 * command line and the dashboard both use this, so a key is always stored in the same two forms.
 */
export async function issueKey(
  { guilds }: { guilds: GuildStore },
  secrets: Secrets,
  guildId: string,
  now: Instant,
  random?: RandomInt,
): Promise<string | undefined> {
  const key = generateApiKey(random);
  const stored = { hash: hashApiKey(key), sealed: seal(key, guildId, secrets.sealKey), createdAt: now };
  return (await guilds.setKey(guildId, stored)) ? key : undefined;
}

/** `other-secret`: the key still works, but it was encrypted with a different master secret. */
export type RevealedKey = { shown: true; key: string } | { shown: false; reason: 'no-key' | 'other-secret' };

export async function revealKey(
  { guilds }: { guilds: GuildStore },
  secrets: Secrets,
  guildId: string,
): Promise<RevealedKey> {
  const stored = await guilds.findKey(guildId);
  if (!stored) return { shown: false, reason: 'no-key' };
  const key = unseal(stored.sealed, guildId, secrets.sealKey);
  return key === undefined ? { shown: false, reason: 'other-secret' } : { shown: true, key };
}

export type IconType = 'image/png' | 'image/webp' | 'image/jpeg' | 'image/gif';

/** `version` is a hash of the bytes, and part of the URL of the icon. */
export type GuildIcon = { version: string; type: IconType; bytes: Buffer };

/** What was last read from Discord about a listed guild. */
export type SeenGuild = {
  guildId: string;
  /** The name on this site. */
  name: string;
  /** The name on Discord; null if it was never read. */
  discordName: string | null;
  /** The identifier that Discord uses for the stored icon; null without one. */
  iconSource: string | null;
};

/**
 *   const profiles = await store.profiles.findMany(guilds.map(({ guildId }) => guildId));
 *   profiles.get(guildId)?.description;   // undefined for a guild without a profile
 */
export interface ProfileStore {
  /** `NO_PROFILE` for a guild without a profile. */
  find(guildId: string): Promise<GuildProfile>;
  /** The profiles of many guilds in one query. Guilds without one are left out. */
  findMany(guildIds: readonly string[]): Promise<Map<string, GuildProfile>>;
  /** Returns false if the guild does not exist. */
  set(guildId: string, profile: GuildProfile): Promise<boolean>;
  icon(guildId: string): Promise<GuildIcon | undefined>;
  /** Replaces the icon, and `Guild.icon` with it; null removes it. Returns false if the guild does not exist. */
  setIcon(guildId: string, icon: (GuildIcon & { source: string }) | null): Promise<boolean>;
  /** The given guilds that are listed on this site. */
  seen(guildIds: readonly string[]): Promise<SeenGuild[]>;
  /** Returns false if the guild does not exist. */
  setDiscordName(guildId: string, name: string): Promise<boolean>;
}

/** A row of `guild_profiles` as both databases return it. */
export type ProfileRow = {
  guild_id: string;
  description: string;
  tags: string;
  language: string | null;
  invite: string | null;
};

export function toProfile({ description, tags, language, invite }: ProfileRow): GuildProfile {
  return { description, tags: tags === '' ? [] : tags.split(','), language: readLanguage(language), invite };
}

/** guild_id, description, tags, language, invite */
export function profileColumns(guildId: string, profile: GuildProfile): (string | null)[] {
  const { description, tags, language, invite } = profile;
  return [guildId, description, tags.join(','), language, invite];
}

/** A row of `guilds` as both databases return it. The column check on `doubling` guarantees its type. */
export type GuildRow = {
  guild_id: string;
  name: string;
  created_at: Instant;
  doubling: DoublingRule;
  one_reward_per_name: boolean | number;
  premium_until: Instant | null;
  sanctioned_at: Instant | null;
  sanction_reason: string | null;
  unlisted_at: Instant | null;
  hidden_at: Instant | null;
  icon_version: string | null;
  has_key: boolean | number;
};

export type KeyRow = { key_hash: string; key_sealed: string; key_created_at: Instant };

export function toGuild(row: GuildRow): Guild {
  return {
    guildId: row.guild_id,
    name: row.name,
    createdAt: row.created_at,
    doubling: row.doubling,
    oneRewardPerName: Boolean(row.one_reward_per_name),
    premiumUntil: row.premium_until,
    sanction: row.sanctioned_at === null ? null : { since: row.sanctioned_at, reason: row.sanction_reason },
    unlistedAt: row.unlisted_at,
    hiddenAt: row.hidden_at,
    icon: row.icon_version,
    hasKey: Boolean(row.has_key),
  };
}

export function toStoredKey(row: KeyRow): StoredKey {
  return { hash: row.key_hash, sealed: row.key_sealed, createdAt: row.key_created_at };
}
