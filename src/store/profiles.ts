/**
 * What the listing and the public page of a guild show besides its name and votes.
 *
 *   const profiles = await store.profiles.findMany(guilds.map(({ guildId }) => guildId));
 *   profiles.get(guildId)?.description;   // undefined for a guild that says nothing about itself
 */
import { type GuildProfile, readLanguage } from '../domain/guild.ts';

export type IconType = 'image/png' | 'image/webp' | 'image/jpeg' | 'image/gif';

/** `version` is a hash of the bytes, and part of the URL of the icon. */
export type GuildIcon = { version: string; type: IconType; bytes: Buffer };

/** What was last read from Discord about a listed guild. */
export type SeenGuild = {
  guildId: string;
  /** The name here. */
  name: string;
  /** The name on Discord; null if it was never read. */
  discordName: string | null;
  /** What Discord calls the icon that is stored; null without one. */
  iconSource: string | null;
};

export interface ProfileStore {
  /** `NO_PROFILE` for a guild that says nothing about itself. */
  find(guildId: string): Promise<GuildProfile>;
  /** The profiles of many guilds in one query. Guilds without one are left out. */
  findMany(guildIds: readonly string[]): Promise<Map<string, GuildProfile>>;
  /** Returns false if the guild does not exist. */
  set(guildId: string, profile: GuildProfile): Promise<boolean>;
  icon(guildId: string): Promise<GuildIcon | undefined>;
  /** Replaces the icon, and `Guild.icon` with it; null removes it. Returns false if the guild does not exist. */
  setIcon(guildId: string, icon: (GuildIcon & { source: string }) | null): Promise<boolean>;
  /** Those of the guilds that are listed here. */
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
