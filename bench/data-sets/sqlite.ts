import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { openStore } from '../../src/store/open.ts';
import { allGuilds } from './keys.ts';
import { type Progress, startProgress } from './progress.ts';
import { listSql, NOW, PREMIUM_UNTIL, type Shape, SPREAD_SQL } from './shape.ts';

type Connection = Database.Database;

const CHUNK = 500_000;
const COLUMNS = 'guild_id, cast_at, user_id, external_id, is_doubled, name_key';

/** Many guilds without votes, to import into. */
export async function ensureGuildsFile(path: string, shape: Shape): Promise<string> {
  if (existsSync(path)) return path;
  const progress = startProgress('SQLite, guilds alone', 1);
  await makeFile(path, progress, (db) => {
    progress.step('guilds');
    addGuildsTo(db, shape);
  });
  return path;
}

/** Many guilds with a few votes each. */
export async function ensureSpreadFile(path: string, shape: Shape): Promise<string> {
  if (existsSync(path)) return path;
  const progress = startProgress('SQLite, many guilds', 3);
  await makeFile(path, progress, (db) => {
    progress.step('guilds');
    addGuildsTo(db, shape);
    progress.step('votes');
    addSpreadVotes(db, shape);
    progress.step('sums');
    sumUp(db);
  });
  return path;
}

/** The same data, plus guilds with long vote lists. */
export async function ensureListsFile(path: string, spreadPath: string, shape: Shape): Promise<string> {
  if (existsSync(path)) return path;
  const chunks = shape.lists.reduce((sum, votes) => sum + Math.ceil(votes / CHUNK), 0);
  const progress = startProgress('SQLite, long lists', chunks + 2);
  copyFileSync(spreadPath, `${path}.new`);
  await makeFile(path, progress, (db) => {
    // Building the index at the end, in order, takes a tenth of the time.
    db.exec('DROP INDEX votes_by_user');
    shape.lists.forEach((votes, list) => {
      addList(db, progress, shape.guilds + list, list, votes);
    });
    progress.step('index');
    db.exec('CREATE INDEX votes_by_user ON votes (guild_id, user_id, cast_at)');
    progress.step('sums');
    sumUp(db);
  });
  return path;
}

/** The file gets its final name when it is complete, so an interrupted run leaves no partial data set. */
export async function makeFile(
  path: string,
  progress: Progress,
  fill: (db: Connection) => void,
): Promise<void> {
  const draft = `${path}.new`;
  await (await openStore({ kind: 'sqlite', path: draft })).close();
  const db = new Database(draft);
  db.pragma('synchronous = OFF');
  db.pragma('cache_size = -524288');
  db.pragma('temp_store = MEMORY');
  db.transaction(() => fill(db))();
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  for (const ending of ['-wal', '-shm']) rmSync(draft + ending, { force: true });
  renameSync(draft, path);
  progress.done();
}

export function addGuildsTo(db: Connection, shape: Shape): void {
  const insert = db.prepare(
    `INSERT INTO guilds (guild_id, name, name_folded, created_at, premium_until, key_hash, key_sealed, key_created_at)
     VALUES (?, ?, lower(?), ?, ?, ?, '', ?)`,
  );
  for (const { guildId, name, keyHash } of allGuilds(shape)) {
    insert.run(guildId, name, name, NOW, PREMIUM_UNTIL, keyHash, NOW);
  }
}

export function addSpreadVotes(db: Connection, { guilds, votesPerGuild }: Shape): void {
  const sql = SPREAD_SQL;
  db.exec(
    `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${guilds * votesPerGuild}),
       pairs AS (SELECT n / ${votesPerGuild} AS g, n % ${votesPerGuild} AS i FROM numbers)
     INSERT INTO votes (${COLUMNS})
     SELECT ${sql.guildId}, ${sql.castAt}, ${sql.userId}, ${sql.externalId}, ${sql.isDoubled}, upper(${sql.externalId}) FROM pairs ORDER BY 1, 2, 3`,
  );
}

function addList(db: Connection, progress: Progress, guild: number, list: number, votes: number): void {
  const sql = listSql(list, votes);
  for (let start = 0; start < votes; start += CHUNK) {
    progress.step(`list of ${votes.toLocaleString('en')}, from ${start.toLocaleString('en')}`);
    db.exec(
      `WITH RECURSIVE numbers (i) AS (
         SELECT ${start} UNION ALL SELECT i + 1 FROM numbers WHERE i + 1 < ${Math.min(start + CHUNK, votes)})
       INSERT INTO votes (${COLUMNS})
       SELECT (SELECT ${SPREAD_SQL.guildId} FROM (SELECT ${guild} AS g)), ${sql.castAt}, ${sql.userId}, NULL, ${sql.isDoubled}, NULL
       FROM numbers`,
    );
  }
}

/** The derived tables that the store maintains. */
export function sumUp(db: Connection): void {
  db.exec(`
    DELETE FROM hourly_votes;
    DELETE FROM monthly_votes;
    DELETE FROM cooldowns;
    INSERT INTO hourly_votes (guild_id, hour, votes, doubled)
    SELECT guild_id, cast_at - cast_at % 3600000 AS hour, count(*), sum(is_doubled)
    FROM votes GROUP BY guild_id, hour;
    INSERT INTO monthly_votes (guild_id, month, votes, doubled)
    SELECT guild_id, unixepoch(hour / 1000, 'unixepoch', 'start of month') * 1000 AS month, sum(votes), sum(doubled)
    FROM hourly_votes GROUP BY guild_id, month;
    INSERT INTO cooldowns (guild_id, user_id, last_vote_at)
    SELECT guild_id, user_id, max(cast_at) FROM votes INDEXED BY votes_by_user GROUP BY guild_id, user_id;
  `);
}
