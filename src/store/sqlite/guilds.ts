import { type GuildRow, type KeyRow, toGuild, toStoredKey } from '../rows.ts';
import type { GuildStore } from '../store.ts';
import type { Connection } from './connection.ts';

const COLUMNS = `guild_id, name, created_at, doubling, premium_until, sanctioned_at, sanction_reason,
       key_hash IS NOT NULL AS has_key`;

export function createGuildStore(db: Connection): GuildStore {
  const sql = prepare(db);
  return {
    async add({ guildId, name, createdAt }) {
      return sql.add.run(guildId, name, createdAt).changes > 0;
    },
    async list() {
      return sql.list.all().map(toGuild);
    },
    async find(guildId) {
      const row = sql.find.get(guildId);
      return row && toGuild(row);
    },
    async findByKeyHash(hash) {
      const row = sql.findByKeyHash.get(hash);
      return row && toGuild(row);
    },
    async remove(guildId) {
      return sql.remove.run(guildId).changes > 0;
    },
    async setKey(guildId, key) {
      const values = key ? [key.hash, key.sealed, key.createdAt] : [null, null, null];
      return sql.setKey.run(...values, guildId).changes > 0;
    },
    async findKey(guildId) {
      const row = sql.findKey.get(guildId);
      return row && toStoredKey(row);
    },
    async setPremiumUntil(guildId, until) {
      return sql.setPremiumUntil.run(until, guildId).changes > 0;
    },
    async setSanction(guildId, sanction) {
      return sql.setSanction.run(sanction?.since ?? null, sanction?.reason ?? null, guildId).changes > 0;
    },
    async setDoubling(guildId, rule) {
      return sql.setDoubling.run(rule, guildId).changes > 0;
    },
  };
}

function prepare(db: Connection) {
  return {
    add: db.prepare(
      'INSERT INTO guilds (guild_id, name, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    list: db.prepare<[], GuildRow>(`SELECT ${COLUMNS} FROM guilds ORDER BY guild_id`),
    // The primary key.
    find: db.prepare<[string], GuildRow>(`SELECT ${COLUMNS} FROM guilds WHERE guild_id = ?`),
    // Index guilds_by_key_hash.
    findByKeyHash: db.prepare<[string], GuildRow>(`SELECT ${COLUMNS} FROM guilds WHERE key_hash = ?`),
    // Votes and cooldowns go with their guild: both tables' primary keys lead with guild_id.
    remove: db.prepare('DELETE FROM guilds WHERE guild_id = ?'),
    setKey: db.prepare(
      'UPDATE guilds SET key_hash = ?, key_sealed = ?, key_created_at = ? WHERE guild_id = ?',
    ),
    findKey: db.prepare<[string], KeyRow>(
      `SELECT key_hash, key_sealed, key_created_at FROM guilds
       WHERE guild_id = ? AND key_hash IS NOT NULL`,
    ),
    setPremiumUntil: db.prepare('UPDATE guilds SET premium_until = ? WHERE guild_id = ?'),
    setSanction: db.prepare('UPDATE guilds SET sanctioned_at = ?, sanction_reason = ? WHERE guild_id = ?'),
    setDoubling: db.prepare('UPDATE guilds SET doubling = ? WHERE guild_id = ?'),
  };
}
