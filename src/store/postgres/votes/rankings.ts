/** Who has the most votes in a period: users, and external ids. */
import type { NamedVoter, Voter, VoteStore } from '../../votes/votes.ts';
import type { Queryable } from '../connection/connection.ts';

const WITHIN = 'FROM votes WHERE guild_id = $1 AND cast_at >= $2 AND cast_at < $3';

export const RANKING_QUERIES = {
  // The primary key.
  topVoters: `
    SELECT user_id AS "userId", count(*) AS votes ${WITHIN}
    GROUP BY user_id ORDER BY votes DESC, length(user_id), user_id LIMIT $4`,
  // The primary key for the period, then index votes_by_external_id for each name of the result.
  topNames: `
  WITH top AS (
    SELECT name_key, count(*) AS votes ${WITHIN} AND name_key IS NOT NULL
    GROUP BY name_key ORDER BY votes DESC, name_key LIMIT $4
  )
  SELECT newest.external_id AS name, top.votes FROM top
  CROSS JOIN LATERAL (
    SELECT external_id ${WITHIN} AND name_key = top.name_key
    ORDER BY cast_at DESC, user_id DESC LIMIT 1
  ) AS newest
  ORDER BY top.votes DESC, top.name_key`,
} as const;

export function createRankings(database: Queryable): Pick<VoteStore, 'topVoters' | 'topNames'> {
  return {
    async topVoters(guildId, { from, to }, limit) {
      const statement = { text: RANKING_QUERIES.topVoters, values: [guildId, from, to, limit] };
      return (await database.query<Voter>(statement)).rows;
    },
    async topNames(guildId, { from, to }, limit) {
      const statement = { text: RANKING_QUERIES.topNames, values: [guildId, from, to, limit] };
      return (await database.query<NamedVoter>(statement)).rows;
    },
  };
}
