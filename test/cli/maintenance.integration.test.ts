import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../../src/store/open.ts';
import { assertBadUsage, makeHomeWithGuild } from './votary.ts';

test('maintenance is turned on with a message, shown, logged, and turned off', async () => {
  const home = await makeHomeWithGuild();
  const off = { maintenance: false, message: null, since: null };
  assert.deepEqual(await home.json('maintenance', 'status'), off);
  const on = Object(await home.json('maintenance', 'on', '--message', 'Back at 18:00'));
  assert.deepEqual([on.maintenance, on.message], [true, 'Back at 18:00']);
  assert.deepEqual(await home.json('maintenance', 'status'), on);
  const { stdout } = await home.votary('maintenance', 'status');
  assert.match(stdout, /^Votes have been refused since .*Z, with the message "Back at 18:00"\.\n$/);
  const changed = Object(await home.json('maintenance', 'on'));
  assert.deepEqual([changed.since, changed.message], [on.since, null]);
  assert.deepEqual(await home.json('maintenance', 'off'), off);
  assert.match((await home.votary('maintenance', 'off')).stdout, /already/);
  const store = await openStore({ kind: 'sqlite', path: `${home.dataDir}/votary.db` });
  const logged = await store.audit.recent(null, 3);
  await store.close();
  assert.deepEqual(
    logged.map(({ action }) => action),
    ['maintenance_ended', 'maintenance_started', 'maintenance_started'],
  );
  assertBadUsage(await home.votary('maintenance', 'on', '--message', ''), /1 to 300 characters/);
});
