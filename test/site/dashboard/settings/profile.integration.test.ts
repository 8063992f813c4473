import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_PROFILE } from '../../../../src/domain/guild.ts';
import { DASHBOARD_LIMITS } from '../../../../src/site/dashboard/access.ts';
import { onSqlite } from '../../../support/api.ts';
import { openDashboard } from '../open-dashboard.ts';

const FIELDS = {
  description: 'Builders  & <b>dreamers</b>',
  tags: 'Minecraft, Role Play',
  language: 'fr',
  invite: 'https://discord.com/invite/cafe',
  about: 'Rules\r\n\r\nand events',
  links: 'https://example.org/shop',
};

const SAVED = {
  description: 'Builders & <b>dreamers</b>',
  tags: ['minecraft', 'role-play'],
  language: 'fr',
  invite: 'https://discord.gg/cafe',
  about: 'Rules\n\nand events',
  links: ['https://example.org/shop'],
};

onSqlite('the profile form', (open) => {
  test('shows a preview without saving', async (t) => {
    const { alex, path, store, guildId, activities } = await openDashboard(t, await open());
    const page = await alex.get(path('/settings/profile'));
    assert.match(
      page.text,
      /<button>Save profile<\/button><button class="secondary" name="preview" value="yes">/,
    );
    const answer = await alex.submit(page, path('/settings/profile'), { ...FIELDS, preview: 'yes' });
    const { text } = await alex.get(answer.location ?? '');
    assert.match(text, /This is a preview\. Nothing has been saved yet/);
    assert.match(text, /<p class="profile-text"[^>]*>Builders &#38; &#60;b&#62;dreamers/);
    assert.match(text, /href="https:\/\/discord\.gg\/cafe" rel="nofollow/);
    assert.match(text, /<option value="fr" selected>French</);
    assert.deepEqual(await store.profiles.find(guildId), NO_PROFILE);
    assert.deepEqual(await activities(), []);
  });

  test('previews and saves the longest texts, whatever their script', async (t) => {
    const { alex, path, store, guildId } = await openDashboard(t, await open());
    const page = await alex.get(path('/settings/profile'));
    for (const character of ['語', '\u{1F389}']) {
      const about = character.repeat(2000);
      const longest = { ...FIELDS, about, description: character.repeat(300) };
      const preview = await alex.submit(page, path('/settings/profile'), { ...longest, preview: 'yes' });
      assert.deepEqual([preview.status, preview.location], [200, undefined]);
      assert.ok(preview.text.includes(`>${about}</p>`));
      assert.match(preview.text, /This is a preview/);
      const saved = await alex.submit(page, path('/settings/profile'), longest);
      assert.equal(saved.location, path('/settings/profile?done=profile-saved'));
      assert.equal((await store.profiles.find(guildId)).about, about);
    }
  });

  test('saves the form, and the log shows what changed', async (t) => {
    const { alex, path, store, guildId, activities } = await openDashboard(t, await open());
    const page = await alex.get(path('/settings/profile'));
    const answer = await alex.submit(page, path('/settings/profile'), FIELDS);
    assert.deepEqual([answer.status, answer.location], [303, path('/settings/profile?done=profile-saved')]);
    assert.deepEqual(await store.profiles.find(guildId), SAVED);
    assert.match((await alex.get(answer.location ?? '')).text, /Profile saved/);
    await alex.submit(page, path('/settings/profile'), { ...FIELDS, tags: '' });
    await alex.submit(page, path('/settings/profile'), { ...FIELDS, tags: '' });
    assert.deepEqual(await activities(), [
      ['Alex', 'profile_changed'],
      ['Alex', 'profile_changed'],
    ]);
    const { text } = await alex.get(path('/activity'));
    assert.match(text, /Tags – <bdi>minecraft, role-play<\/bdi> → <i>empty<\/i>/);
    assert.match(text, /Description – <i>empty<\/i> → <bdi>Builders &#38; &#60;b&#62;/);
    assert.match((await alex.get(path('/settings'))).text, /Builders &#38; &#60;b&#62;dreamers/);
  });

  test('rejects invalid fields, keeps the input, and links to the first error', async (t) => {
    const { alex, path, store, guildId, activities } = await openDashboard(t, await open());
    const page = await alex.get(path('/settings/profile'));
    const wrong = { ...FIELDS, tags: 'c++', invite: 'https://evil.example/"' };
    const answer = await alex.submit(page, path('/settings/profile'), wrong);
    assert.equal(answer.status, 303);
    const { text } = await alex.get(answer.location ?? '');
    assert.match(text, /role="alert">The profile was not saved/);
    assert.match(
      text,
      /value="c\+\+"[^>]* aria-describedby="tags-hint tags-error" aria-invalid="true" autofocus>/,
    );
    assert.match(text, /value="https:\/\/evil\.example\/&#34;"[^>]* aria-invalid="true">/);
    assert.equal(text.match(/ autofocus/g)?.length, 1);
    assert.deepEqual(await store.profiles.find(guildId), NO_PROFILE);
    assert.deepEqual(await activities(), []);
    const about = 'é'.repeat(2001);
    const long = await alex.submit(page, path('/settings/profile'), { description: 'x', about });
    assert.equal(long.location, undefined);
    assert.match(long.text, /Use at most 2000 characters/);
    assert.ok(long.text.includes(`${about}</textarea>`));
    assert.equal((await alex.submit(page, path('/settings/profile'))).status, 400);
  });

  test('is available in French', async (t) => {
    const { alex, path } = await openDashboard(t, await open());
    const query = new URLSearchParams({ description: 'voir https://example.org' });
    const { text } = await alex.get(`${path('/settings/profile')}?${query}`, { 'accept-language': 'fr' });
    assert.match(text, /Les liens ne sont pas autorisés dans la description/);
    assert.match(text, /Ceci est un aperçu/);
  });

  test('has the same rate limit as other settings', async (t) => {
    const { alex, path } = await openDashboard(t, await open());
    const page = await alex.get(path('/settings/profile'));
    const { requests } = DASHBOARD_LIMITS.TOO_MANY_CHANGES;
    for (let count = 0; count < requests; count += 1)
      assert.equal((await alex.submit(page, path('/settings/profile'), FIELDS)).status, 303);
    assert.equal((await alex.submit(page, path('/settings/profile'), FIELDS)).status, 429);
    assert.equal((await alex.submit(page, path('/settings/listing'), { listed: 'no' })).status, 429);
  });

  test('is read-only while the community is sanctioned', async (t) => {
    const { alex, path, store, guildId, clock } = await openDashboard(t, await open());
    const page = await alex.get(path('/settings/profile'));
    await store.guilds.setSanction(guildId, { since: clock(), reason: null });
    assert.equal((await alex.get(path('/settings/profile'))).status, 403);
    assert.equal((await alex.submit(page, path('/settings/profile'), FIELDS)).status, 403);
    assert.doesNotMatch((await alex.get(path('/settings'))).text, /Edit profile|name="listed"/);
  });
});

onSqlite('the place in the listing', (open) => {
  test('can be hidden and shown again by an admin', async (t) => {
    const { alex, path, store, guildId, activities } = await openDashboard(t, await open());
    const page = await alex.get(path('/settings'));
    assert.match(page.text, /name="listed" value="no">Remove from the listing</);
    const answer = await alex.submit(page, path('/settings/listing'), { listed: 'no' });
    assert.deepEqual([answer.status, answer.location], [303, path('/settings?done=listing-hidden')]);
    assert.notEqual((await store.guilds.find(guildId))?.hiddenAt, null);
    const hidden = await alex.get(path('/settings'));
    assert.match(hidden.text, /is not in the public listing/);
    assert.match(hidden.text, /name="listed" value="yes">Show in the listing</);
    await alex.submit(hidden, path('/settings/listing'), { listed: 'yes' });
    assert.equal((await store.guilds.find(guildId))?.hiddenAt, null);
    assert.deepEqual(await activities(), [
      ['Alex', 'guild_shown'],
      ['Alex', 'guild_hidden'],
    ]);
    assert.equal((await alex.submit(hidden, path('/settings/listing'), { listed: 'maybe' })).status, 400);
  });

  test('is lost while the community is sanctioned', async (t) => {
    const { alex, path, store, guildId, clock } = await openDashboard(t, await open());
    await store.guilds.setSanction(guildId, { since: clock(), reason: null });
    const { text } = await alex.get(path('/settings'));
    assert.match(text, /not in the public listing while it is sanctioned/);
    assert.doesNotMatch(text, /is in the public listing/);
  });

  test('cannot be shown again by an admin if the operator has unlisted it', async (t) => {
    const { alex, path, store, guildId, clock } = await openDashboard(t, await open());
    await store.guilds.setUnlisted(guildId, clock());
    const page = await alex.get(path('/settings/profile'));
    assert.match(
      (await alex.get(path('/settings'))).text,
      /The operator of this site has removed your community/,
    );
    await alex.submit(page, path('/settings/listing'), { listed: 'yes' });
    assert.equal((await store.guilds.find(guildId))?.unlistedAt, clock());
  });
});
