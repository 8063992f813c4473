import { GUILD_COLUMNS } from './guilds.ts';
import { nextWindow } from './rates.ts';

function latest(column: string): string {
  return `
    SELECT cast_at, is_doubled FROM votes
    WHERE votes.guild_id = found.guild_id AND votes.${column} = found.queried_${column}
      AND cast_at > found.queried_after AND cast_at <= found.queried_until
    ORDER BY cast_at DESC, votes.user_id DESC LIMIT 1`;
}

/**
 * Many lookups at once, a row for each, in their order. Every part reads an index once for each lookup, which LIMIT 1
 * makes sure of: guilds_by_key_hash; the primary key of rate_windows; votes_by_user and votes_by_external_id, from
 * their end.
 *
 * A rate key that occurs twice is counted once, by two, at the time of the later lookup: a row cannot be changed twice
 * in one statement. Rows are locked in one order, so that statements can wait for each other but never deadlock.
 */
export const ADMIT = `
  WITH lookups AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::bigint[])
      WITH ORDINALITY AS lookup
        (key_hash, rate_key, fallback_rate_key, window_end, queried_user_id, queried_external_id, queried_after, queried_until, position)
  ),
  found AS (
    SELECT lookups.*, guild.*,
      CASE WHEN guild.guild_id IS NOT NULL AND guild.sanctioned_at IS NULL THEN rate_key ELSE fallback_rate_key END
        COLLATE "C" AS counted_key
    FROM lookups LEFT JOIN LATERAL (
      SELECT ${GUILD_COLUMNS} FROM guilds WHERE guilds.key_hash = lookups.key_hash LIMIT 1
    ) AS guild ON true
  ),
  counted AS (
    INSERT INTO rate_windows AS kept (caller, hits, resets_at)
    SELECT counted_key, count(*), max(window_end) FROM found GROUP BY counted_key ORDER BY counted_key
    ON CONFLICT (caller) DO UPDATE SET ${nextWindow('excluded.resets_at - $9::bigint')}
    RETURNING caller, hits, resets_at
  )
  SELECT counted.hits, counted.resets_at,
    found.guild_id, name, created_at, doubling, premium_until, sanctioned_at, sanction_reason, has_key,
    coalesce(of_user.cast_at, of_name.cast_at) AS vote_cast_at,
    coalesce(of_user.is_doubled, of_name.is_doubled) AS vote_is_doubled
  FROM found
  JOIN counted ON counted.caller = found.counted_key
  LEFT JOIN LATERAL (${latest('user_id')}) AS of_user ON true
  LEFT JOIN LATERAL (${latest('external_id')}) AS of_name ON true
  ORDER BY found.position`;
