import { NO_PROFILE } from '../../domain/guild.ts';
import {
  type GuildIcon,
  type ProfileRow,
  type ProfileStore,
  profileColumns,
  type SeenGuild,
  toProfile,
} from '../profiles.ts';
import { type Connection, type Connections, inTransaction } from './connection.ts';

export function createProfileStore(database: Connections): ProfileStore {
  const read = prepareReads(database.reader);
  const write = prepareWrites(database.writer);
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
      database.write(() =>
        inTransaction(database.writer, () => {
          if (write.setVersion.run(icon?.version ?? null, guildId).changes === 0) return false;
          if (icon) write.setIcon.run(guildId, icon.source, icon.version, icon.type, icon.bytes);
          else write.removeIcon.run(guildId);
          return true;
        }),
      ),
    async seen(guildIds) {
      return read.seen.all(JSON.stringify(guildIds));
    },
    setDiscordName: (guildId, name) =>
      database.write(() => write.setDiscordName.run(guildId, name).changes > 0),
  };
}

const PROFILE = 'SELECT guild_id, description, tags, language, invite FROM guild_profiles';

/** Each uses the primary keys. */
function prepareReads(db: Connection) {
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
       WHERE guilds.guild_id IN (SELECT value FROM json_each(?))`,
    ),
  };
}

function prepareWrites(db: Connection) {
  return {
    set: db.prepare(
      `INSERT INTO guild_profiles (guild_id, description, tags, language, invite)
       SELECT * FROM (VALUES (?, ?, ?, ?, ?)) WHERE EXISTS (SELECT 1 FROM guilds WHERE guild_id = column1)
       ON CONFLICT (guild_id) DO UPDATE SET description = excluded.description, tags = excluded.tags,
         language = excluded.language, invite = excluded.invite`,
    ),
    setVersion: db.prepare('UPDATE guilds SET icon_version = ? WHERE guild_id = ?'),
    setIcon: db.prepare(
      `INSERT INTO guild_icons (guild_id, source, version, type, bytes) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (guild_id) DO UPDATE SET source = excluded.source, version = excluded.version,
         type = excluded.type, bytes = excluded.bytes`,
    ),
    removeIcon: db.prepare('DELETE FROM guild_icons WHERE guild_id = ?'),
    setDiscordName: db.prepare(
      `INSERT INTO guild_profiles (guild_id, discord_name)
       SELECT * FROM (VALUES (?, ?)) WHERE EXISTS (SELECT 1 FROM guilds WHERE guild_id = column1)
       ON CONFLICT (guild_id) DO UPDATE SET discord_name = excluded.discord_name`,
    ),
  };
}
