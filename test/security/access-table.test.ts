import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { NOW } from '../support/api.ts';
import { ACCESS_TABLE, addressOf, type Cell, GET_ONLY, type Row } from './access-table.ts';
import { CALLERS, type Community, type Knock, openWorld, ownToken, VOTED_USER, type World } from './world.ts';

describe('the table of access', { concurrency: false }, () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  it('has a row for every route of the server, and none too many', () => {
    const withRow = new Set(ACCESS_TABLE.map(({ route }) => route));
    const isOtherMethod = (route: string) => GET_ONLY.includes(route.slice(route.indexOf(' ') + 1));
    const routes = world.routes.filter((route) => !route.startsWith('HEAD ') && !isOtherMethod(route));
    const gets = GET_ONLY.map((path) => `GET ${path}`);
    assert.deepEqual([...new Set([...routes, ...gets])].sort(), [...withRow].sort());
  });

  for (const row of ACCESS_TABLE) {
    describe(row.route, () => {
      let community: Community;
      before(async () => {
        community = await world.newCommunity();
      });
      for (const caller of CALLERS) {
        it(`${caller}: ${row.cells[caller]}`, async () => {
          const [method = ''] = row.route.split(' ');
          const path = addressOf(row, community);
          const before = await stateOf(world, community);
          const answer = await world.knock(caller, method, path, await formOf(world, row, caller));
          assertMeets(answer, row.cells[caller]);
          if (row.cells[caller] !== 'ok') {
            assertTellsNothing(answer, community);
            assert.deepEqual(await stateOf(world, community), before, 'something was changed');
          }
          if (method === 'GET') {
            assert.deepEqual(await stateOf(world, community), before, 'a GET changed something');
            const head = await world.knock(caller, 'HEAD', path);
            assert.deepEqual([head.status, head.text], [answer.status, '']);
          }
        });
      }
    });
  }

  for (const path of GET_ONLY) {
    it(`lets nobody change anything by another method on ${path}`, async () => {
      await world.newCommunity();
      for (const caller of CALLERS) {
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'])
          assertMeets(await world.knock(caller, method, path.replace(':user_id', VOTED_USER)), 'method');
      }
    });
  }
});

async function formOf({ visitors }: World, { form }: Row, caller: keyof Row['cells']) {
  if (!form) return undefined;
  const visitor = caller in visitors ? visitors[caller as keyof typeof visitors] : visitors.nobody;
  return { ...form, _csrf: await ownToken(visitor) };
}

/** Everything of the community that somebody could have changed. */
async function stateOf({ store }: World, { guildId }: Community): Promise<unknown> {
  const key = await store.guilds.findKey(guildId);
  const votes = await store.votes.recent(guildId, null, null, 100);
  const activities = await store.activities.recent(guildId, 100);
  const endpoints = await store.webhooks.listEndpoints(guildId);
  const deliveries = await store.webhooks.deliveries(guildId, Date.parse(NOW), 100);
  const guild = await store.guilds.find(guildId);
  return { guild, key: key?.hash, votes, activities, endpoints, deliveries };
}

function assertTellsNothing({ text }: Knock, { keys, endpointSecret }: Community): void {
  assert.ok(!text.includes(endpointSecret), 'a signing secret was shown');
  assert.ok(!text.includes(VOTED_USER), 'a vote was shown');
  for (const key of Object.values(keys)) assert.ok(!text.includes(key), 'a key was shown');
}

function assertMeets(answer: Knock, cell: Cell): void {
  assert.equal(describeAnswer(answer), cell);
}

/** What was met, in the words of the table; anything else by its status. */
function describeAnswer({ status, text, location, error }: Knock): Cell | string {
  const isSentToSignIn = location.startsWith('/sign-in?back=');
  if (status === 303) return isSentToSignIn ? 'signIn' : 'ok';
  if (status === 200) return 'ok';
  if (status === 403 && text.includes('Not for this account')) return 'forbidden';
  if (status === 401 && error === 'API_NOT_SET') return 'unset';
  if (status === 401 && error === 'INVALID_API_TOKEN') return 'invalid';
  if (status === 401 && error === undefined) return 'signInEnded';
  return status === 405 && error === 'METHOD_NOT_ALLOWED' ? 'method' : `status ${status}`;
}
