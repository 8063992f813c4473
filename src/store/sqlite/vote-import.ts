import type { Instant } from '../../domain/clock.ts';
import { recentWindow } from '../../domain/cooldown.ts';
import type { Vote } from '../../domain/vote.ts';
import { type ImportResult, UnknownGuildError } from '../store.ts';
import { type Connection, connect, inTransaction } from './connection.ts';
import { countMoves, moveVotes, watchMoves } from './moved-hours.ts';

/** In KiB. Enough for the indexes of a million votes, which are filled in no order: half the time of the default. */
const CACHE_SIZE_KIB = 262_144;

/** Votes that are staged by one statement: entering SQLite for each alone costs as much again as staging it. */
const ROWS_AT_ONCE = 50;

/**
 * Reads all votes into a temporary table first, and moves them in one transaction at the end. The write lock is
 * thus held while rows are moved and not while a file is read, and no other query is ever inside the transaction.
 */
export async function importVotes(
  path: string,
  batches: AsyncIterable<Vote[]>,
  now: Instant,
): Promise<ImportResult> {
  const db = connect(path);
  try {
    db.pragma(`cache_size = -${CACHE_SIZE_KIB}`);
    const stage = createStage(db);
    let staged = 0;
    for await (const batch of batches) {
      stage(batch);
      staged += batch.length;
    }
    const imported = inTransaction(db, () => moveStaged(db, now));
    return { imported, skipped: staged - imported };
  } finally {
    db.close();
  }
}

function createStage(db: Connection): (batch: Vote[]) => void {
  db.exec(
    'CREATE TEMP TABLE staged (guild_id TEXT, cast_at INTEGER, user_id TEXT, external_id TEXT, is_doubled INTEGER)',
  );
  const insert = (rows: number) =>
    db.prepare(`INSERT INTO staged VALUES ${Array(rows).fill('(?, ?, ?, ?, ?)').join(', ')}`);
  const [many, one] = [insert(ROWS_AT_ONCE), insert(1)];
  return db.transaction((batch: Vote[]) => {
    const whole = batch.length - (batch.length % ROWS_AT_ONCE);
    for (let i = 0; i < whole; i += ROWS_AT_ONCE)
      many.run(batch.slice(i, i + ROWS_AT_ONCE).flatMap(toValues));
    for (const vote of batch.slice(whole)) one.run(toValues(vote));
  });
}

function toValues({ guildId, castAt, userId, externalId, isDoubled }: Vote): unknown[] {
  return [guildId, castAt, userId, externalId, Number(isDoubled)];
}

/** The number of votes that were not there before. */
function moveStaged(db: Connection, now: Instant): number {
  refuseUnknownGuilds(db);
  watchMoves(db);
  moveVotes(db);
  startCooldowns(db, now);
  return countMoves(db);
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

function refuseUnknownGuilds(db: Connection): void {
  const unknown = db
    .prepare<[], { guild_id: string }>(
      'SELECT guild_id FROM staged WHERE guild_id NOT IN (SELECT guild_id FROM guilds) LIMIT 1',
    )
    .get();
  if (unknown) throw new UnknownGuildError(unknown.guild_id);
}
