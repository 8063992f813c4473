import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addressOf, isForm, rowsOf } from '../access/access-table.ts';
import { type Community, type Fixture, openFixture, ownToken } from '../fixture.ts';

const FORMS = rowsOf('demo').filter(({ route }) => isForm(route));

describe('a form sent by another site', { concurrency: false }, () => {
  let fixture: Fixture;
  let community: Community;
  before(async () => {
    fixture = await openFixture();
    community = await fixture.newCommunity();
  });
  after(() => fixture.close());

  it('can only target these routes: every POST route is listed', () => {
    // Paths of the API without their version respond to every method with 404.
    const isUnversioned = (route: string) => fixture.routes.includes(route.replace(' /', ' /v7/'));
    const posts = fixture.routes.filter((route) => isForm(route) && !isUnversioned(route));
    assert.deepEqual(posts.toSorted(), FORMS.map(({ route }) => route).toSorted());
  });

  for (const row of FORMS) {
    const { route, form } = row;
    it(`changes nothing at ${route}, although the cookie of the admin is sent`, async () => {
      const address = addressOf(row, community);
      const tokens = {
        none: {},
        empty: { _csrf: '' },
        wrong: { _csrf: 'wrong' },
        'of somebody else': { _csrf: await ownToken(fixture.visitors.voter) },
        'of nobody': { _csrf: await ownToken(fixture.visitors.nobody) },
      };
      const { store } = fixture;
      const before = await store.guilds.find(community.guildId);
      const endpointsBefore = await store.webhooks.listEndpoints(community.guildId);
      const keyBefore = await store.guilds.findKey(community.guildId);
      for (const [name, token] of Object.entries(tokens)) {
        const answer = await fixture.send('admin', 'POST', address, { ...form?.(community), ...token });
        assert.equal(answer.status, 403, `token ${name}`);
        assert.match(answer.text, /Nothing was changed/);
      }
      assert.deepEqual(await store.guilds.find(community.guildId), before);
      assert.deepEqual(await store.guilds.findKey(community.guildId), keyBefore);
      assert.deepEqual(await store.webhooks.listEndpoints(community.guildId), endpointsBefore);
      assert.deepEqual(await store.webhooks.deliveries(community.guildId, fixture.clock(), 10), []);
      assert.deepEqual(await store.activities.recent(community.guildId, 10), []);
      assert.equal((await store.votes.recent(community.guildId, null, null, 10)).length, 1);
      assert.equal((await fixture.visitors.admin.get('/dashboard')).status, 200, 'still signed in');
    });
  }

  for (const row of FORMS) {
    it(`does not change the cookies of its visitor at ${row.route}, where it arrives without them`, async () => {
      for (const headers of [{}, { 'sec-fetch-site': 'cross-site' }]) {
        const answer = await fixture.app.inject({
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

  it('is rejected in every other encoding', async () => {
    const path = `/dashboard/${community.guildId}/settings`;
    for (const type of ['text/plain', 'application/json', 'multipart/form-data; boundary=x']) {
      const { statusCode } = await fixture.app.inject({
        method: 'POST',
        url: path,
        headers: { 'content-type': type, 'x-http-method-override': 'GET' },
        cookies: Object.fromEntries(fixture.visitors.admin.cookies),
        payload: '{"doubling":"always"}',
      });
      assert.ok(statusCode >= 400 && statusCode < 500, `${type} gave ${statusCode}`);
    }
    assert.equal((await fixture.store.guilds.find(community.guildId))?.doubling, 'never');
  });
});
