import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../../support/api.ts';
import { openDashboard } from './open-dashboard.ts';

onSqlite('the Share tab', (open) => {
  test('has an announcement, the preview card, the badge and the links, in both languages', async (t) => {
    const { alex, path, guildId } = await openDashboard(t, await open());
    const { status, text } = await alex.get(path('/share'));
    assert.equal(status, 200);
    assert.match(text, /id="announcement-text"[^>]*>Vote for [^<]+ and help us climb/);
    assert.ok(text.includes(`src="/guild/${guildId}/card.png?locale=en"`));
    assert.ok(text.includes(`/guild/${guildId}/badge.svg?locale=en`));
    assert.match(text, new RegExp(`id="vote-address">https://[^<]+/guild/${guildId}/vote<`));
    const french = await alex.get(path('/share'), { 'accept-language': 'fr' });
    assert.match(french.text, /Votez pour [^<]+ et aidez-nous/);
  });

  test('offers nothing while the community is sanctioned', async (t) => {
    const { alex, path, store, guildId, clock } = await openDashboard(t, await open());
    await store.guilds.setSanction(guildId, { since: clock(), reason: null });
    const { status, text } = await alex.get(path('/share'));
    assert.equal(status, 200);
    assert.doesNotMatch(text, /card\.png/);
  });
});
