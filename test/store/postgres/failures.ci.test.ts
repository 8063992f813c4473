import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openClient } from '../../../src/store/postgres/connection/client.ts';
import {
  explainFailure,
  isUnreachable,
  NoHostError,
  ReadOnlyError,
} from '../../../src/store/postgres/connection/failures.ts';
import { migratePostgres } from '../../../src/store/postgres/migrate.ts';
import { StoreOpenError } from '../../../src/store/store.ts';
import { startPgBouncer } from '../../support/postgres/pgbouncer.ts';
import { createTestDatabase } from '../../support/postgres/postgres.ts';
import { requirement } from '../../support/requirement.ts';

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

test('an error of a server that responds gets no advice to check that it is running', () => {
  assert.match(adviceOn('42703', 'column "name" does not exist'), /column "name" does not exist\.$/);
  assert.match(adviceOn('57P03', 'the database system is starting up'), /Check that PostgreSQL is running/);
});

test('a service waits for a server that does not respond or is starting, and for nothing else', () => {
  const failure = (code: string, message = 'failed') => Object.assign(new Error(message), { code });
  const starting = failure('57P03', 'the database system is starting up');
  for (const error of [
    ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'ECONNRESET', 'EHOSTUNREACH'].map((code) =>
      failure(code),
    ),
    starting,
    failure('53300', 'sorry, too many clients already'),
    failure('57P01', 'terminating connection due to administrator command'),
    new Error('timeout expired'),
    new Error('Connection terminated unexpectedly'),
    failure('08P01', 'server login has been failing, cached error: connect failed (server_login_retry)'),
    new NoHostError([
      { host: 'one', error: starting },
      { host: 'two', error: new ReadOnlyError() },
    ]),
  ])
    assert.equal(isUnreachable(error), true, error.message);
  const wrongPassword = failure('28P01', 'password authentication failed');
  for (const error of [
    wrongPassword,
    failure('28000', 'role "votary" does not exist'),
    failure('3D000', 'database "votary" does not exist'),
    failure('42501', 'permission denied'),
    failure('42P01', 'relation does not exist'),
    failure('08P01', 'unsupported startup parameter: options'),
    failure('DEPTH_ZERO_SELF_SIGNED_CERT'),
    new ReadOnlyError(),
    new NoHostError([
      { host: 'one', error: starting },
      { host: 'two', error: wrongPassword },
    ]),
  ])
    assert.equal(isUnreachable(error), false, error.message);
});

test('PgBouncer that refuses options= is reported as such', { skip: requirement('pgbouncer') }, async (t) => {
  const { url, drop } = await createTestDatabase();
  t.after(drop);
  const pooler = await startPgBouncer(url, 1);
  t.after(pooler.stop);
  const failed = migratePostgres(`${pooler.url}?options=-csearch_path%3Dvotary`);
  await assert.rejects(failed, (error) => {
    assert.ok(error instanceof StoreOpenError);
    assert.match(error.message, /PgBouncer does not accept options=.*ALTER ROLE … SET search_path/);
    assert.equal(error.isUnreachable, false);
    return true;
  });
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
