import type { Instant } from '../../../domain/clock.ts';
import { nameKeyOf, recentWindow, voteId } from '../../../domain/votes/vote.ts';
import { UnknownGuildError } from '../../store.ts';
import { type ImportedVote, type ImportResult, namedClaims } from '../../votes/votes.ts';
import { columnsOf } from '../columns.ts';
import { NO_TIMEOUT_MS, openClient } from '../connection/client.ts';
import { type Queryable, runTransaction } from '../connection/connection.ts';

const SQL = {
  stage: `
    CREATE TEMP TABLE staged (
      guild_id TEXT COLLATE "C", cast_at BIGINT, user_id TEXT COLLATE "C", external_id TEXT, name_key TEXT,
      is_doubled BOOLEAN, vote_id TEXT COLLATE "C", claimed_at BIGINT
    ) ON COMMIT DROP`,
  stageClaims: `
    CREATE TEMP TABLE staged_claims (
      guild_id TEXT COLLATE "C", cast_at BIGINT, user_id TEXT COLLATE "C", consumer TEXT COLLATE "C",
      vote_id TEXT COLLATE "C", claimed_at BIGINT
    ) ON COMMIT DROP`,
  insertClaims: `
    INSERT INTO staged_claims (guild_id, cast_at, user_id, consumer, vote_id, claimed_at)
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[])`,
  insert: `
    INSERT INTO staged (guild_id, cast_at, user_id, external_id, name_key, is_doubled, vote_id, claimed_at)
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::text[], $8::bigint[])`,
  // Locked first, like a removal of the guild and a vote, to avoid deadlocks.
  lockGuilds: `
    SELECT count(*) FROM (
      SELECT FROM guilds WHERE guild_id IN (SELECT guild_id FROM staged) ORDER BY guild_id FOR KEY SHARE
    ) AS locked`,
  findUnknownGuild: `
    SELECT guild_id FROM staged
    WHERE NOT EXISTS (
      SELECT FROM guilds WHERE guilds.guild_id = staged.guild_id AND removed_at IS NULL
    ) LIMIT 1`,
  // In primary key order, so that two imports lock rows in the same order and cannot deadlock.
  startCooldowns: `
    INSERT INTO cooldowns (guild_id, user_id, last_vote_at)
    SELECT guild_id, user_id, max(cast_at) FROM staged WHERE cast_at > $1 AND cast_at <= $2
    GROUP BY guild_id, user_id ORDER BY guild_id, user_id
    ON CONFLICT (guild_id, user_id) DO UPDATE SET last_vote_at = excluded.last_vote_at
    WHERE cooldowns.last_vote_at < excluded.last_vote_at`,
  claimVotes: addClaimsOf('votes'),
  claimVoidedVotes: addClaimsOf('voided_votes'),
  claimVotesByOthers: addNamedClaimsOf('votes'),
  claimVoidedVotesByOthers: addNamedClaimsOf('voided_votes'),
} as const;

/**
 * With the name under which the vote is stored, which may differ from that of the line. In primary key order, so that
 * two imports cannot deadlock; a claim waits for at most one of these rows.
 */
function addClaimsOf(votes: string): string {
  return `
    INSERT INTO vote_claims (guild_id, cast_at, user_id, vote_id, external_id, name_key, claimed_at)
    SELECT v.guild_id, v.cast_at, v.user_id, staged.vote_id, v.external_id, v.name_key, staged.claimed_at
    FROM staged JOIN ${votes} v USING (guild_id, cast_at, user_id)
    WHERE staged.claimed_at IS NOT NULL ORDER BY v.guild_id, v.cast_at, v.user_id, staged.ctid
    ON CONFLICT DO NOTHING`;
}

function addNamedClaimsOf(votes: string): string {
  return `
    INSERT INTO consumer_claims (guild_id, cast_at, user_id, consumer, vote_id, external_id, name_key, claimed_at)
    SELECT v.guild_id, v.cast_at, v.user_id, c.consumer, c.vote_id, v.external_id, v.name_key, c.claimed_at
    FROM staged_claims c JOIN ${votes} v USING (guild_id, cast_at, user_id)
    ORDER BY v.guild_id, v.cast_at, v.user_id, c.consumer, c.ctid
    ON CONFLICT DO NOTHING`;
}

/**
 * Reads all votes into a temporary table first and moves them at the end: rows that others may wait for are locked
 * while votes are moved, not while a file is read. Uses a separate connection without a query timeout.
 */
export async function importVotes(
  url: string,
  batches: AsyncIterable<ImportedVote[]>,
  now: Instant,
): Promise<ImportResult> {
  const client = await openClient(url);
  try {
    const work = async (tx: Queryable): Promise<ImportResult> => {
      const staged = await stageAll(tx, batches);
      const imported = await moveStaged(tx, now);
      return { imported, skipped: staged - imported };
    };
    return await runTransaction(client, work, NO_TIMEOUT_MS);
  } finally {
    await client.end();
  }
}

