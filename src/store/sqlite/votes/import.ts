import type { Instant } from '../../../domain/clock.ts';
import { nameKeyOf, recentWindow, voteId } from '../../../domain/votes/vote.ts';
import { UnknownGuildError } from '../../store.ts';
import { type ImportedVote, type ImportResult, namedClaims } from '../../votes/votes.ts';
import { type Connection, connect, inTransaction } from '../connection.ts';

/**
 * In KiB. Enough for the indexes of a million votes, which are filled in random order: half the time of the default.
 */
const CACHE_SIZE_KIB = 262_144;

/** Votes staged per statement: calling SQLite for each vote would double the time. */
const ROWS_AT_ONCE = 50;

/**
 * Reads all votes into a temporary table first and moves them in one transaction at the end. So the write lock is
 * held while rows are moved, not while a file is read, and no other query runs inside the transaction.
 */
export async function importVotes(
  path: string,
  batches: AsyncIterable<ImportedVote[]>,
  now: Instant,
): Promise<ImportResult> {
  const db = connect(path);
  try {
    db.pragma(`cache_size = -${CACHE_SIZE_KIB}`);
    // `moveStaged` checks the guilds of all votes in its transaction, once for each guild.
    db.pragma('foreign_keys = OFF');
    const stage = createStage(db);
    const guildIds = new Set<string>();
    let staged = 0;
    for await (const batch of batches) {
      for (const { guildId } of batch) guildIds.add(guildId);
      stage(batch);
      staged += batch.length;
    }
    const imported = inTransaction(db, () => moveStaged(db, [...guildIds], now));
    return { imported, skipped: staged - imported };
  } finally {
    db.close();
  }
}

function createStage(db: Connection): (batch: ImportedVote[]) => void {
  db.exec(
    `CREATE TEMP TABLE staged (
       guild_id TEXT, cast_at INTEGER, user_id TEXT, external_id TEXT, name_key TEXT, is_doubled INTEGER,
       vote_id TEXT, claimed_at INTEGER
     );
     CREATE TEMP TABLE staged_claims (
       guild_id TEXT, cast_at INTEGER, user_id TEXT, consumer TEXT, vote_id TEXT, claimed_at INTEGER
     )`,
  );
  const addClaim = db.prepare('INSERT INTO staged_claims VALUES (?, ?, ?, ?, ?, ?)');
  const insert = (columns: readonly string[], rows: number) => {
    const row = `(${columns.map(() => '?').join(', ')})`;
    return db.prepare(
      `INSERT INTO staged (${columns.join(', ')}) VALUES ${Array(rows).fill(row).join(', ')}`,
    );
  };
  // Passing values to SQLite takes most of the time, and most votes have no claim.
  const [unclaimed, claimed] = [insert(VOTE_COLUMNS, ROWS_AT_ONCE), insert(ALL_COLUMNS, ROWS_AT_ONCE)];
  const one = insert(ALL_COLUMNS, 1);
  return db.transaction((batch: ImportedVote[]) => {
    const whole = batch.length - (batch.length % ROWS_AT_ONCE);
    for (let i = 0; i < whole; i += ROWS_AT_ONCE) {
      const votes = batch.slice(i, i + ROWS_AT_ONCE);
      const hasClaims = votes.some(isClaimed);
      (hasClaims ? claimed : unclaimed).run(toValues(votes, hasClaims));
    }
    for (const vote of batch.slice(whole)) one.run(toValues([vote], true));
    for (const claim of namedClaims(batch)) addClaim.run(...claim);
  });
}

const VOTE_COLUMNS = ['guild_id', 'cast_at', 'user_id', 'external_id', 'name_key', 'is_doubled'];
const ALL_COLUMNS = [...VOTE_COLUMNS, 'vote_id', 'claimed_at'];

function isClaimed({ claimedAt = null }: ImportedVote): boolean {
  return claimedAt !== null;
}

/** The values of all votes in one list, with or without the columns of claims. */
function toValues(votes: readonly ImportedVote[], withClaims: boolean): unknown[] {
  const values: unknown[] = [];
  for (const vote of votes) {
    const { guildId, castAt, userId, externalId, isDoubled, claimedAt = null } = vote;
    values.push(guildId, castAt, userId, externalId, nameKeyOf(vote), Number(isDoubled));
    if (withClaims) values.push(isClaimed(vote) ? voteId(vote) : null, claimedAt);
  }
  return values;
}

/** The number of votes that are new. */
function moveStaged(db: Connection, guildIds: readonly string[], now: Instant): number {
  refuseUnknownGuilds(db, guildIds);
  watchMoves(db);
  moveVotes(db);
  startCooldowns(db, now);
  for (const votes of ['votes', 'voided_votes']) {
    db.exec(addClaimsOf(votes));
    db.exec(addNamedClaimsOf(votes));
  }
  return countMoves(db);
}

