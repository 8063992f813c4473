/** One row in a transaction of its own, through the bare driver, as durable as the writes of the store. */
import Database from 'better-sqlite3';
import pg from 'pg';
import { guildId, NOW, userId } from '../data-sets/shape.ts';
import { readOptions } from '../servers/protocol.ts';
import { offerWrites, type WritesOptions } from '../servers/task.ts';

/** As many as the store uses. */
const CONNECTIONS = 10;

const TABLE = 'CREATE TABLE raw_writes (id INTEGER PRIMARY KEY, guild_id TEXT, user_id TEXT, at BIGINT)';

const { database } = readOptions<Pick<WritesOptions, 'database'>>();
offerWrites(await (database.kind === 'sqlite' ? openSqlite(database.path) : openPostgres(database.url)));

async function openSqlite(path: string): Promise<(i: number) => Promise<unknown>> {
  const db = new Database(path);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec(TABLE);
  const insert = db.prepare('INSERT INTO raw_writes VALUES (?, ?, ?, ?)');
  return async (i) => insert.run(...rowOf(i));
}

async function openPostgres(url: string): Promise<(i: number) => Promise<unknown>> {
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
  await pool.query(TABLE);
  const text = 'INSERT INTO raw_writes VALUES ($1, $2, $3, $4)';
  return (i) => pool.query({ name: 'insert', text, values: rowOf(i) });
}

function rowOf(i: number): [number, string, string, number] {
  return [i, guildId(0), userId(0, i), NOW];
}
