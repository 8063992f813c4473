import assert from 'node:assert/strict';
import { test } from 'node:test';
import { revealKey } from '../../../src/store/guilds/guilds.ts';
import { onSqlite } from '../../support/api.ts';
import { newVisitor, tokenOf } from '../visitor.ts';
import { keyIn, openDashboard } from './open-dashboard.ts';

const PAGES = ['', '/key', '/key/regenerate', '/votes', '/votes.csv', '/settings', '/activity'];
const ACTIONS = ['/key/new', '/key/reveal', '/settings', '/list'];

onSqlite('the dashboard lets in', (open) => {
  for (const page of PAGES) {
    test(`only admins to ${page || 'the overview'}`, async (t) => {
      const { alex, sam, charlie, path } = await openDashboard(t, await open());
      assert.equal((await alex.get(path(page))).status, 200);
      for (const stranger of [sam, charlie]) {
        const { status, text } = await stranger.get(path(page));
        assert.equal(status, 403);
        assert.match(text, /Access denied/);
        assert.equal(keyIn({ text, status, location: undefined, type: '' }), undefined);
      }
    });

    test(`signed-in users to ${page || 'the overview'}`, async (t) => {
      const { app, path } = await openDashboard(t, await open());
      const { status, location } = await newVisitor(app).get(path(page));
      assert.deepEqual([status, location], [303, `/sign-in?back=${encodeURIComponent(path(page))}`]);
    });

    test(`nobody to ${page || 'the overview'} of an unknown guild`, async (t) => {
      const { alex, charlie, otherGuildId } = await openDashboard(t, await open());
      for (const visitor of [alex, charlie])
        assert.equal((await visitor.get(`/dashboard/${otherGuildId}${page}`)).status, 404);
      assert.equal((await alex.get(`/dashboard/not-an-id${page}`)).status, 404);
      assert.equal((await alex.get(`/dashboard/%00${page}`)).status, 404);
    });
  }

  for (const action of ACTIONS) {
    test(`only admins to do ${action}`, async (t) => {
      const { sam, charlie, path, store, guildId, activities, key, get } = await openDashboard(
        t,
        await open(),
      );
      for (const stranger of [sam, charlie]) {
        const answer = await stranger.submit(await stranger.get('/dashboard'), path(action), {
          doubling: 'always',
        });
        assert.equal(answer.status, 403);
        assert.match(answer.text, /Access denied/);
      }
      assert.deepEqual(await activities(), []);
      assert.equal((await store.guilds.find(guildId))?.doubling, 'never');
      assert.equal((await get('/v7/vote-check?external_id=x', { key })).status, 200);
    });

    test(`no signed-out visitors to do ${action}, and says that it was not done`, async (t) => {
      const { app, alex, path, activities } = await openDashboard(t, await open());
      const page = await alex.get('/dashboard');
      const { status, text } = await newVisitor(app).submit(page, path(action), { doubling: 'always' });
      assert.equal(status, 401);
      assert.match(text, /You are no longer signed in.*Nothing was changed/);
      assert.match(text, /<a class="button" href="\/sign-in\?back=[^"]*">Sign in<\/a>/);
      assert.deepEqual(await activities(), []);
    });

    test(`no form without its token to do ${action}`, async (t) => {
      const { alex, sam, path, store, guildId, activities, key, get } = await openDashboard(t, await open());
      const foreign = tokenOf(await sam.get('/dashboard'));
      for (const fields of [{}, { _csrf: 'wrong' }, { _csrf: foreign }]) {
        const answer = await alex.post(path(action), { doubling: 'always', ...fields });
        assert.equal(answer.status, 403);
        assert.match(answer.text, /Nothing was changed/);
      }
      assert.deepEqual(await activities(), []);
      assert.equal((await store.guilds.find(guildId))?.doubling, 'never');
      assert.equal((await get('/v7/vote-check?external_id=x', { key })).status, 200);
    });
  }

  test('no user whose permission was revoked', async (t) => {
    const { alex, path, guildsOfAlex, activities } = await openDashboard(t, await open());
    const page = await alex.get(path('/key'));
    guildsOfAlex.length = 0;
    assert.equal((await alex.submit(page, path('/key/reveal'))).status, 403);
    assert.equal((await alex.get(path())).status, 403);
    assert.deepEqual(await activities(), []);
  });

  for (const [address, tab] of [
    ['/key/reveal', '/key'],
    ['/webhooks/replay', '/webhooks'],
    ['/webhooks/ep_0123456789abcdef/reveal', '/webhooks'],
    ['/webhooks/ep_0123456789abcdef/test', '/webhooks'],
  ] as const) {
    test(`admins who reload ${address} to its tab`, async (t) => {
      const { alex, sam, path, activities } = await openDashboard(t, await open());
      const { status, location } = await alex.get(path(address));
      assert.deepEqual([status, location], [303, path(tab)]);
      assert.equal((await sam.get(path(address))).status, 403);
      assert.deepEqual(await activities(), []);
    });
  }

  test('the admins of a sanctioned guild, and explains the sanction', async (t) => {
    const { alex, path, store, guildId, clock, secrets } = await openDashboard(t, await open());
    await store.guilds.setSanction(guildId, { since: clock(), reason: 'Bought <votes>' });
    for (const page of ['', '/key', '/votes', '/settings', '/activity']) {
      const { status, text } = await alex.get(path(page));
      assert.equal(status, 200);
      assert.match(text, /the API key is disabled/);
      assert.match(text, /Reason: <bdi>Bought &#60;votes&#62;<\/bdi>/);
    }
    assert.equal((await revealKey(store, secrets, guildId)).shown, false);
  });
});
