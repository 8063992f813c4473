import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { openStore } from '../../src/store/open.ts';
import { type PostgresServer, startPostgresServer } from '../../test/support/postgres/postgres-server.ts';
import { allGuilds } from './keys.ts';
import { startProgress } from './progress.ts';
import { listSql, NOW, PREMIUM_UNTIL, type Shape, SPREAD_SQL } from './shape.ts';

const COLUMNS = 'guild_id, cast_at, user_id, external_id, is_doubled, name_key';
const SPREAD = 'spread';

/** A server with default settings: commits are on disk, and 128 MB of shared buffers. */
export function startBenchPostgres(folder: string): Promise<PostgresServer> {
  mkdirSync(dirname(folder), { recursive: true });
  return startPostgresServer({ folder, settings: {} });
}

/** The URL of a database of this server. */
export function databaseUrl(server: PostgresServer, database: string): string {
  const url = new URL(server.url);
  url.pathname = database;
  return url.href;
}

/** Many guilds with a few votes each. */
export async function ensureSpreadDatabase(
  folder: string,
  server: PostgresServer,
  shape: Shape,
): Promise<string> {
  const url = databaseUrl(server, SPREAD);
  const marker = join(folder, `postgres-${SPREAD}.made`);
  if (existsSync(marker)) return url;
  const progress = startProgress('PostgreSQL, many guilds', 3);
  progress.step('guilds');
  await makePostgresDatabase(server.url, SPREAD);
  await (await openStore({ kind: 'postgres', url })).close();
  await addGuilds(url, shape);
  progress.step('votes');
  await runStatements(url, [spreadVotes(shape)]);
  progress.step('sums');
  await runStatements(url, [...SUMS, 'VACUUM (FREEZE, ANALYZE)', 'CHECKPOINT']);
  progress.done();
  writeFileSync(marker, '');
  return url;
}

/** The same data, plus guilds with long vote lists. Needs the other database, to which nobody may be connected. */
export async function ensureListsDatabase(
  folder: string,
  server: PostgresServer,
  shape: Shape,
): Promise<string> {
  const lists = shape.lists.slice(0, shape.postgresLists);
  const name = `lists_${lists.at(-1)}`;
  const url = databaseUrl(server, name);
  const marker = join(folder, `postgres-${name}.made`);
  if (existsSync(marker)) return url;
  const progress = startProgress('PostgreSQL, long lists', lists.length + 4);
  progress.step('copy');
  await runStatements(server.url, [
    `DROP DATABASE IF EXISTS ${name}`,
    `CREATE DATABASE ${name} TEMPLATE ${SPREAD}`,
  ]);
  await runStatements(url, DROP_INDEXES);
  for (const [list, votes] of lists.entries()) {
    progress.step(`list of ${votes.toLocaleString('en')}`);
    await runStatements(url, [listVotes(shape.guilds + list, list, votes)]);
  }
  progress.step('indexes');
  await runStatements(url, MAKE_INDEXES);
  progress.step('sums');
  await runStatements(url, SUMS);
  progress.step('vacuum');
  await runStatements(url, ['VACUUM (FREEZE, ANALYZE)', 'CHECKPOINT']);
  progress.done();
  writeFileSync(marker, '');
  return url;
}

/** Replaces it if it exists. */
export async function makePostgresDatabase(serverUrl: string, name: string): Promise<void> {
  await runStatements(serverUrl, [`DROP DATABASE IF EXISTS ${name}`]);
  await runStatements(serverUrl, [`CREATE DATABASE ${name}`]);
}

export async function runStatements(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Creating the data does not have to survive a power failure; later use runs with the settings of the
    // server.
    await client.query(
      "SET synchronous_commit = off; SET maintenance_work_mem = '512MB'; SET work_mem = '256MB'",
    );
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

export async function addGuilds(url: string, shape: Shape): Promise<void> {
  const guilds = allGuilds(shape);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `INSERT INTO guilds (guild_id, name, name_folded, created_at, premium_until, key_hash, key_sealed, key_created_at)
     SELECT id, name, lower(name), $4, $5, hash, '', $4 FROM unnest($1::text[], $2::text[], $3::text[]) AS given (id, name, hash)`,
    [
      guilds.map((g) => g.guildId),
      guilds.map((g) => g.name),
      guilds.map((g) => g.keyHash),
      NOW,
      PREMIUM_UNTIL,
    ],
  );
  await client.end();
}

export function spreadVotes({ guilds, votesPerGuild }: Shape): string {
  const sql = SPREAD_SQL;
  return `INSERT INTO votes (${COLUMNS})
    SELECT ${sql.guildId}, ${sql.castAt}, ${sql.userId}, ${sql.externalId}, ${sql.isDoubled}, upper(${sql.externalId})
    FROM generate_series(0::bigint, ${guilds - 1}) AS g, generate_series(0::bigint, ${votesPerGuild - 1}) AS i
    ORDER BY 1, 2, 3`;
}

function listVotes(guild: number, list: number, votes: number): string {
  const sql = listSql(list, votes);
  return `INSERT INTO votes (${COLUMNS})
    SELECT ${SPREAD_SQL.guildId}, ${sql.castAt}, ${sql.userId}, NULL, ${sql.isDoubled}, NULL
    FROM (SELECT ${guild}::bigint AS g) AS one, generate_series(0::bigint, ${votes - 1}) AS i`;
}

/**
 * Inserting millions of rows is several times faster without indexes. They are recreated exactly as in the
 * migration.
 */
const DROP_INDEXES = [
  'ALTER TABLE votes DROP CONSTRAINT votes_pkey',
  'DROP INDEX votes_by_user, votes_by_external_id',
];

const MAKE_INDEXES = [
  'ALTER TABLE votes ADD PRIMARY KEY (guild_id, cast_at, user_id)',
  'CREATE INDEX votes_by_user ON votes (guild_id, user_id, cast_at)',
  `CREATE INDEX votes_by_external_id ON votes (guild_id, name_key, cast_at, user_id)
   WHERE name_key IS NOT NULL`,
];

/** The derived tables that the store maintains. */
export const SUMS = [
  'TRUNCATE hourly_votes, monthly_votes, cooldowns',
  `INSERT INTO hourly_votes (guild_id, hour, votes, doubled)
   SELECT guild_id, cast_at - cast_at % 3600000 AS hour, count(*), count(*) FILTER (WHERE is_doubled)
   FROM votes GROUP BY guild_id, hour`,
  `INSERT INTO monthly_votes (guild_id, month, votes, doubled)
   SELECT guild_id, extract(epoch FROM date_trunc('month', to_timestamp(hour / 1000), 'UTC'))::bigint * 1000 AS month,
          sum(votes), sum(doubled)
   FROM hourly_votes GROUP BY guild_id, month`,
  `INSERT INTO cooldowns (guild_id, user_id, last_vote_at)
   SELECT guild_id, user_id, max(cast_at) FROM votes GROUP BY guild_id, user_id`,
];
