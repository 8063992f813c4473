import { foldName, isSearchable } from '../shared/fold-name.ts';
import { monthOf } from '../shared/hours.ts';
import { type GuildRow, type KeyRow, toGuild, toStoredKey } from '../shared/rows.ts';
import type { GuildStore, RankedGuild } from '../store.ts';
import type { Queryable } from './connection/connection.ts';

export const GUILD_COLUMNS = `guild_id, name, created_at, doubling, premium_until, sanctioned_at, sanction_reason,
       one_reward_per_name, unlisted_at, hidden_at, icon_version, key_hash IS NOT NULL AS has_key`;

const SQL = {
  add: `INSERT INTO guilds (guild_id, name, name_folded, created_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT DO NOTHING`,
  list: `SELECT ${GUILD_COLUMNS} FROM guilds ORDER BY guild_id`,
  // The primary key.
  find: `SELECT ${GUILD_COLUMNS} FROM guilds WHERE guild_id = $1`,
  // Index guilds_by_key_hash.
  findByKeyHash: `SELECT ${GUILD_COLUMNS} FROM guilds WHERE key_hash = $1`,
  rename: 'UPDATE guilds SET name = $2, name_folded = $3 WHERE guild_id = $1',
  setUnlisted: 'UPDATE guilds SET unlisted_at = $2 WHERE guild_id = $1',
  setHidden: 'UPDATE guilds SET hidden_at = $2 WHERE guild_id = $1',
  // Everything that belongs to a guild is deleted with it: every such table has an index that starts with guild_id.
  remove: 'DELETE FROM guilds WHERE guild_id = $1',
  setKey: 'UPDATE guilds SET key_hash = $2, key_sealed = $3, key_created_at = $4 WHERE guild_id = $1',
  findKey: `SELECT key_hash, key_sealed, key_created_at FROM guilds
            WHERE guild_id = $1 AND key_hash IS NOT NULL`,
  setPremiumUntil: 'UPDATE guilds SET premium_until = $2 WHERE guild_id = $1',
  setSanction: 'UPDATE guilds SET sanctioned_at = $2, sanction_reason = $3 WHERE guild_id = $1',
  setDoubling: 'UPDATE guilds SET doubling = $2 WHERE guild_id = $1',
  setOneRewardPerName: 'UPDATE guilds SET one_reward_per_name = $2 WHERE guild_id = $1',
} as const;

export function createGuildStore(database: Queryable): GuildStore {
  async function change(text: string, ...values: unknown[]): Promise<boolean> {
    const { rowCount } = await database.query({ text, values });
    return rowCount !== null && rowCount > 0;
  }

  return {
    add: ({ guildId, name, createdAt }) => change(SQL.add, guildId, name, foldName(name), createdAt),
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
    rename: (guildId, name) => change(SQL.rename, guildId, name, foldName(name)),
    setUnlisted: (guildId, since) => change(SQL.setUnlisted, guildId, since),
    setHidden: (guildId, since) => change(SQL.setHidden, guildId, since),
    remove: (guildId) => change(SQL.remove, guildId),
    setKey: (guildId, key) =>
      change(SQL.setKey, guildId, key?.hash ?? null, key?.sealed ?? null, key?.createdAt ?? null),
    async findKey(guildId) {
      const { rows } = await database.query<KeyRow>({ text: SQL.findKey, values: [guildId] });
      return rows.map(toStoredKey)[0];
    },
    setPremiumUntil: (guildId, until) => change(SQL.setPremiumUntil, guildId, until),
    setSanction: (guildId, sanction) =>
      change(SQL.setSanction, guildId, sanction?.since ?? null, sanction?.reason ?? null),
    setDoubling: (guildId, rule) => change(SQL.setDoubling, guildId, rule),
    setOneRewardPerName: (guildId, isOn) => change(SQL.setOneRewardPerName, guildId, isOn),
    ranking: createRanking(database),
  };
}

// strpos, unlike LIKE, has no wildcards, and every text contains the empty one. One read of guilds, joined with one
// month of monthly_votes.
const RANKING = `
  SELECT guilds.guild_id AS "guildId", guilds.name, guilds.icon_version AS icon,
    coalesce(monthly_votes.votes, 0) AS votes
  FROM guilds
  LEFT JOIN monthly_votes ON monthly_votes.guild_id = guilds.guild_id AND monthly_votes.month = $1
  WHERE guilds.sanctioned_at IS NULL AND guilds.unlisted_at IS NULL AND guilds.hidden_at IS NULL
    AND strpos(guilds.name_folded, $2) > 0
  ORDER BY coalesce(monthly_votes.votes, 0) DESC, guilds.name_folded, guilds.guild_id
  LIMIT $3 OFFSET $4`;

export function createRanking(database: Queryable): GuildStore['ranking'] {
  return async (month, { search, limit, offset }) => {
    if (!isSearchable(search)) return [];
    const values = [monthOf(month), foldName(search), limit, offset];
    return (await database.query<RankedGuild>({ name: 'ranking', text: RANKING, values })).rows;
  };
}
