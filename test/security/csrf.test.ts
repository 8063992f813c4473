import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addressOf, rowsOf } from './access-table.ts';
import { type Community, openWorld, ownToken, type World } from './world.ts';

const FORMS = rowsOf('demo').filter(({ route }) => route.startsWith('POST '));

describe('a form sent by another site', { concurrency: false }, () => {
  let world: World;
  let community: Community;
  before(async () => {
    world = await openWorld();
    community = await world.newCommunity();
  });
  after(() => world.close());

  it('can only be one of these: every route that takes POST is among them', () => {
    const isApi = (route: string) => route.startsWith('POST /v7/');
    const posts = world.routes.filter((route) => route.startsWith('POST ') && !isApi(route));
    assert.deepEqual(posts.toSorted(), FORMS.map(({ route }) => route).toSorted());
  });

  for (const row of FORMS) {
    const { route, form } = row;
    it(`changes nothing at ${route}, although the admin's own cookie comes with it`, async () => {
      const address = addressOf(row, community);
      const tokens = {
        none: {},
        empty: { _csrf: '' },
        wrong: { _csrf: 'wrong' },
        'of somebody else': { _csrf: await ownToken(world.visitors.voter) },
        'of nobody': { _csrf: await ownToken(world.visitors.nobody) },
      };
      const { store } = world;
      const before = await store.guilds.find(community.guildId);
      const endpointsBefore = await store.webhooks.listEndpoints(community.guildId);
      const keyBefore = await store.guilds.findKey(community.guildId);
      for (const [name, token] of Object.entries(tokens)) {
        const answer = await world.knock('admin', 'POST', address, { ...form?.(community), ...token });
        assert.equal(answer.status, 403, `token ${name}`);
        assert.match(answer.text, /Nothing was changed/);
      }
      assert.deepEqual(await store.guilds.find(community.guildId), before);
      assert.deepEqual(await store.guilds.findKey(community.guildId), keyBefore);
      assert.deepEqual(await store.webhooks.listEndpoints(community.guildId), endpointsBefore);
      assert.deepEqual(await store.webhooks.deliveries(community.guildId, world.clock(), 10), []);
      assert.deepEqual(await store.activities.recent(community.guildId, 10), []);
      assert.equal((await store.votes.recent(community.guildId, null, null, 10)).length, 1);
      assert.equal((await world.visitors.admin.get('/dashboard')).status, 200, 'still signed in');
    });
  }

  for (const row of FORMS) {
    it(`leaves the cookies of its visitor alone at ${row.route}, where it arrives without them`, async () => {
      for (const headers of [{}, { 'sec-fetch-site': 'cross-site' }]) {
        const answer = await world.app.inject({
          method: 'POST',
          url: addressOf(row, community),
          headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
          payload: new URLSearchParams(row.form?.(community)).toString(),
        });
        assert.equal(answer.headers['set-cookie'], undefined);
        if ('sec-fetch-site' in headers) assert.match(answer.payload, /This form was sent by another site/);
      }
    });
  }

  it('is not helped by another way to write it', async () => {
    const path = `/dashboard/${community.guildId}/settings`;
    for (const type of ['text/plain', 'application/json', 'multipart/form-data; boundary=x']) {
      const { statusCode } = await world.app.inject({
        method: 'POST',
        url: path,
        headers: { 'content-type': type, 'x-http-method-override': 'GET' },
        cookies: Object.fromEntries(world.visitors.admin.cookies),
        payload: '{"doubling":"always"}',
      });
      assert.ok(statusCode >= 400 && statusCode < 500, `${type} gave ${statusCode}`);
    }
    assert.equal((await world.store.guilds.find(community.guildId))?.doubling, 'never');
  });
});
