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
import type { Connection, Connections } from './connection.ts';
import type { HotCache } from './hot-cache.ts';
import { GUILD_COLUMNS } from './queries.ts';
import { createRemoval } from './removal.ts';

/** The primary key. A guild that is being removed no longer exists for anyone. */
const EXISTING = 'guild_id = ? AND removed_at IS NULL';

type Statement = ReturnType<typeof prepareWrites>['add'];

export function createGuildStore(database: Connections, cache: HotCache): GuildStore {
  const read = prepareReads(database.reader);
  const write = prepareWrites(database.writer);

  function change(statement: Statement, ...values: unknown[]): Promise<boolean> {
    return database.write(() => statement.run(...values).changes > 0);
  }

  return {
    add: ({ guildId, name, createdAt }) => change(write.add, guildId, name, foldName(name), createdAt),
    async list() {
      return read.list.all().map(toGuild);
    },
    async find(guildId) {
      const row = read.find.get(guildId);
      return row && toGuild(row);
    },
    async findByKeyHash(hash) {
      return cache.guildByKeyHash(hash);
    },
    rename: (guildId, name) => change(write.rename, name, foldName(name), guildId),
    setUnlisted: (guildId, since) => change(write.setUnlisted, since, guildId),
    setHidden: (guildId, since) => change(write.setHidden, since, guildId),
    ...createRemoval(database),
    setKey: (guildId, key) =>
      change(write.setKey, key?.hash ?? null, key?.sealed ?? null, key?.createdAt ?? null, guildId),
    async findKey(guildId) {
      const row = read.findKey.get(guildId);
      return row && toStoredKey(row);
    },
    setPremiumUntil: (guildId, until) => change(write.setPremiumUntil, until, guildId),
    setSanction: (guildId, sanction) =>
      change(write.setSanction, sanction?.since ?? null, sanction?.reason ?? null, guildId),
    setDoubling: (guildId, rule) => change(write.setDoubling, rule, guildId),
    setOneRewardPerName: (guildId, isOn) => change(write.setOneRewardPerName, Number(isOn), guildId),
  };
}

function prepareReads(db: Connection) {
  return {
    list: db.prepare<[], GuildRow>(
      `SELECT ${GUILD_COLUMNS} FROM guilds WHERE removed_at IS NULL ORDER BY guild_id`,
    ),
    // The primary key.
    find: db.prepare<[string], GuildRow>(`SELECT ${GUILD_COLUMNS} FROM guilds WHERE ${EXISTING}`),
    findKey: db.prepare<[string], KeyRow>(
      `SELECT key_hash, key_sealed, key_created_at FROM guilds
       WHERE guild_id = ? AND key_hash IS NOT NULL`,
    ),
  };
}

function prepareWrites(db: Connection) {
  return {
    add: db.prepare(
      `INSERT INTO guilds (guild_id, name, name_folded, created_at) VALUES (?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
    ),
    rename: db.prepare(`UPDATE guilds SET name = ?, name_folded = ? WHERE ${EXISTING}`),
    setUnlisted: db.prepare(`UPDATE guilds SET unlisted_at = ? WHERE ${EXISTING}`),
    setHidden: db.prepare(`UPDATE guilds SET hidden_at = ? WHERE ${EXISTING}`),
    setKey: db.prepare(
      `UPDATE guilds SET key_hash = ?, key_sealed = ?, key_created_at = ? WHERE ${EXISTING}`,
    ),
    setPremiumUntil: db.prepare(`UPDATE guilds SET premium_until = ? WHERE ${EXISTING}`),
    setSanction: db.prepare(`UPDATE guilds SET sanctioned_at = ?, sanction_reason = ? WHERE ${EXISTING}`),
    setDoubling: db.prepare(`UPDATE guilds SET doubling = ? WHERE ${EXISTING}`),
    setOneRewardPerName: db.prepare(`UPDATE guilds SET one_reward_per_name = ? WHERE ${EXISTING}`),
  };
}

export function createProfileStore(database: Connections): ProfileStore {
  const read = prepareProfileReads(database.reader);
  const write = prepareProfileWrites(database.writer);
  return {
    async find(guildId) {
      const row = read.find.get(guildId);
      return row ? toProfile(row) : NO_PROFILE;
    },
    async findMany(guildIds) {
      const rows = read.findMany.all(JSON.stringify(guildIds));
      return new Map(rows.map((row) => [row.guild_id, toProfile(row)]));
    },
    set: (guildId, profile) =>
      database.write(() => write.set.run(...profileColumns(guildId, profile)).changes > 0),
    async icon(guildId) {
      return read.icon.get(guildId);
    },
    setIcon: (guildId, icon) =>
      database.transaction(() => {
        if (write.setVersion.run(icon?.version ?? null, guildId).changes === 0) return false;
        if (icon) write.setIcon.run(guildId, icon.source, icon.version, icon.type, icon.bytes);
        else write.removeIcon.run(guildId);
        return true;
      }),
    async seen(guildIds) {
      return read.seen.all(JSON.stringify(guildIds));
    },
    setDiscordName: (guildId, name) =>
      database.write(() => write.setDiscordName.run(guildId, name).changes > 0),
  };
}

const PROFILE = 'SELECT guild_id, description, tags, language, invite FROM guild_profiles';

/** Each uses the primary keys. */
function prepareProfileReads(db: Connection) {
  return {
    find: db.prepare<[string], ProfileRow>(`${PROFILE} WHERE guild_id = ?`),
    findMany: db.prepare<[string], ProfileRow>(
      `${PROFILE} WHERE guild_id IN (SELECT value FROM json_each(?))`,
    ),
    icon: db.prepare<[string], GuildIcon>('SELECT version, type, bytes FROM guild_icons WHERE guild_id = ?'),
    seen: db.prepare<[string], SeenGuild>(
      `SELECT guilds.guild_id AS guildId, name, discord_name AS discordName, source AS iconSource
       FROM guilds
       LEFT JOIN guild_profiles ON guild_profiles.guild_id = guilds.guild_id
       LEFT JOIN guild_icons ON guild_icons.guild_id = guilds.guild_id
       WHERE guilds.guild_id IN (SELECT value FROM json_each(?)) AND removed_at IS NULL`,
    ),
  };
}

function prepareProfileWrites(db: Connection) {
  return {
    set: db.prepare(
      `INSERT INTO guild_profiles (guild_id, description, tags, language, invite)
       SELECT * FROM (VALUES (?, ?, ?, ?, ?)) WHERE EXISTS (SELECT 1 FROM guilds WHERE guild_id = column1 AND removed_at IS NULL)
       ON CONFLICT (guild_id) DO UPDATE SET description = excluded.description, tags = excluded.tags,
         language = excluded.language, invite = excluded.invite`,
    ),
    setVersion: db.prepare(`UPDATE guilds SET icon_version = ? WHERE ${EXISTING}`),
    setIcon: db.prepare(
      `INSERT INTO guild_icons (guild_id, source, version, type, bytes) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (guild_id) DO UPDATE SET source = excluded.source, version = excluded.version,
         type = excluded.type, bytes = excluded.bytes`,
    ),
    removeIcon: db.prepare('DELETE FROM guild_icons WHERE guild_id = ?'),
    setDiscordName: db.prepare(
      `INSERT INTO guild_profiles (guild_id, discord_name)
       SELECT * FROM (VALUES (?, ?)) WHERE EXISTS (SELECT 1 FROM guilds WHERE guild_id = column1 AND removed_at IS NULL)
       ON CONFLICT (guild_id) DO UPDATE SET discord_name = excluded.discord_name`,
    ),
  };
}
