import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { buildServer } from '../../../../src/server.ts';
import { announceChanges, FeedWaiters } from '../../../../src/store/announce.ts';
import { issueKey } from '../../../../src/store/guilds/guilds.ts';
import type { Store } from '../../../../src/store/store.ts';
import {
  type Api,
  assertError,
  onEachDatabase,
  testServerDeps,
  toAnswer,
  USER,
} from '../../../support/api.ts';

type Change = (store: Store, api: Api) => Promise<unknown>;

const CHANGES: Record<string, Change> = {
  'the key is regenerated': (store, { secrets, guildId, clock }) =>
    issueKey(store, secrets, guildId, clock()),
  'the key is revoked': (store, { guildId }) => store.guilds.setKey(guildId, null),
  'the guild is sanctioned': (store, { guildId, clock }) =>
    store.guilds.setSanction(guildId, { since: clock(), reason: null }),
};

/** A request that waits for a vote, in a server that is notified of changes only through `announced`. */
async function hold(api: Api, t: { after(work: () => Promise<unknown>): void }) {
  const { store, clock, secrets, key } = api;
  const feedWaiters = new FeedWaiters(store.feed, 5);
  const notify = (guildId: string) => feedWaiters.notify(guildId);
  const announced = announceChanges(store, { onVote: notify, onEvents: () => {}, onAccess: notify });
  const app = buildServer({ ...testServerDeps(announced, clock, secrets), feedWaiters });
  t.after(() => app.close());
  const request = { url: '/v7/guild/feed?wait=30', headers: { authorization: `Bearer ${key}` } };
  const held = app.inject(request).then(toAnswer);
  while (feedWaiters.size === 0) await nextTurn();
  return { announced, held };
}

onEachDatabase('GET /v7/guild/feed answers a waiting request with 401', (open) => {
  for (const [name, change] of Object.entries(CHANGES)) {
    test(`when ${name} by another process and a vote is cast afterwards`, async (t) => {
      const api = await open();
      const { held } = await hold(api, t);
      await change(api.store, api);
      const vote = { userId: USER, externalId: null, isDoubled: false };
      await api.store.votes.cast({ ...vote, guildId: api.guildId, castAt: api.clock() });
      const answer = await held;
      assertError(answer, 401, 'INVALID_API_TOKEN');
      assert.ok(!answer.text.includes(USER));
      assert.match(String(answer.headers.ratelimit), /r=29;/, 'the request was counted twice');
    });

    test(`immediately when ${name} by the same process`, async (t) => {
      const api = await open();
      const { announced, held } = await hold(api, t);
      await change(announced, api);
      assertError(await held, 401, 'INVALID_API_TOKEN');
    });
  }

  test('immediately when the guild is removed', async (t) => {
    const api = await open();
    const { announced, held } = await hold(api, t);
    await announced.guilds.remove(api.guildId);
    assertError(await held, 401, 'INVALID_API_TOKEN');
  });
});
