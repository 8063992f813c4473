/** One row in a transaction of its own, through the bare driver, as durable as the writes of the store. */
import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import pg from 'pg';
import type { DatabaseUrl } from '../../src/config.ts';
import { guildId, NOW, userId } from '../data-sets/shape.ts';

export type RawWriter = { write(i: number): Promise<unknown>; close(): Promise<void> };

/** As many connections as the store uses. */
const CONNECTIONS = 10;

const TABLE = 'CREATE TABLE raw_writes (id INTEGER PRIMARY KEY, guild_id TEXT, user_id TEXT, at BIGINT)';

/** On SQLite in a file beside that of the store, on PostgreSQL in a table of the same database. */
export function openRawWriter(database: DatabaseUrl): Promise<RawWriter> {
  return database.kind === 'sqlite' ? openSqlite(`${database.path}-raw`) : openPostgres(database.url);
}

async function openSqlite(path: string): Promise<RawWriter> {
  const remove = () => {
    for (const ending of ['', '-wal', '-shm']) rmSync(path + ending, { force: true });
  };
  remove();
  const db = new Database(path);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec(TABLE);
  const insert = db.prepare('INSERT INTO raw_writes VALUES (?, ?, ?, ?)');
  return {
    write: async (i) => insert.run(...rowOf(i)),
    close: async () => {
      db.close();
      remove();
    },
  };
}

async function openPostgres(url: string): Promise<RawWriter> {
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
  // The server may stop before the pool has closed its connections.
  pool.on('error', () => {});
  await pool.query(TABLE);
  const text = 'INSERT INTO raw_writes VALUES ($1, $2, $3, $4)';
  return {
    write: (i) => pool.query({ name: 'insert', text, values: rowOf(i) }),
    close: () => pool.end(),
  };
}

function rowOf(i: number): [number, string, string, number] {
  return [i, guildId(0), userId(0, i), NOW];
}
