import { foldName, isSearchable } from '../fold-name.ts';
import { monthOf } from '../hours.ts';
import type { GuildStore, RankedGuild } from '../store.ts';
import type { Queryable } from './connection.ts';

// strpos, unlike LIKE, has no wildcards, and every text contains the empty one. One read of guilds, joined with one
// month's rows of monthly_votes.
const RANKING = `
  SELECT guilds.guild_id AS "guildId", guilds.name, coalesce(monthly_votes.votes, 0) AS votes
  FROM guilds
  LEFT JOIN monthly_votes ON monthly_votes.guild_id = guilds.guild_id AND monthly_votes.month = $1
  WHERE guilds.sanctioned_at IS NULL AND strpos(guilds.name_folded, $2) > 0
  ORDER BY coalesce(monthly_votes.votes, 0) DESC, guilds.name_folded, guilds.guild_id
  LIMIT $3 OFFSET $4`;

export function createRanking(database: Queryable): GuildStore['ranking'] {
  return async (month, { search, limit, offset }) => {
    if (!isSearchable(search)) return [];
    const values = [monthOf(month), foldName(search), limit, offset];
    return (await database.query<RankedGuild>({ name: 'ranking', text: RANKING, values })).rows;
  };
}