async function stageAll(tx: Queryable, batches: AsyncIterable<ImportedVote[]>): Promise<number> {
  await tx.query({ text: SQL.stage });
  await tx.query({ text: SQL.stageClaims });
  let staged = 0;
  for await (const batch of batches) {
    const columns = [
      batch.map((vote) => vote.guildId),
      batch.map((vote) => vote.castAt),
      batch.map((vote) => vote.userId),
      batch.map((vote) => vote.externalId),
      batch.map(nameKeyOf),
      batch.map((vote) => vote.isDoubled),
      batch.map((vote) => (vote.claimedAt === null || vote.claimedAt === undefined ? null : voteId(vote))),
      batch.map((vote) => vote.claimedAt ?? null),
    ];
    await tx.query({ name: 'stage', text: SQL.insert, values: columns });
    const claims = namedClaims(batch);
    if (claims.length > 0)
      await tx.query({ name: 'stage-claims', text: SQL.insertClaims, values: columnsOf(claims) });
    staged += batch.length;
  }
  return staged;
}

/** The number of votes that are new. */
async function moveStaged(tx: Queryable, now: Instant): Promise<number> {
  await tx.query({ text: SQL.lockGuilds });
  const unknown = await tx.query<{ guild_id: string }>({ text: SQL.findUnknownGuild });
  if (unknown.rows[0]) throw new UnknownGuildError(unknown.rows[0].guild_id);
  const { after, until } = recentWindow(now);
  await watchMoves(tx);
  // Cooldowns are locked as briefly as possible, because users may be voting. They come before the votes of their
  // hour, the order in which casting a vote locks the two.
  await moveVotes(tx, after, 'until');
  await tx.query({ text: SQL.startCooldowns, values: [after, until] });
  await moveVotes(tx, after, 'after');
  await tx.query({ text: SQL.claimVotes });
  await tx.query({ text: SQL.claimVoidedVotes });
  await tx.query({ text: SQL.claimVotesByOthers });
  await tx.query({ text: SQL.claimVoidedVotesByOthers });
  return countMoves(tx);
}

/**
 * Rows are always locked in primary key order, and tables in the order votes, hourly_votes, monthly_votes, here and
 * when a vote is cast, so imports and votes can wait for each other but never deadlock.
 */
const ROLLUP_SQL = {
  watch: `
    CREATE TEMP TABLE import_rollups (
      guild_id TEXT COLLATE "C", hour BIGINT, votes BIGINT, doubled BIGINT
    ) ON COMMIT DROP`,
  // Returns only votes that are inserted. Of a repeated vote the first line is kept. A voided vote counts as
  // existing, so importing it again does not restore it.
  move: `
    WITH moved AS (
      INSERT INTO votes (guild_id, cast_at, user_id, external_id, name_key, is_doubled)
      SELECT guild_id, cast_at, user_id, external_id, name_key, is_doubled FROM staged
      WHERE (cast_at > $1) = $2 AND NOT EXISTS (
        SELECT FROM voided_votes v WHERE v.guild_id = staged.guild_id AND v.cast_at = staged.cast_at
          AND v.user_id = staged.user_id
      )
      ORDER BY guild_id, cast_at, user_id, ctid
      ON CONFLICT DO NOTHING RETURNING guild_id, cast_at, is_doubled
    )
    INSERT INTO import_rollups (guild_id, hour, votes, doubled)
    SELECT guild_id, cast_at - (cast_at % 3600000 + 3600000) % 3600000 AS hour,
           count(*), count(*) FILTER (WHERE is_doubled)
    FROM moved GROUP BY guild_id, hour`,
  countHours: `
    INSERT INTO hourly_votes AS hours (guild_id, hour, votes, doubled)
    SELECT guild_id, hour, sum(votes), sum(doubled) FROM import_rollups
    GROUP BY guild_id, hour ORDER BY guild_id, hour
    ON CONFLICT (guild_id, hour) DO UPDATE
    SET votes = hours.votes + excluded.votes, doubled = hours.doubled + excluded.doubled`,
  countMonths: `
    INSERT INTO monthly_votes AS months (guild_id, month, votes, doubled)
    SELECT guild_id, extract(epoch FROM date_trunc('month', to_timestamp(hour / 1000), 'UTC'))::bigint * 1000 AS month,
           sum(votes), sum(doubled)
    FROM import_rollups GROUP BY guild_id, month ORDER BY guild_id, month
    ON CONFLICT (guild_id, month) DO UPDATE
    SET votes = months.votes + excluded.votes, doubled = months.doubled + excluded.doubled`,
  total: 'SELECT coalesce(sum(votes), 0)::bigint AS votes FROM import_rollups',
} as const;

/** Prepares to sum up the votes that `moveVotes` inserts in this transaction. */
export async function watchMoves(tx: Queryable): Promise<void> {
  await tx.query({ text: ROLLUP_SQL.watch });
}

/** Moves staged votes, either those cast after the instant or the others, skipping existing ones. */
export async function moveVotes(tx: Queryable, instant: Instant, which: 'after' | 'until'): Promise<void> {
  await tx.query({ text: ROLLUP_SQL.move, values: [instant, which === 'after'] });
}

/** Adds the sums to the counts, last of all, because others wait for these rows until the transaction ends. */
export async function countMoves(tx: Queryable): Promise<number> {
  await tx.query({ text: ROLLUP_SQL.countHours });
  await tx.query({ text: ROLLUP_SQL.countMonths });
  const { rows } = await tx.query<{ votes: number }>({ text: ROLLUP_SQL.total });
  return rows[0]?.votes ?? 0;
}
