import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrateDatabase, openStore } from '../../../../src/store/open.ts';
import type { FreshDatabase } from '../../fixtures.ts';
import { runInProcesses } from '../../processes.ts';

export function migrationContract(createDatabase: () => Promise<FreshDatabase>): void {
  test('migrations are applied in order, once', async () => {
    const fresh = await createDatabase();
    const first = await migrateDatabase(fresh.database);
    assert.equal(first.applied[0], '0001-schema');
    assert.deepEqual(first.applied, first.applied.toSorted());
    assert.equal(first.version, Number(first.applied.at(-1)?.slice(0, 4)));
    assert.deepEqual(await migrateDatabase(fresh.database), { applied: [], version: first.version });
    await fresh.drop();
  });

  test('if several processes start together, one of them applies each migration', async () => {
    const fresh = await createDatabase();
    const migrate = { kind: 'migrate', database: fresh.database } as const;
    const applied = await runInProcesses(migrate, migrate, migrate, migrate);
    const untouched = await createDatabase();
    assert.equal(
      applied.reduce((sum, count) => sum + count, 0),
      (await migrateDatabase(untouched.database)).applied.length,
    );
    await untouched.drop();
    const store = await openStore(fresh.database);
    await store.ping();
    await store.close();
    await fresh.drop();
  });
}
