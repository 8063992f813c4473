import { NO_PROFILE } from '../../domain/guild.ts';
import { foldName } from '../../domain/names.ts';
import {
  type GuildIcon,
  type GuildRow,
  type GuildStore,
  type KeyRow,
  type ProfileRow,
  type ProfileStore,
  profileColumns,
  type SeenGuild,
  toGuild,
  toProfile,
  toStoredKey,
} from '../guilds.ts';
import type { Connections, Queryable } from './connection/connection.ts';
import { createRemoval } from './removal.ts';

export const GUILD_COLUMNS = `guild_id, name, created_at, doubling, premium_until, sanctioned_at, sanction_reason,
       one_reward_per_name, unlisted_at, hidden_at, icon_version, key_hash IS NOT NULL AS has_key`;

/** The primary key. A guild that is being removed no longer exists for anyone. */
const EXISTING = 'guild_id = $1 AND removed_at IS NULL';

const SQL = {
  add: `INSERT INTO guilds (guild_id, name, name_folded, created_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT DO NOTHING`,
  list: `SELECT ${GUILD_COLUMNS} FROM guilds WHERE removed_at IS NULL ORDER BY guild_id`,
  // The primary key.
  find: `SELECT ${GUILD_COLUMNS} FROM guilds WHERE ${EXISTING}`,
  // Index guilds_by_key_hash.
  findByKeyHash: `SELECT ${GUILD_COLUMNS} FROM guilds WHERE key_hash = $1`,
  rename: `UPDATE guilds SET name = $2, name_folded = $3 WHERE ${EXISTING}`,
  setUnlisted: `UPDATE guilds SET unlisted_at = $2 WHERE ${EXISTING}`,
  setHidden: `UPDATE guilds SET hidden_at = $2 WHERE ${EXISTING}`,
  setKey: `UPDATE guilds SET key_hash = $2, key_sealed = $3, key_created_at = $4 WHERE ${EXISTING}`,
  findKey: `SELECT key_hash, key_sealed, key_created_at FROM guilds
            WHERE guild_id = $1 AND key_hash IS NOT NULL`,
  setPremiumUntil: `UPDATE guilds SET premium_until = $2 WHERE ${EXISTING}`,
  setSanction: `UPDATE guilds SET sanctioned_at = $2, sanction_reason = $3 WHERE ${EXISTING}`,
  setDoubling: `UPDATE guilds SET doubling = $2 WHERE ${EXISTING}`,
  setOneRewardPerName: `UPDATE guilds SET one_reward_per_name = $2 WHERE ${EXISTING}`,
} as const;

export function createGuildStore(database: Queryable): GuildStore {
  const update = (text: string, ...values: unknown[]) => change(database, text, ...values);

  return {
    add: ({ guildId, name, createdAt }) => update(SQL.add, guildId, name, foldName(name), createdAt),
    async list() {
      const { rows } = await database.query<GuildRow>({ text: SQL.list });
      return rows.map(toGuild);
    },
    async find(guildId) {
      const { rows } = await database.query<GuildRow>({ name: 'guild', text: SQL.find, values: [guildId] });
      return rows.map(toGuild)[0];
    },
    async findByKeyHash(hash) {
      const statement = { name: 'guild-by-key-hash', text: SQL.findByKeyHash, values: [hash] };
      const { rows } = await database.query<GuildRow>(statement);
      return rows.map(toGuild)[0];
    },
    rename: (guildId, name) => update(SQL.rename, guildId, name, foldName(name)),
    setUnlisted: (guildId, since) => update(SQL.setUnlisted, guildId, since),
    setHidden: (guildId, since) => update(SQL.setHidden, guildId, since),
    ...createRemoval(database),
    setKey: (guildId, key) =>
      update(SQL.setKey, guildId, key?.hash ?? null, key?.sealed ?? null, key?.createdAt ?? null),
    async findKey(guildId) {
      const { rows } = await database.query<KeyRow>({ text: SQL.findKey, values: [guildId] });
      return rows.map(toStoredKey)[0];
    },
    setPremiumUntil: (guildId, until) => update(SQL.setPremiumUntil, guildId, until),
    setSanction: (guildId, sanction) =>
      update(SQL.setSanction, guildId, sanction?.since ?? null, sanction?.reason ?? null),
    setDoubling: (guildId, rule) => update(SQL.setDoubling, guildId, rule),
    setOneRewardPerName: (guildId, isOn) => update(SQL.setOneRewardPerName, guildId, isOn),
  };
}

