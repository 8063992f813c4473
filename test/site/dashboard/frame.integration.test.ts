import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../../support/api.ts';
import { openDashboard } from './open-dashboard.ts';

const HOSTILE = '<img src=x onerror=alert(1)> & "Friends"';

onSqlite('the dashboard', (open) => {
  test('shows a hostile community name as text on every tab', async (t) => {
    const { alex, path, store, guildId } = await openDashboard(t, await open());
    await store.guilds.rename(guildId, HOSTILE);
    for (const tab of [
      '',
      '/key',
      '/votes',
      '/webhooks',
      '/settings',
      '/settings/profile',
      '/settings/banner',
      '/activity',
    ]) {
      const { status, text } = await alex.get(path(tab));
      assert.equal(status, 200, tab);
      assert.match(text, /<h1[^>]*>.*&#60;img src=x onerror=alert\(1\)&#62; &#38; &#34;Friends&#34;/s, tab);
      assert.doesNotMatch(text, /<img src=x/, tab);
    }
  });
});
