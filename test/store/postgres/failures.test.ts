import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openClient } from '../../../src/store/postgres/connection/client.ts';
import { explainFailure } from '../../../src/store/postgres/connection/failures.ts';
import { migratePostgres } from '../../../src/store/postgres/maintenance.ts';
import { createTestDatabase } from '../../support/postgres/postgres.ts';

const URL = 'postgres://votary:hidden@db.example/votary';

function adviceOn(code: string, message: string): string {
  const explained = explainFailure(URL, Object.assign(new Error(message), { code }));
  assert.ok(explained instanceof Error);
  assert.doesNotMatch(explained.message, /hidden|\n/);
  return explained.message;
}

test('a connection that pg_hba.conf rejects gets advice about that, and not about the password', () => {
  const line = 'no pg_hba.conf entry for host "10.0.0.5", user "votary", database "votary", no encryption';
  const advice = adviceOn('28000', line);
  assert.match(advice, /Allow this connection in pg_hba\.conf, or use TLS/);
  assert.doesNotMatch(advice, /password/);
  assert.match(
    adviceOn('28P01', 'password authentication failed for user "votary"'),
    /Correct the user or the password/,
  );
});

test('a migration does not wait for a table that another session has locked, and changes nothing', async (t) => {
  const { url, drop } = await createTestDatabase();
  t.after(drop);
  const other = await openClient(url);
  await other.query('BEGIN; CREATE TABLE guilds (id TEXT)');
  const expected = /another session has locked a table that must be migrated/;
  await assert.rejects(migratePostgres(url, { lockTimeoutMs: 50 }), expected);
  await other.query('ROLLBACK');
  const tables = await other.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
  await other.end();
  assert.deepEqual(tables.rows, []);
  assert.notDeepEqual((await migratePostgres(url)).applied, []);
});

test('every documented pg_restore keeps the database when it fails half-way', async () => {
  const text = await readFile(join(import.meta.dirname, '../../../docs/operating.md'), 'utf8');
  const commands = text.split('\n').filter((line) => line.startsWith('pg_restore'));
  assert.ok(commands.length >= 2);
  for (const command of commands) assert.match(command, / --single-transaction --exit-on-error /);
});
