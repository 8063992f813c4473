import { NAME_INTERVAL_MS } from '../../../domain/votes/vote.ts';
import { type ClaimStore, namesOf } from '../../claims.ts';
import type { Queryable } from '../connection/connection.ts';

/** A subquery with a limit looks up each claim by its key, as for one identity. */
const OPEN = `(
  SELECT claimed_at FROM vote_claims c
  WHERE c.guild_id = v.guild_id AND c.cast_at = v.cast_at AND c.user_id = v.user_id LIMIT 1) IS NULL`;

/** How many votes of each user or name can be claimed. One row per identity, in order. */
export const CLAIMABLE_QUERIES = {
  // Index votes_by_user, once per user.
  ofUsers: `
    SELECT found.claimable FROM unnest($4::text[]) WITH ORDINALITY AS asked (user_id, place)
    CROSS JOIN LATERAL (
      SELECT count(*) AS claimable FROM votes v
      WHERE v.guild_id = $1 AND v.user_id = asked.user_id COLLATE "C" AND v.cast_at > $2 AND v.cast_at <= $3 AND ${OPEN}
    ) AS found ORDER BY place`,
  // Index votes_by_external_id, once per name.
  ofNames: `
    SELECT found.claimable
    FROM unnest($4::text[], $5::text[]) WITH ORDINALITY AS asked (name_key, external_id, place)
    CROSS JOIN LATERAL (
      SELECT count(*) AS claimable FROM votes v
      WHERE v.guild_id = $1 AND v.name_key = asked.name_key COLLATE "C" AND v.cast_at > $2 AND v.cast_at <= $3
        AND v.external_id = asked.external_id COLLATE "C" AND ${OPEN}
    ) AS found ORDER BY place`,
  // Indexes votes_by_external_id and vote_claims_by_name. Jumps from one claimable vote of a name to the next, like a
  // claim: the cost depends on the length of the window, not on the number of votes.
  limitedByName: `
    WITH RECURSIVE steps AS (
      SELECT place, name_key COLLATE "C" AS name_key, external_id COLLATE "C" AS external_id,
             $2::bigint + 1 AS next_at, false AS is_open
      FROM unnest($4::text[], $5::text[]) WITH ORDINALITY AS asked (name_key, external_id, place)
      UNION ALL
      SELECT place, name_key, external_id,
             coalesce(claim.cast_at, vote.cast_at) + ${NAME_INTERVAL_MS}, claim.cast_at IS NULL
      FROM steps
      CROSS JOIN LATERAL (
        SELECT v.cast_at FROM votes v
        WHERE v.guild_id = $1 AND v.name_key = steps.name_key AND v.external_id = steps.external_id
          AND v.cast_at >= steps.next_at AND v.cast_at <= $3
        ORDER BY v.cast_at LIMIT 1
      ) AS vote
      LEFT JOIN LATERAL (
        SELECT c.cast_at FROM vote_claims c
        WHERE c.guild_id = $1 AND c.name_key = steps.name_key AND c.external_id = steps.external_id
          AND c.cast_at > vote.cast_at - ${NAME_INTERVAL_MS} AND c.cast_at < vote.cast_at + ${NAME_INTERVAL_MS}
        ORDER BY c.cast_at DESC LIMIT 1
      ) AS claim ON true
    )
    SELECT count(*) FILTER (WHERE is_open) AS claimable FROM steps GROUP BY place ORDER BY place`,
} as const;

export function createCountClaimable(database: Queryable): ClaimStore['countClaimable'] {
  async function count(name: keyof typeof CLAIMABLE_QUERIES, ...values: unknown[]): Promise<number[]> {
    const statement = { name: `claimable-${name}`, text: CLAIMABLE_QUERIES[name], values };
    return (await database.query<{ claimable: number }>(statement)).rows.map(({ claimable }) => claimable);
  }

  return ({ guildId, identities, window: { after, until }, oneRewardPerName }) => {
    if ('userIds' in identities) return count('ofUsers', guildId, after, until, identities.userIds);
    const names = namesOf(identities);
    const keys = names.map((name) => name?.nameKey ?? null);
    const externalIds = names.map((name) => name?.externalId ?? null);
    return count(oneRewardPerName ? 'limitedByName' : 'ofNames', guildId, after, until, keys, externalIds);
  };
}
