import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMigrations } from '../../../../src/store/maintenance/migrations.ts';
import { columnsOf } from '../../../../src/store/maintenance/schema-history.ts';
import { inspectDatabase, migrateDatabase, openStore } from '../../../../src/store/open.ts';
import { StoreOpenError } from '../../../../src/store/store.ts';
import type { Databases, FreshDatabase } from '../../fixtures.ts';

export function migrationContract({ createEmpty, createMigrated }: Databases): void {
  test('migrations are applied in order, once', async () => {
    const fresh = await createEmpty();
    const first = await migrateDatabase(fresh.database);
    assert.equal(first.applied[0], '0001-schema');
    assert.deepEqual(first.applied, first.applied.toSorted());
    assert.equal(first.version, Number(first.applied.at(-1)?.slice(0, 4)));
    assert.deepEqual(await migrateDatabase(fresh.database), { applied: [], version: first.version });
    await fresh.drop();
  });

  const columnsOfDatabase = (fresh: FreshDatabase) =>
    fresh.query(
      fresh.database.kind === 'sqlite'
        ? `SELECT m.name AS table_name, c.name AS column_name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
           WHERE m.type = 'table' AND m.name <> 'schema_migrations' AND m.name NOT LIKE 'sqlite_%'`
        : `SELECT table_name, column_name FROM information_schema.columns
           WHERE table_schema = 'public' AND table_name <> 'schema_migrations'`,
    );
  const hashes = (fresh: FreshDatabase) =>
    fresh.query('SELECT version, hash FROM schema_migrations ORDER BY version');

  test('the columns read from the migrations are those of the database', async () => {
    const fresh = await createMigrated();
    const rows = await columnsOfDatabase(fresh);
    const found = rows.map((row) => `${row.table_name}.${row.column_name}`).toSorted();
    const folder = new URL(`../../../../src/store/${fresh.database.kind}/migrations/`, import.meta.url);
    const expected = [...columnsOf(readMigrations(folder).map(({ sql }) => sql))].flatMap(
      ([table, columns]) => [...columns].map((column) => `${table}.${column}`),
    );
    assert.deepEqual(found, expected.toSorted());
    await fresh.drop();
  });

  test('each migration is recorded with its hash and the version of the program', async () => {
    const fresh = await createMigrated();
    const rows = await fresh.query('SELECT hash, made_by FROM schema_migrations');
    assert.ok(rows.length > 0);
    for (const { hash, made_by: madeBy } of rows) {
      assert.match(String(hash), /^[0-9a-f]{64}$/);
      assert.match(String(madeBy), /^\d+\.\d+\.\d+/);
    }
    await fresh.drop();
  });

  test('a database from before hashes gets them if its tables are those of the migrations', async () => {
    const fresh = await createMigrated();
    const before = await hashes(fresh);
    await fresh.run('ALTER TABLE schema_migrations DROP COLUMN hash');
    await fresh.run('ALTER TABLE schema_migrations DROP COLUMN made_by');
    assert.equal((await inspectDatabase(fresh.database))?.foreignReason, null);
    assert.deepEqual((await migrateDatabase(fresh.database)).applied, []);
    assert.deepEqual(await hashes(fresh), before);
    await fresh.drop();
  });

  /** Databases that other files under the same numbers have made, and what is said about them. */
  const FOREIGN: Record<string, { sql: string; expected: RegExp }> = {
    'from before the migrations were squashed': {
      sql: `DROP TABLE schema_migrations;
            CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL);
            INSERT INTO schema_migrations VALUES (1, '0001-guilds-and-votes', 1), (2, '0002-counts-and-activities', 2)`,
      expected: /before commit 14ee598\), .* its migration 0001-guilds-and-votes is not 0001-schema/,
    },
    'from before the first migration was complete': {
      sql: `DROP TABLE guild_milestones;
            ALTER TABLE schema_migrations DROP COLUMN hash;
            ALTER TABLE schema_migrations DROP COLUMN made_by`,
      expected: /commits 14ee598 and 30b3efd\), .* it has no table guild_milestones/,
    },
    'without a column of the migrations': {
      sql: `ALTER TABLE guild_profiles DROP COLUMN discord_name;
            ALTER TABLE schema_migrations DROP COLUMN hash;
            ALTER TABLE schema_migrations DROP COLUMN made_by`,
      expected: /its table guild_profiles has no column discord_name/,
    },
    'with a column that no migration has': {
      sql: `ALTER TABLE users ADD COLUMN colour TEXT;
            ALTER TABLE schema_migrations DROP COLUMN hash;
            ALTER TABLE schema_migrations DROP COLUMN made_by`,
      expected: /its table users has an unknown column colour/,
    },
    'made by a known version with other files': {
      sql: "UPDATE schema_migrations SET hash = 'other', made_by = '0.0.7' WHERE version = 1",
      expected: /made by Votary \d+\.\d+\.\d+, .* its migration 0001-schema had other contents/,
    },
  };

  for (const [name, { sql, expected }] of Object.entries(FOREIGN)) {
    test(`a database ${name} is refused in one line, and doctor says the same`, async () => {
      const fresh = await createMigrated();
      for (const statement of sql.split(';')) await fresh.run(statement);
      const reason = (await inspectDatabase(fresh.database))?.foreignReason ?? '';
      assert.match(reason, expected);
      assert.match(reason, /^The database was made by .*\. Export its votes with the version that made it/);
      const refused = (error: unknown) => error instanceof StoreOpenError && error.message === reason;
      await assert.rejects(migrateDatabase(fresh.database), refused);
      await assert.rejects(openStore(fresh.database), refused);
      await fresh.drop();
    });
  }

  /** Databases that Votary has not made. */
  const OF_OTHER_PROGRAMS: Record<string, { sql: string; table: string }> = {
    'with a table of the same name': { sql: 'CREATE TABLE users (id INTEGER)', table: 'users' },
    'whose migrations have no names': {
      sql: "CREATE TABLE schema_migrations (version TEXT); INSERT INTO schema_migrations VALUES ('20200101120000')",
      table: 'schema_migrations',
    },
    'that was never migrated': {
      sql: 'CREATE TABLE schema_migrations (version INTEGER)',
      table: 'schema_migrations',
    },
  };

  for (const [name, { sql, table }] of Object.entries(OF_OTHER_PROGRAMS)) {
    test(`a database of another program ${name} is refused in one line, and not changed`, async () => {
      const fresh = await createEmpty();
      for (const statement of sql.split(';')) await fresh.run(statement);
      const before = await fresh.query(`SELECT * FROM ${table}`);
      const reason = (await inspectDatabase(fresh.database))?.foreignReason ?? '';
      assert.match(
        reason,
        new RegExp(`^it belongs to another program, because it has a table ${table} that`),
      );
      const refused = (error: unknown) =>
        error instanceof StoreOpenError && error.message.endsWith(` cannot be opened: ${reason}`);
      await assert.rejects(migrateDatabase(fresh.database), refused);
      await assert.rejects(openStore(fresh.database), refused);
      assert.deepEqual(await fresh.query(`SELECT * FROM ${table}`), before);
      await fresh.drop();
    });
  }

  test('a database with unrelated tables of another program can be used', async () => {
    const fresh = await createEmpty();
    await fresh.run('CREATE TABLE django_migrations (id INTEGER)');
    assert.notDeepEqual((await migrateDatabase(fresh.database)).applied, []);
    await fresh.drop();
  });
}
