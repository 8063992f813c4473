/**
 * Runs the previous version of the program on the schema of the next one. Nothing is released yet, so the next version
 * is invented: it adds a column to every table, a table and an index, as a migration may do within a major version.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { readMigrations } from '../../src/store/maintenance/migrations.ts';
import { inspectDatabase, migrateDatabase, openStore } from '../../src/store/open.ts';
import { type Store, StoreOpenError } from '../../src/store/store.ts';
import { admitContract } from './contract/access/admit.ts';
import { keyContract } from './contract/access/keys.ts';
import { idempotencyContract } from './contract/claims/idempotency.ts';
import { activityContract } from './contract/guilds/activities.ts';
import { guildContract } from './contract/guilds/guilds.ts';
import { voidingContract } from './contract/moderation/voiding.ts';
import { castContract } from './contract/votes/cast.ts';
import { listContract } from './contract/votes/lists.ts';
import { webhookQueueContract } from './contract/webhooks/queue.ts';
import type { Subject } from './contract.ts';
import { type FreshDatabase, POSTGRES, SQLITE } from './fixtures.ts';

const DATABASES = [
  { name: 'SQLite', createDatabase: SQLITE.createEmpty },
  { name: 'PostgreSQL', createDatabase: POSTGRES.createEmpty },
];

const TABLES = {
  sqlite: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  postgres: "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
};

/** Migrates a new database to the schema of this program, and then to an invented next one. */
async function upgrade({ database, run, query }: FreshDatabase, oldestCompatible: number): Promise<number> {
  const { version } = await migrateDatabase(database);
  for (const { name } of await query(TABLES[database.kind])) {
    await run(`ALTER TABLE ${name} ADD COLUMN added_later TEXT NOT NULL DEFAULT 'a default'`);
  }
  await run('CREATE TABLE added_later (guild_id TEXT NOT NULL PRIMARY KEY, note TEXT)');
  await run('CREATE INDEX votes_added_later ON votes (guild_id, added_later)');
  const next = version + 1;
  await run(
    `INSERT INTO schema_migrations (version, name, applied_at, oldest_compatible) VALUES (${next}, 'later', 0, ${oldestCompatible})`,
  );
  return next;
}

for (const { name, createDatabase } of DATABASES) {
  describe(`this program on a newer, compatible schema of ${name}`, () => {
    let fresh: FreshDatabase;
    let store: Store;
    let next: number;
    before(async () => {
      fresh = await createDatabase();
      next = await upgrade(fresh, 1);
      store = await openStore(fresh.database);
    });
    after(async () => {
      await store.close();
      await fresh.drop();
    });

    test('starts, migrates nothing, and reports the version it found', async () => {
      assert.deepEqual(await migrateDatabase(fresh.database), { applied: [], version: next });
      const report = await inspectDatabase(fresh.database);
      assert.deepEqual(
        [report?.schemaVersion, report?.newestVersion, report?.isCompatible],
        [next, next - 1, true],
      );
    });

    const subject: Subject = {
      get store() {
        return store;
      },
      get database() {
        return fresh.database;
      },
      query: (sql) => fresh.query(sql),
      run: (sql) => fresh.run(sql),
    };
    guildContract(subject);
    keyContract(subject);
    admitContract(subject);
    castContract(subject);
    listContract(subject);
    idempotencyContract(subject);
    activityContract(subject);
    voidingContract(subject);
    webhookQueueContract(subject);
  });

  test(`a newer schema of ${name} that needs a newer program is rejected in one line, and left unchanged`, async (t) => {
    const fresh = await createDatabase();
    t.after(() => fresh.drop());
    const next = await upgrade(fresh, (await migrateDatabase(fresh.database)).version + 1);
    const isRefusal = (error: unknown) =>
      error instanceof StoreOpenError &&
      new RegExp(`^The database has schema version ${next}, .*start a newer Votary, or restore`).test(
        error.message,
      );
    await assert.rejects(openStore(fresh.database), isRefusal);
    await assert.rejects(migrateDatabase(fresh.database), isRefusal);
    assert.equal((await inspectDatabase(fresh.database))?.isCompatible, false);
  });
}

test('a migration is incompatible with older programs unless it declares which ones can use it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'votary-migrations-'));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, '0002-add.sql'), '-- Adds a column.\n-- oldest-compatible: 1\nSELECT 1;\n');
  await writeFile(join(folder, '0003-remove.sql'), 'SELECT 1;\n');
  const migrations = readMigrations(pathToFileURL(`${folder}/`));
  assert.deepEqual(
    migrations.map(({ version, oldestCompatible }) => [version, oldestCompatible]),
    [
      [2, 1],
      [3, 3],
    ],
  );
});
