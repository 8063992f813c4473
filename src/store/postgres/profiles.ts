import { NO_PROFILE } from '../../domain/guild.ts';
import {
  type GuildIcon,
  type ProfileRow,
  type ProfileStore,
  profileColumns,
  type SeenGuild,
  toProfile,
} from '../profiles.ts';
import type { Connections, Queryable } from './connection/connection.ts';

const PROFILE = 'SELECT guild_id, description, tags, language, invite FROM guild_profiles';

/** Each uses the primary keys. */
const SQL = {
  find: `${PROFILE} WHERE guild_id = $1`,
  findMany: `${PROFILE} WHERE guild_id = ANY($1::text[])`,
  icon: 'SELECT version, type, bytes FROM guild_icons WHERE guild_id = $1',
  seen: `
    SELECT guilds.guild_id AS "guildId", name, discord_name AS "discordName", source AS "iconSource"
    FROM guilds
    LEFT JOIN guild_profiles ON guild_profiles.guild_id = guilds.guild_id
    LEFT JOIN guild_icons ON guild_icons.guild_id = guilds.guild_id
    WHERE guilds.guild_id = ANY($1::text[])`,
  set: `
    INSERT INTO guild_profiles (guild_id, description, tags, language, invite)
    SELECT guild_id, $2, $3, $4, $5 FROM guilds WHERE guild_id = $1
    ON CONFLICT (guild_id) DO UPDATE SET description = excluded.description, tags = excluded.tags,
      language = excluded.language, invite = excluded.invite`,
  setVersion: 'UPDATE guilds SET icon_version = $2 WHERE guild_id = $1',
  setIcon: `
    INSERT INTO guild_icons (guild_id, source, version, type, bytes) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (guild_id) DO UPDATE SET source = excluded.source, version = excluded.version,
      type = excluded.type, bytes = excluded.bytes`,
  removeIcon: 'DELETE FROM guild_icons WHERE guild_id = $1',
  setDiscordName: `
    INSERT INTO guild_profiles (guild_id, discord_name)
    SELECT guild_id, $2 FROM guilds WHERE guild_id = $1
    ON CONFLICT (guild_id) DO UPDATE SET discord_name = excluded.discord_name`,
} as const;

export function createProfileStore(database: Connections): ProfileStore {
  async function change(on: Queryable, text: string, ...values: unknown[]): Promise<boolean> {
    return ((await on.query({ text, values })).rowCount ?? 0) > 0;
  }

  return {
    async find(guildId) {
      const statement = { name: 'profile', text: SQL.find, values: [guildId] };
      const [row] = (await database.query<ProfileRow>(statement)).rows;
      return row ? toProfile(row) : NO_PROFILE;
    },
    async findMany(guildIds) {
      const statement = { name: 'profiles', text: SQL.findMany, values: [guildIds] };
      const { rows } = await database.query<ProfileRow>(statement);
      return new Map(rows.map((row) => [row.guild_id, toProfile(row)]));
    },
    set: (guildId, profile) => change(database, SQL.set, ...profileColumns(guildId, profile)),
    async icon(guildId) {
      return (await database.query<GuildIcon>({ text: SQL.icon, values: [guildId] })).rows[0];
    },
    setIcon: (guildId, icon) =>
      database.transaction(async (inside) => {
        if (!(await change(inside, SQL.setVersion, guildId, icon?.version ?? null))) return false;
        if (!icon) await change(inside, SQL.removeIcon, guildId);
        else await change(inside, SQL.setIcon, guildId, icon.source, icon.version, icon.type, icon.bytes);
        return true;
      }),
    async seen(guildIds) {
      return (await database.query<SeenGuild>({ text: SQL.seen, values: [guildIds] })).rows;
    },
    setDiscordName: (guildId, name) => change(database, SQL.setDiscordName, guildId, name),
  };
}
