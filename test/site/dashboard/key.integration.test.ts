import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveSecrets } from '../../../src/domain/secrets.ts';
import { issueKey } from '../../../src/store/guilds/guilds.ts';
import { assertError, onSqlite } from '../../support/api.ts';
import { type Dashboard, keyIn, openDashboard, replacesIn } from './open-dashboard.ts';

/** Clicks through to a new key, and returns it. */
async function generate({ alex, path }: Dashboard): Promise<string> {
  const from = await alex.get(path('/key'));
  const form = from.text.includes('name="replaces"') ? from : await alex.get(path('/key/regenerate'));
  await alex.submit(form, path('/key/new'), { replaces: replacesIn(form) });
  const key = keyIn(await alex.submit(await alex.get(path('/key')), path('/key/reveal')));
  assert.ok(key);
  return key;
}

onSqlite('Developer & API', (open) => {
  test('a guild without a key can generate one, which works immediately', async (t) => {
    const dashboard = await openDashboard(t, await open());
    const { alex, path, store, guildId, get, activities } = dashboard;
    await store.guilds.setKey(guildId, null);
    const page = await alex.get(path('/key'));
    assert.match(page.text, /Generate my API key/);
    const answer = await alex.submit(page, path('/key/new'), { replaces: replacesIn(page) });
    assert.deepEqual([answer.status, answer.location], [303, path('/key?done=key-made')]);
    assert.deepEqual(await activities(), [['Alex', 'key_generated']]);
    const key = keyIn(await alex.submit(await alex.get(path('/key')), path('/key/reveal')));
    assert.equal((await get('/v7/vote-check?external_id=x', { key: key ?? null })).status, 200);
  });

  test('the key is masked until it is revealed, and revealing it is recorded', async (t) => {
    const dashboard = await openDashboard(t, await open());
    const { alex, path, activities } = dashboard;
    const key = await generate(dashboard);
    assert.deepEqual((await activities())[0], ['Alex', 'key_shown']);
    const masked = await alex.get(path('/key'));
    assert.equal(keyIn(masked), undefined);
    assert.match(masked.text, new RegExp(`vty_•+${key.slice(-4)}<`));
    assert.match(masked.text, /Bearer YOUR_API_KEY/);
    assert.match(masked.text, /Reveal your key to fill it in here/);
    assert.equal((await activities()).length, 2);
  });

  test('a page that shows the key is not cached', async (t) => {
    const dashboard = await openDashboard(t, await open());
    const { alex, app, path } = dashboard;
    const key = await generate(dashboard);
    const page = await alex.get(path('/key'));
    const answer = await app.inject({
      method: 'POST',
      url: path('/key/reveal'),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      cookies: Object.fromEntries(alex.cookies),
      payload: `_csrf=${encodeURIComponent(/name="_csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '')}`,
    });
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.ok(answer.payload.includes(`Bearer ${key}`));
    assert.ok(answer.payload.includes(`/locale?to=fr&amp;back=${encodeURIComponent(path('/key'))}`));
    assert.doesNotMatch(answer.payload, new RegExp(`(?:href|action)="[^"]*${key}`));
  });

  test('regenerating asks for confirmation and says that the old key stops working immediately', async (t) => {
    const dashboard = await openDashboard(t, await open());
    const { alex, path, get } = dashboard;
    const old = await generate(dashboard);
    const { text } = await alex.get(path('/key/regenerate'));
    assert.match(text, /The old key stops working immediately/);
    assert.equal((await get('/v7/vote-check?external_id=x', { key: old })).status, 200);
  });

  test('a key stops working the moment it is regenerated, and the new one works', async (t) => {
    const dashboard = await openDashboard(t, await open());
    const { get, store, guildId } = dashboard;
    const old = await generate(dashboard);
    const fresh = await generate(dashboard);
    assert.notEqual(fresh, old);
    assertError(await get('/v7/vote-check?external_id=x', { key: old }), 401, 'INVALID_API_TOKEN');
    assert.equal((await get('/v7/vote-check?external_id=x', { key: fresh })).status, 200);
    const made = (await store.activities.recent(guildId, 10)).filter(
      ({ action }) => action === 'key_generated',
    );
    assert.deepEqual(
      made.map(({ count }) => count),
      [2],
    );
  });

  test('an outdated page does not replace a key that another admin generated in the meantime', async (t) => {
    const dashboard = await openDashboard(t, await open());
    const { alex, path, store, guildId, get } = dashboard;
    await store.guilds.setKey(guildId, null);
    const unused = await alex.get(path('/key'));
    const made = await generate(dashboard);
    const stale = await alex.get(path('/key/regenerate'));
    const newest = await generate(dashboard);
    assert.notEqual(newest, made);
    for (const page of [unused, stale]) {
      const answer = await alex.submit(page, path('/key/new'), { replaces: replacesIn(page) });
      assert.deepEqual([answer.status, answer.location], [303, path('/key?done=key-kept')]);
    }
    assert.equal((await get('/v7/vote-check?external_id=x', { key: newest })).status, 200);
    assert.match((await alex.get(path('/key?done=key-kept'))).text, /Nothing was changed/);
  });

  test('without a key there is nothing to regenerate or reveal', async (t) => {
    const { alex, path, store, guildId, activities } = await openDashboard(t, await open());
    await store.guilds.setKey(guildId, null);
    const answer = await alex.get(path('/key/regenerate'));
    assert.deepEqual([answer.status, answer.location], [303, path('/key')]);
    const revealed = await alex.submit(await alex.get(path('/key')), path('/key/reveal'));
    assert.match(revealed.text, /Generate my API key/);
    assert.deepEqual(await activities(), []);
  });

  test('a key encrypted with another secret is not shown, and the page says what to do', async (t) => {
    const { alex, path, store, guildId, clock, activities } = await openDashboard(t, await open());
    await issueKey(store, deriveSecrets('a lost master secret'), guildId, clock());
    assert.match((await alex.get(path('/key'))).text, /encrypted with a different master secret/);
    const revealed = await alex.submit(await alex.get(path('/key')), path('/key/reveal'));
    assert.equal(keyIn(revealed), undefined);
    assert.deepEqual(await activities(), []);
  });

  test('the command checks the last voter, at the address of the page', async (t) => {
    const { alex, path, vote } = await openDashboard(t, await open());
    await vote({ userId: '200000000000000077', at: '2026-11-15T11:59:00Z' });
    const { text } = await alex.get(path('/key'), { host: 'votes.example.org' });
    assert.ok(
      text.includes('curl &#34;https://votes.example.org/v7/vote-check?discord_id=200000000000000077&#34;'),
    );
  });

  test('vote links can be copied, and a custom link is built without scripts', async (t) => {
    const { alex, path, guildId } = await openDashboard(t, await open());
    const { text } = await alex.get(path('/key?external_id=%3Cb%3E%20%26%22x'), {
      host: 'votes.example.org',
    });
    assert.ok(text.includes(`href="https://votes.example.org/guild/${guildId}/vote"`));
    assert.ok(text.includes(`/guild/${guildId}/vote?external_id=%3Cb%3E%20%26%22x"`));
    assert.doesNotMatch(text, /<b> /);
  });

  test('the return address is explained, with a link that the voting page accepts', async (t) => {
    const { alex, path, guildId } = await openDashboard(t, await open());
    const { text } = await alex.get(path('/key'), { host: 'votes.example.org' });
    const example = /<code[^>]*>https:\/\/votes\.example\.org(\/guild\/[^<]*return_to=[^<]*)<\/code>/.exec(
      text,
    )?.[1];
    assert.equal(
      example?.replaceAll('&#38;', '&'),
      `/guild/${guildId}/vote?external_id=Steve_42&return_to=https%3A%2F%2Fshop.example.org%2Frewards`,
    );
    const page = await alex.get(example?.replaceAll('&#38;', '&') ?? '');
    assert.equal(page.status, 200);
    const { text: french } = await alex.get(path('/key'), { 'accept-language': 'fr' });
    assert.match(french, /return_to.*un bouton/);
  });

  test('links and commands use the public address of the site', async (t) => {
    const { alex, path, guildId } = await openDashboard(t, await open(), 'https://public.example.org');
    const { text } = await alex.get(path('/key'), { host: 'inside.example.org' });
    assert.ok(text.includes(`href="https://public.example.org/guild/${guildId}/vote"`));
    assert.doesNotMatch(text, /inside\.example/);
  });

  test('an invalid external id is rejected with a message', async (t) => {
    const { alex, path } = await openDashboard(t, await open());
    const { status, text } = await alex.get(path(`/key?external_id=${'x'.repeat(192)}`));
    assert.equal(status, 200);
    assert.match(text, /A player name must be 1 to 191 characters long/);
  });
});
