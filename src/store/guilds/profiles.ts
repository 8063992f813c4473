/** The profiles of guilds, for the listing and the public pages. */
import { type GuildProfile, NO_PROFILE, readLanguage } from '../../domain/guild.ts';
import type { Database } from '../database.ts';
import { EXISTING_GUILD } from './guilds.ts';

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

export interface ProfileStore {
  /** `NO_PROFILE` for a guild without a profile. */
  find(guildId: string): Promise<GuildProfile>;
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

type ProfileRow = {
  guild_id: string;
  description: string;
  tags: string;
  language: string | null;
  invite: string | null;
  about: string;
  /** One per line. */
  links: string;
};

function toProfile({ tags, language, links, guild_id: _guildId, ...row }: ProfileRow): GuildProfile {
  return {
    ...row,
    tags: tags === '' ? [] : tags.split(','),
    language: readLanguage(language),
    links: links === '' ? [] : links.split('\n'),
  };
}

export function createProfileStore(database: Database): ProfileStore {
  const sql = prepare(database);
  return {
    async find(guildId) {
      return (await sql.find({ guildId })).map(toProfile)[0] ?? NO_PROFILE;
    },
    async set(guildId, { description, tags, language, invite, about, links }) {
      const lists = { tags: tags.join(','), links: links.join('\n') };
      return (await sql.set({ guildId, description, language, invite, about, ...lists })) > 0;
    },
    async icon(guildId) {
      return (await sql.icon({ guildId }))[0];
    },
    async setIcon(guildId, icon) {
      const [guilds = 0] = icon
        ? await sql.setIcon({ guildId, ...icon })
        : await sql.removeIcon({ guildId, version: null });
      return guilds > 0;
    },
    seen: (guildIds) => sql.seen({ guildIds }),
    async setDiscordName(guildId, name) {
      return (await sql.setDiscordName({ guildId, name })) > 0;
    },
  };
}

const PROFILE = 'SELECT guild_id, description, tags, language, invite, about, links FROM guild_profiles';
const SET_VERSION = `UPDATE guilds SET icon_version = @version WHERE ${EXISTING_GUILD}`;

/** Each uses the primary keys. */
function prepare({ read, write, transaction, dialect: { inList } }: Database) {
  return {
    find: read<ProfileRow>(`${PROFILE} WHERE guild_id = @guildId`, 'profile'),
    icon: read<GuildIcon>('SELECT version, type, bytes FROM guild_icons WHERE guild_id = @guildId'),
    seen: read<SeenGuild>(`
      SELECT guilds.guild_id AS "guildId", name, discord_name AS "discordName", source AS "iconSource"
      FROM guilds
      LEFT JOIN guild_profiles ON guild_profiles.guild_id = guilds.guild_id
      LEFT JOIN guild_icons ON guild_icons.guild_id = guilds.guild_id
      WHERE guilds.guild_id ${inList('@guildIds')} AND removed_at IS NULL`),
    set: write(`
      INSERT INTO guild_profiles (guild_id, description, tags, language, invite, about, links)
      SELECT guild_id, @description, @tags, @language, @invite, @about, @links FROM guilds WHERE ${EXISTING_GUILD}
      ON CONFLICT (guild_id) DO UPDATE SET description = excluded.description, tags = excluded.tags,
        language = excluded.language, invite = excluded.invite, about = excluded.about, links = excluded.links`),
    setIcon: transaction(
      SET_VERSION,
      `INSERT INTO guild_icons (guild_id, source, version, type, bytes)
       VALUES (@guildId, @source, @version, @type, @bytes)
       ON CONFLICT (guild_id) DO UPDATE SET source = excluded.source, version = excluded.version,
         type = excluded.type, bytes = excluded.bytes`,
    ),
    removeIcon: transaction(SET_VERSION, 'DELETE FROM guild_icons WHERE guild_id = @guildId'),
    setDiscordName: write(`
      INSERT INTO guild_profiles (guild_id, discord_name)
      SELECT guild_id, @name FROM guilds WHERE ${EXISTING_GUILD}
      ON CONFLICT (guild_id) DO UPDATE SET discord_name = excluded.discord_name`),
  };
}