async function change(on: Queryable, text: string, ...values: unknown[]): Promise<boolean> {
  return ((await on.query({ text, values })).rowCount ?? 0) > 0;
}

const PROFILE = 'SELECT guild_id, description, tags, language, invite FROM guild_profiles';

/** Each uses the primary keys. */
const PROFILE_SQL = {
  find: `${PROFILE} WHERE guild_id = $1`,
  findMany: `${PROFILE} WHERE guild_id = ANY($1::text[])`,
  icon: 'SELECT version, type, bytes FROM guild_icons WHERE guild_id = $1',
  seen: `
    SELECT guilds.guild_id AS "guildId", name, discord_name AS "discordName", source AS "iconSource"
    FROM guilds
    LEFT JOIN guild_profiles ON guild_profiles.guild_id = guilds.guild_id
    LEFT JOIN guild_icons ON guild_icons.guild_id = guilds.guild_id
    WHERE guilds.guild_id = ANY($1::text[]) AND removed_at IS NULL`,
  set: `
    INSERT INTO guild_profiles (guild_id, description, tags, language, invite)
    SELECT guild_id, $2, $3, $4, $5 FROM guilds WHERE ${EXISTING}
    ON CONFLICT (guild_id) DO UPDATE SET description = excluded.description, tags = excluded.tags,
      language = excluded.language, invite = excluded.invite`,
  setVersion: `UPDATE guilds SET icon_version = $2 WHERE ${EXISTING}`,
  setIcon: `
    INSERT INTO guild_icons (guild_id, source, version, type, bytes) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (guild_id) DO UPDATE SET source = excluded.source, version = excluded.version,
      type = excluded.type, bytes = excluded.bytes`,
  removeIcon: 'DELETE FROM guild_icons WHERE guild_id = $1',
  setDiscordName: `
    INSERT INTO guild_profiles (guild_id, discord_name)
    SELECT guild_id, $2 FROM guilds WHERE ${EXISTING}
    ON CONFLICT (guild_id) DO UPDATE SET discord_name = excluded.discord_name`,
} as const;

export function createProfileStore(database: Connections): ProfileStore {
  return {
    async find(guildId) {
      const statement = { name: 'profile', text: PROFILE_SQL.find, values: [guildId] };
      const [row] = (await database.query<ProfileRow>(statement)).rows;
      return row ? toProfile(row) : NO_PROFILE;
    },
    async findMany(guildIds) {
      const statement = { name: 'profiles', text: PROFILE_SQL.findMany, values: [guildIds] };
      const { rows } = await database.query<ProfileRow>(statement);
      return new Map(rows.map((row) => [row.guild_id, toProfile(row)]));
    },
    set: (guildId, profile) => change(database, PROFILE_SQL.set, ...profileColumns(guildId, profile)),
    async icon(guildId) {
      return (await database.query<GuildIcon>({ text: PROFILE_SQL.icon, values: [guildId] })).rows[0];
    },
    setIcon: (guildId, icon) =>
      database.transaction(async (tx) => {
        if (!(await change(tx, PROFILE_SQL.setVersion, guildId, icon?.version ?? null))) return false;
        if (!icon) await change(tx, PROFILE_SQL.removeIcon, guildId);
        else await change(tx, PROFILE_SQL.setIcon, guildId, icon.source, icon.version, icon.type, icon.bytes);
        return true;
      }),
    async seen(guildIds) {
      return (await database.query<SeenGuild>({ text: PROFILE_SQL.seen, values: [guildIds] })).rows;
    },
    setDiscordName: (guildId, name) => change(database, PROFILE_SQL.setDiscordName, guildId, name),
  };
}
