import { foldName, isSearchable } from '../shared/fold-name.ts';
import { monthOf } from '../shared/hours.ts';
import { type GuildRow, type KeyRow, toGuild, toStoredKey } from '../shared/rows.ts';
import type { GuildStore, RankedGuild } from '../store.ts';
import type { Connection, Connections } from './connection.ts';
import type { HotCache } from './hot-cache.ts';
import { GUILD_COLUMNS } from './queries.ts';

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
    remove: (guildId) => change(write.remove, guildId),
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
    ranking: createRanking(database.reader),
  };
}

function prepareReads(db: Connection) {
  return {
    list: db.prepare<[], GuildRow>(`SELECT ${GUILD_COLUMNS} FROM guilds ORDER BY guild_id`),
    // The primary key.
    find: db.prepare<[string], GuildRow>(`SELECT ${GUILD_COLUMNS} FROM guilds WHERE guild_id = ?`),
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
    rename: db.prepare('UPDATE guilds SET name = ?, name_folded = ? WHERE guild_id = ?'),
    setUnlisted: db.prepare('UPDATE guilds SET unlisted_at = ? WHERE guild_id = ?'),
    setHidden: db.prepare('UPDATE guilds SET hidden_at = ? WHERE guild_id = ?'),
    // Everything that belongs to a guild is deleted with it: every such table has an index that starts with guild_id.
    remove: db.prepare('DELETE FROM guilds WHERE guild_id = ?'),
    setKey: db.prepare(
      'UPDATE guilds SET key_hash = ?, key_sealed = ?, key_created_at = ? WHERE guild_id = ?',
    ),
    setPremiumUntil: db.prepare('UPDATE guilds SET premium_until = ? WHERE guild_id = ?'),
    setSanction: db.prepare('UPDATE guilds SET sanctioned_at = ?, sanction_reason = ? WHERE guild_id = ?'),
    setDoubling: db.prepare('UPDATE guilds SET doubling = ? WHERE guild_id = ?'),
    setOneRewardPerName: db.prepare('UPDATE guilds SET one_reward_per_name = ? WHERE guild_id = ?'),
  };
}

// instr, unlike LIKE, has no wildcards, and every text contains the empty one. One read of guilds, and the primary
// key of monthly_votes for each.
const RANKING = `
  SELECT guilds.guild_id AS guildId, guilds.name, guilds.icon_version AS icon,
    coalesce(monthly_votes.votes, 0) AS votes
  FROM guilds
  LEFT JOIN monthly_votes ON monthly_votes.guild_id = guilds.guild_id AND monthly_votes.month = @month
  WHERE guilds.sanctioned_at IS NULL AND guilds.unlisted_at IS NULL AND guilds.hidden_at IS NULL
    AND instr(guilds.name_folded, @search) > 0
  ORDER BY coalesce(monthly_votes.votes, 0) DESC, guilds.name_folded, guilds.guild_id
  LIMIT @limit OFFSET @offset`;

export function createRanking(db: Connection): GuildStore['ranking'] {
  const ranking = db.prepare<[object], RankedGuild>(RANKING);
  return async (month, { search, limit, offset }) => {
    if (!isSearchable(search)) return [];
    return ranking.all({ month: monthOf(month), search: foldName(search), limit, offset });
  };
}
