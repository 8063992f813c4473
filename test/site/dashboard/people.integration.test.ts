import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OTHER_USER, onSqlite, USER } from '../../support/api.ts';
import { openDashboard } from './open-dashboard.ts';

const AVATAR = '0f'.repeat(16);
const HOSTILE = '<img src=x onerror=alert(1)>';

onSqlite('people on the pages of admins', (open) => {
  test('have their name and picture in votes and top voters, with the id to copy; others are shown by id', async (t) => {
    const { alex, path, vote, store, clock } = await openDashboard(t, await open());
    await vote({ at: '2026-11-15T11:00:00Z' }, { at: '2026-11-15T11:01:00Z', userId: OTHER_USER });
    await store.users.remember({ userId: USER, name: HOSTILE, avatar: AVATAR }, clock());
    for (const tab of ['', '/votes']) {
      const { text } = await alex.get(path(tab));
      const link = `<a href="${path('/votes')}?user=${USER}"><bdi title="${USER}">&#60;img src=x onerror=alert(1)&#62;</bdi></a>`;
      assert.ok(text.includes(link), text);
      assert.ok(
        text.includes(`src="https://cdn.discordapp.com/avatars/${USER}/${AVATAR}.webp?size=64" alt=""`),
      );
      assert.ok(text.includes(`data-copy-text="${USER}"`));
      assert.ok(text.includes(`?user=${OTHER_USER}"><span class="mono">${OTHER_USER}</span></a>`));
      assert.ok(!text.includes(HOSTILE));
    }
    const filtered = await alex.get(path(`/votes?user=${USER}`), { 'accept-language': 'fr' });
    assert.match(filtered.text, /Votes de <span class="who">/);
  });

  test('have the name in the activity log that it recorded, without a picture if there is none', async (t) => {
    const { alex, path, store, guildId, clock } = await openDashboard(t, await open());
    const actor = { userId: OTHER_USER, name: 'Old name' };
    await store.activities.record({ guildId, at: clock(), actor, action: 'key_shown' });
    await store.users.remember({ userId: OTHER_USER, name: 'New name', avatar: null }, clock());
    const { text } = await alex.get(path('/activity'));
    assert.ok(text.includes(`<bdi title="${OTHER_USER}">Old name</bdi>`));
    assert.doesNotMatch(text, /cdn\.discordapp\.com\/avatars/);
  });

  test('can load pictures from Discord on these pages only', async (t) => {
    const { app, path, guildId } = await openDashboard(t, await open());
    const sources = async (url: string) =>
      /img-src ([^;]+)/.exec(String((await app.inject(url)).headers['content-security-policy']))?.[1];
    const own = "'self' data:";
    assert.equal(await sources('/'), own);
    assert.equal(await sources(`/guild/${guildId}/vote`), own);
    for (const url of [path(), '/dashboard', '/operator/bans'])
      assert.equal(await sources(url), `${own} https://cdn.discordapp.com`);
    assert.equal(await sources('/dashboards'), own);
  });
});
