import type { Instant } from '../../domain/clock.ts';
import { recentWindow } from '../../domain/cooldown.ts';
import type { Vote } from '../../domain/vote.ts';
import { type ImportResult, UnknownGuildError } from '../store.ts';
import { createClient, type Queryable, runTransaction } from './connection.ts';
import { countMoves, moveVotes, watchMoves } from './moved-hours.ts';

const SQL = {
  stage: `
    CREATE TEMP TABLE staged (
      guild_id TEXT COLLATE "C", cast_at BIGINT, user_id TEXT COLLATE "C", external_id TEXT, is_doubled BOOLEAN
    ) ON COMMIT DROP`,
  insert: `
    INSERT INTO staged (guild_id, cast_at, user_id, external_id, is_doubled)
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::boolean[])`,
  // First of all, as a removal of the guild and a vote do: none of them then waits for another in a circle.
  lockGuilds: `
    SELECT count(*) FROM (
      SELECT FROM guilds WHERE guild_id IN (SELECT guild_id FROM staged) ORDER BY guild_id FOR KEY SHARE
    ) AS locked`,
  findUnknownGuild: `
    SELECT guild_id FROM staged
    WHERE NOT EXISTS (SELECT FROM guilds WHERE guilds.guild_id = staged.guild_id) LIMIT 1`,
  // In the order of the primary key, so that two imports take the rows in one order and cannot deadlock.
  startCooldowns: `
    INSERT INTO cooldowns (guild_id, user_id, last_vote_at)
    SELECT guild_id, user_id, max(cast_at) FROM staged WHERE cast_at > $1 AND cast_at <= $2
    GROUP BY guild_id, user_id ORDER BY guild_id, user_id
    ON CONFLICT (guild_id, user_id) DO UPDATE SET last_vote_at = excluded.last_vote_at
    WHERE cooldowns.last_vote_at < excluded.last_vote_at`,
} as const;

/**
 * Reads all votes into a temporary table first, and moves them at the end: rows that others may wait for are held
 * while votes are moved and not while a file is read. The connection is its own, without a query time limit.
 */
export async function importVotes(
  url: string,
  batches: AsyncIterable<Vote[]>,
  now: Instant,
): Promise<ImportResult> {
  const client = createClient(url);
  try {
    await client.connect();
    return await runTransaction(client, async (inside) => {
      const staged = await stageAll(inside, batches);
      const imported = await moveStaged(inside, now);
      return { imported, skipped: staged - imported };
    });
  } finally {
    await client.end();
  }
}

async function stageAll(inside: Queryable, batches: AsyncIterable<Vote[]>): Promise<number> {
  await inside.query({ text: SQL.stage });
  let staged = 0;
  for await (const batch of batches) {
    const columns = [
      batch.map((vote) => vote.guildId),
      batch.map((vote) => vote.castAt),
      batch.map((vote) => vote.userId),
      batch.map((vote) => vote.externalId),
      batch.map((vote) => vote.isDoubled),
    ];
    await inside.query({ name: 'stage', text: SQL.insert, values: columns });
    staged += batch.length;
  }
  return staged;
}

/** The number of votes that were not there before. */
async function moveStaged(inside: Queryable, now: Instant): Promise<number> {
  await inside.query({ text: SQL.lockGuilds });
  const unknown = await inside.query<{ guild_id: string }>({ text: SQL.findUnknownGuild });
  if (unknown.rows[0]) throw new UnknownGuildError(unknown.rows[0].guild_id);
  const { after, until } = recentWindow(now);
  await watchMoves(inside);
  // Cooldowns are held for as short as can be: users may be voting. They come before the votes of their hour, because
  // a vote that is cast takes the two in this order.
  await moveVotes(inside, after, 'until');
  await inside.query({ text: SQL.startCooldowns, values: [after, until] });
  await moveVotes(inside, after, 'after');
  return countMoves(inside);
}
