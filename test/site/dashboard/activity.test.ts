import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS } from '../../../src/domain/clock.ts';
import { onSqlite } from '../../support/api.ts';
import { openDashboard } from './open-dashboard.ts';

onSqlite('the activity log', (open) => {
  test('says who did what and when, the newest first', async (t) => {
    const { alex, path, store, guildId, clock } = await openDashboard(t, await open());
    const at = clock();
    await store.activities.record({ guildId, at, actor: null, action: 'key_generated' });
    const actor = { userId: '200000000000000101', name: '<i>Alex' };
    await store.activities.record({ guildId, at: at + MINUTE_MS, actor, action: 'key_shown' });
    const { text } = await alex.get(path('/activity'));
    const rows = [...text.matchAll(/<tr><td.*?<\/tr>/gs)].map(([row]) =>
      row
        .replace(/<[^>]+>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    );
    assert.deepEqual(rows, [
      'Nov 15, 2026, 12:01:00 UTC &#60;i&#62;Alex 200000000000000101 Saw the API key',
      'Nov 15, 2026, 12:00:00 UTC Operator Generated an API key',
    ]);
  });

  test('holds nothing of another guild', async (t) => {
    const { alex, charlie, otherGuildId, path } = await openDashboard(t, await open());
    await charlie.submit(await charlie.get('/dashboard'), `/dashboard/${otherGuildId}/list`);
    assert.match((await alex.get(path('/activity'))).text, /Nothing has happened yet/);
  });
});
