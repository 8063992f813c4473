import type { Instant } from '../../domain/clock.ts';
import type { Queryable } from './connection.ts';

/**
 * Rows are always taken in the order of their primary key, and tables in the order votes, hourly_votes, monthly_votes,
 * here and where a vote is cast: imports and votes at the same time may wait for each other, but never in a circle.
 */
const SQL = {
  watch: `
    CREATE TEMP TABLE moved_hours (
      guild_id TEXT COLLATE "C", hour BIGINT, votes BIGINT, doubled BIGINT
    ) ON COMMIT DROP`,
  // Only votes that really are inserted come back. Of a repeated vote the first line is kept.
  move: `
    WITH moved AS (
      INSERT INTO votes (guild_id, cast_at, user_id, external_id, is_doubled)
      SELECT guild_id, cast_at, user_id, external_id, is_doubled FROM staged WHERE (cast_at > $1) = $2
      ORDER BY guild_id, cast_at, user_id, ctid
      ON CONFLICT DO NOTHING RETURNING guild_id, cast_at, is_doubled
    )
    INSERT INTO moved_hours (guild_id, hour, votes, doubled)
    SELECT guild_id, cast_at - (cast_at % 3600000 + 3600000) % 3600000 AS hour,
           count(*), count(*) FILTER (WHERE is_doubled)
    FROM moved GROUP BY guild_id, hour`,
  countHours: `
    INSERT INTO hourly_votes AS hours (guild_id, hour, votes, doubled)
    SELECT guild_id, hour, sum(votes), sum(doubled) FROM moved_hours
    GROUP BY guild_id, hour ORDER BY guild_id, hour
    ON CONFLICT (guild_id, hour) DO UPDATE
    SET votes = hours.votes + excluded.votes, doubled = hours.doubled + excluded.doubled`,
  countMonths: `
    INSERT INTO monthly_votes AS months (guild_id, month, votes, doubled)
    SELECT guild_id, extract(epoch FROM date_trunc('month', to_timestamp(hour / 1000), 'UTC'))::bigint * 1000 AS month,
           sum(votes), sum(doubled)
    FROM moved_hours GROUP BY guild_id, month ORDER BY guild_id, month
    ON CONFLICT (guild_id, month) DO UPDATE
    SET votes = months.votes + excluded.votes, doubled = months.doubled + excluded.doubled`,
  total: 'SELECT coalesce(sum(votes), 0)::bigint AS votes FROM moved_hours',
} as const;

/** Makes ready to sum up the votes that `moveVotes` inserts in this transaction. */
export async function watchMoves(inside: Queryable): Promise<void> {
  await inside.query({ text: SQL.watch });
}

/** Moves staged votes, those cast after the instant or the others, without those that are there already. */
export async function moveVotes(
  inside: Queryable,
  instant: Instant,
  which: 'after' | 'until',
): Promise<void> {
  await inside.query({ text: SQL.move, values: [instant, which === 'after'] });
}

/** Adds the sums to the counts, last of all: others wait for these rows until the transaction ends. */
export async function countMoves(inside: Queryable): Promise<number> {
  await inside.query({ text: SQL.countHours });
  await inside.query({ text: SQL.countMonths });
  const { rows } = await inside.query<{ votes: number }>({ text: SQL.total });
  return rows[0]?.votes ?? 0;
}
