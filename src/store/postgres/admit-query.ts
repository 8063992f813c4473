import { GUILD_COLUMNS } from './guilds.ts';
import { nextWindow } from './rates.ts';

function latest(column: string): string {
  return `
    SELECT cast_at, is_doubled FROM votes
    WHERE votes.guild_id = found.guild_id AND votes.${column} = found.sought_${column}
      AND cast_at > found.sought_after AND cast_at <= found.sought_until
    ORDER BY cast_at DESC, votes.user_id DESC LIMIT 1`;
}

/**
 * Many questions at once, a row for each, in their order. Every part reads an index once for each question, which
 * LIMIT 1 makes sure of: guilds_by_key_hash; the primary key of rate_windows; votes_by_user and
 * votes_by_external_id, from their end.
 *
 * A caller that asks twice is counted once, by two, at the time of the later question: a row cannot be changed twice in
 * one statement. Callers are locked in one order, so that statements wait for each other, and never in a circle.
 */
export const ADMIT = `
  WITH asked AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::bigint[])
      WITH ORDINALITY AS question
        (key_hash, caller, other_caller, window_end, sought_user_id, sought_external_id, sought_after, sought_until, place)
  ),
  found AS (
    SELECT asked.*, guild.*,
      CASE WHEN guild.guild_id IS NOT NULL AND guild.sanctioned_at IS NULL THEN caller ELSE other_caller END
        COLLATE "C" AS counted_for
    FROM asked LEFT JOIN LATERAL (
      SELECT ${GUILD_COLUMNS} FROM guilds WHERE guilds.key_hash = asked.key_hash LIMIT 1
    ) AS guild ON true
  ),
  counted AS (
    INSERT INTO rate_windows AS kept (caller, hits, resets_at)
    SELECT counted_for, count(*), max(window_end) FROM found GROUP BY counted_for ORDER BY counted_for
    ON CONFLICT (caller) DO UPDATE SET ${nextWindow('excluded.resets_at - $9::bigint')}
    RETURNING caller, hits, resets_at
  )
  SELECT counted.hits, counted.resets_at,
    found.guild_id, name, created_at, doubling, premium_until, sanctioned_at, sanction_reason, has_key,
    coalesce(of_user.cast_at, of_name.cast_at) AS vote_cast_at,
    coalesce(of_user.is_doubled, of_name.is_doubled) AS vote_is_doubled
  FROM found
  JOIN counted ON counted.caller = found.counted_for
  LEFT JOIN LATERAL (${latest('user_id')}) AS of_user ON true
  LEFT JOIN LATERAL (${latest('external_id')}) AS of_name ON true
  ORDER BY found.place`;
