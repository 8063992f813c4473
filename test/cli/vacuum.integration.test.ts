import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lockForService, openStore, vacuumDatabase } from '../../src/store/open.ts';
import { createMigratedDatabase } from '../support/postgres/postgres.ts';
import { assertFailed, GUILD, makeHome, makeHomeWithGuild, voteLine } from './votary.ts';

test('vacuum makes a SQLite file smaller after votes were deleted', async () => {
  const home = await makeHomeWithGuild();
  const start = Date.parse('2026-01-01T00:00:00.000Z');
  const lines = Array.from({ length: 3000 }, (_, i) =>
    voteLine({ timestamp: new Date(start + i).toISOString(), external_id: `Player_${i}` }),
  );
  await home.pipe(lines.join('\n'), 'votes', 'import', '-');
  await home.votary('guild', 'remove', GUILD, '--yes');
  const done = Object(await home.json('vacuum'));
  assert.equal(done.database, 'sqlite');
  assert.ok(done.bytes_after < done.bytes_before, JSON.stringify(done));
  assert.match(
    (await home.votary('vacuum')).stdout,
    /^The database has [\d.]+ kB; before it had [\d.]+ kB\.\n$/,
  );
});

test('vacuum refuses a SQLite file that a service uses, and one that does not exist', async () => {
  const home = await makeHomeWithGuild();
  const lock = await lockForService({ kind: 'sqlite', path: `${home.dataDir}/votary.db` });
  assertFailed(await home.votary('vacuum'), /the service is running .* stop it/);
  lock.release();
  assert.equal((await home.votary('vacuum')).code, 0);
  assertFailed(await (await makeHome()).votary('vacuum'), /there is no database at/);
});

test('vacuum works on PostgreSQL while a store is open', async () => {
  const { url, drop } = await createMigratedDatabase();
  const store = await openStore({ kind: 'postgres', url });
  try {
    const { bytesBefore, bytesAfter } = await vacuumDatabase({ kind: 'postgres', url });
    assert.ok(bytesBefore > 1e6 && bytesAfter > 1e6);
  } finally {
    await store.close();
    await drop();
  }
});