/** With the name under which the vote is stored, which may differ from that of the line. The primary keys. */
function addClaimsOf(votes: string): string {
  return `
    INSERT INTO vote_claims (guild_id, cast_at, user_id, vote_id, external_id, name_key, claimed_at)
    SELECT v.guild_id, v.cast_at, v.user_id, staged.vote_id, v.external_id, v.name_key, staged.claimed_at
    FROM staged CROSS JOIN ${votes} v USING (guild_id, cast_at, user_id)
    WHERE staged.claimed_at IS NOT NULL ORDER BY staged.rowid
    ON CONFLICT DO NOTHING`;
}

function addNamedClaimsOf(votes: string): string {
  return `
    INSERT INTO consumer_claims (guild_id, cast_at, user_id, consumer, vote_id, external_id, name_key, claimed_at)
    SELECT v.guild_id, v.cast_at, v.user_id, c.consumer, c.vote_id, v.external_id, v.name_key, c.claimed_at
    FROM staged_claims c CROSS JOIN ${votes} v USING (guild_id, cast_at, user_id)
    WHERE true ORDER BY c.rowid
    ON CONFLICT DO NOTHING`;
}

function startCooldowns(db: Connection, now: Instant): void {
  const { after, until } = recentWindow(now);
  db.prepare(
    `INSERT INTO cooldowns (guild_id, user_id, last_vote_at)
     SELECT guild_id, user_id, max(cast_at) FROM staged WHERE cast_at > ? AND cast_at <= ?
     GROUP BY guild_id, user_id
     ON CONFLICT (guild_id, user_id) DO UPDATE SET last_vote_at = excluded.last_vote_at
     WHERE cooldowns.last_vote_at < excluded.last_vote_at`,
  ).run(after, until);
}

/** The primary key of guilds. */
function refuseUnknownGuilds(db: Connection, guildIds: readonly string[]): void {
  const unknown = db
    .prepare<[string], { guild_id: string }>(
      `SELECT value AS guild_id FROM json_each(?)
       WHERE NOT EXISTS (SELECT 1 FROM guilds WHERE guild_id = value AND removed_at IS NULL) LIMIT 1`,
    )
    .get(JSON.stringify(guildIds));
  if (unknown) throw new UnknownGuildError(unknown.guild_id);
}

const SQL = {
  // The trigger sees inserted votes only, not existing ones.
  watch: `
    CREATE TEMP TABLE import_rollups (
      guild_id TEXT, hour INTEGER, votes INTEGER, doubled INTEGER, PRIMARY KEY (guild_id, hour)
    ) WITHOUT ROWID;
    CREATE TEMP TRIGGER count_moved AFTER INSERT ON main.votes BEGIN
      INSERT INTO import_rollups (guild_id, hour, votes, doubled)
      VALUES (new.guild_id, new.cast_at - (new.cast_at % 3600000 + 3600000) % 3600000, 1, new.is_doubled)
      ON CONFLICT (guild_id, hour) DO UPDATE SET votes = votes + 1, doubled = doubled + excluded.doubled;
    END`,
  // In primary key order, which takes half the time of any other. Of a repeated vote the first line is kept. A voided
  // vote counts as existing, so importing it again does not restore it.
  move: `
    INSERT INTO votes (guild_id, cast_at, user_id, external_id, name_key, is_doubled)
    SELECT guild_id, cast_at, user_id, external_id, name_key, is_doubled FROM staged
    WHERE NOT EXISTS (
      SELECT 1 FROM voided_votes v WHERE v.guild_id = staged.guild_id AND v.cast_at = staged.cast_at
        AND v.user_id = staged.user_id
    )
    ORDER BY guild_id, cast_at, user_id, rowid
    ON CONFLICT DO NOTHING`,
  countHours: `
    INSERT INTO hourly_votes (guild_id, hour, votes, doubled)
    SELECT guild_id, hour, votes, doubled FROM import_rollups WHERE true
    ON CONFLICT (guild_id, hour) DO UPDATE
    SET votes = votes + excluded.votes, doubled = doubled + excluded.doubled`,
  countMonths: `
    INSERT INTO monthly_votes (guild_id, month, votes, doubled)
    SELECT guild_id, unixepoch(hour / 1000, 'unixepoch', 'start of month') * 1000 AS month,
           sum(votes), sum(doubled)
    FROM import_rollups WHERE true GROUP BY guild_id, month
    ON CONFLICT (guild_id, month) DO UPDATE
    SET votes = votes + excluded.votes, doubled = doubled + excluded.doubled`,
  total: 'SELECT coalesce(sum(votes), 0) AS votes FROM import_rollups',
} as const;

/** Prepares to sum up the votes that `moveVotes` inserts on this connection. */
export function watchMoves(db: Connection): void {
  db.exec(SQL.watch);
}

/** Moves staged votes, skipping existing ones. */
export function moveVotes(db: Connection): void {
  db.exec(SQL.move);
}

/** Adds the sums to the counts, in the transaction that moved the votes. */
export function countMoves(db: Connection): number {
  db.exec(SQL.countHours);
  db.exec(SQL.countMonths);
  return db.prepare<[], { votes: number }>(SQL.total).get()?.votes ?? 0;
}
