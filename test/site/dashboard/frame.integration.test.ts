import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBrand } from '../../../src/site/layout/brand.ts';
import { onSqlite } from '../../support/api.ts';
import { openDashboard } from './open-dashboard.ts';

const HOSTILE = '<img src=x onerror=alert(1)> & "Friends"';

onSqlite('the dashboard', (open) => {
  test('of a sanctioned community says why, and where the operator can be reached', async (t) => {
    const links = [{ label: 'Support & help', url: 'https://example.org/support' }];
    const brand = createBrand({ name: null, logo: null, accent: null, links });
    const { alex, path, store, guildId, clock } = await openDashboard(t, await open(), null, { brand });
    const form = await alex.get(path('/settings'));
    await store.guilds.setSanction(guildId, { since: clock(), reason: '<b>ועוד' });
    const contact =
      /Contact the operator of this site\.( <a href="https:\/\/example\.org\/support">Support &#38; help<\/a>)/;
    const { text } = await alex.get(path());
    assert.match(text, /Reason: <bdi>&#60;b&#62;ועוד<\/bdi>/);
    assert.match(text, contact);
    const refused = await alex.submit(form, path('/settings'), { doubling: 'always' });
    assert.equal(refused.status, 403);
    assert.match(refused.text, contact);
  });

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
