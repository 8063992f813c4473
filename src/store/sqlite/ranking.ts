import { foldName, isSearchable } from '../fold-name.ts';
import { monthOf } from '../hours.ts';
import type { GuildStore, RankedGuild } from '../store.ts';
import type { Connection } from './connection.ts';

// instr, unlike LIKE, has no wildcards, and every text contains the empty one. One read of guilds, and the primary
// key of monthly_votes for each.
const RANKING = `
  SELECT guilds.guild_id AS guildId, guilds.name, coalesce(monthly_votes.votes, 0) AS votes
  FROM guilds
  LEFT JOIN monthly_votes ON monthly_votes.guild_id = guilds.guild_id AND monthly_votes.month = @month
  WHERE guilds.sanctioned_at IS NULL AND instr(guilds.name_folded, @search) > 0
  ORDER BY coalesce(monthly_votes.votes, 0) DESC, guilds.name_folded, guilds.guild_id
  LIMIT @limit OFFSET @offset`;

export function createRanking(db: Connection): GuildStore['ranking'] {
  const ranking = db.prepare<[object], RankedGuild>(RANKING);
  return async (month, { search, limit, offset }) => {
    if (!isSearchable(search)) return [];
    return ranking.all({ month: monthOf(month), search: foldName(search), limit, offset });
  };
}
