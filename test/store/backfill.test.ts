/** Databases that were made before votes were counted and names folded. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import type { DatabaseUrl } from '../../src/config.ts';
import { formatInstant } from '../../src/domain/clock.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { createTestDatabase, runOn } from '../support/postgres.ts';

const GUILD = '100000000000000001';
const TIMES = [
  '1969-12-31T23:59:59.500Z',
  '2026-10-31T23:10:00Z',
  '2026-11-01T00:10:00Z',
  '2026-11-01T00:50:00Z',
];

async function firstSchema(backend: string, history: string): Promise<string> {
  const file = `../../src/store/${backend}/migrations/0001-guilds-and-votes.sql`;
  const rows = TIMES.map(
    (time, i) => `('${GUILD}', ${Date.parse(time)}, '20000000000000000${i}', ${i === 3})`,
  );
  return `${await readFile(new URL(file, import.meta.url), 'utf8')};
    ${history};
    INSERT INTO schema_migrations VALUES (1, '0001-guilds-and-votes', 0);
    INSERT INTO guilds (guild_id, name, created_at) VALUES ('${GUILD}', 'Café', 0);
    INSERT INTO votes (guild_id, cast_at, user_id, is_doubled) VALUES ${rows}`;
}

async function assertFilled(database: DatabaseUrl): Promise<void> {
  const store = await openStore(database);
  const inMonth = (month: string) => store.votes.countInMonth(GUILD, Date.parse(month));
  assert.deepEqual(
    await Promise.all(['1969-12-01', '1970-01-01', '2026-10-01', '2026-11-01'].map(inMonth)),
    [1, 0, 1, 2],
  );
  const period = { from: Date.parse('2026-10-31T23:00Z'), to: Date.parse('2026-11-01T00:45Z') };
  assert.equal(await store.votes.count({ guildId: GUILD, userId: null, period }), 2);
  const days = await store.votes.daily(GUILD, {
    from: Date.parse('1969-12-01'),
    to: Date.parse('2026-12-01'),
  });
  assert.deepEqual(
    days.map(({ day, votes, doubled }) => [formatInstant(day).slice(0, 10), votes, doubled]),
    [
      ['1969-12-31', 1, 0],
      ['2026-10-31', 1, 0],
      ['2026-11-01', 2, 1],
    ],
  );
  await assertFound(store);
  await store.close();
}

async function assertFound(store: Store): Promise<void> {
  for (const search of ['CAFÉ', 'cafe']) {
    const page = { search, limit: 5, offset: 0 };
    assert.deepEqual(await store.guilds.ranking(Date.parse('2026-11-01'), page), [
      { guildId: GUILD, name: 'Café', votes: 2 },
    ]);
  }
}

/** As it was left by a version that searched names with their accents. */
const WITH_ACCENTS = `
  UPDATE guilds SET name_folded = 'CAFÉ';
  DELETE FROM schema_migrations WHERE version = 4`;

async function assertFoldedAnew(database: DatabaseUrl): Promise<void> {
  const store = await openStore(database);
  await assertFound(store);
  await store.close();
}

test('votes and names of an older SQLite file are counted and found', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'votary-backfill-'));
  const path = join(folder, 'votary.db');
  const history =
    'CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, name TEXT, applied_at INTEGER) STRICT';
  new Database(path).exec(await firstSchema('sqlite', history)).close();
  await assertFilled({ kind: 'sqlite', path });
  new Database(path).exec(WITH_ACCENTS).close();
  await assertFoldedAnew({ kind: 'sqlite', path });
  await rm(folder, { recursive: true });
});

test('votes and names of an older PostgreSQL database are counted and found', async () => {
  const { url, drop } = await createTestDatabase();
  const history =
    'CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, name TEXT, applied_at BIGINT)';
  await runOn(url, await firstSchema('postgres', history));
  await assertFilled({ kind: 'postgres', url });
  await runOn(url, WITH_ACCENTS);
  await assertFoldedAnew({ kind: 'postgres', url });
  await drop();
});
