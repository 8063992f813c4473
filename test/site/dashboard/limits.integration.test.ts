import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../src/domain/clock.ts';
import { issueKey } from '../../../src/store/guilds/guilds.ts';
import { onAnyDatabase, onSqlite } from '../../support/api.ts';
import { testEndpoints } from '../../support/webhooks.ts';
import { tokenOf } from '../visitor.ts';
import { openWebhooksTab, type WebhooksTab } from './webhooks/open-webhooks.ts';

const URL_A = 'http://127.0.0.1:1029/votes';
const SINCE = { since: '2026-11-15T00:00' };
const EVENT = { event: `evt_${'0'.repeat(32)}` };

type Limited = {
  name: string;
  limit: number;
  windowMs: number;
  send: (tab: WebhooksTab, endpointId: string) => ReturnType<WebhooksTab['press']>;
  words: RegExp;
  french: RegExp;
};

const settings = { url: URL_A, vote_received: 'on' };

const LIMITED: Limited[] = [
  {
    name: 'test events',
    limit: 30,
    windowMs: HOUR_MS,
    send: (tab, endpointId) => tab.press(`/${endpointId}/test`),
    words: /can send 30 test events per hour/,
    french: /30 événements de test par heure/,
  },
  {
    name: 'replays of a period',
    limit: 10,
    windowMs: HOUR_MS,
    send: (tab) => tab.press('/replay', SINCE),
    words: /can replay a period 10 times per hour/,
    french: /toute une période 10 fois par heure/,
  },
  {
    name: 'replays of one event',
    limit: 120,
    windowMs: HOUR_MS,
    send: (tab) => tab.press('/replay', EVENT),
    words: /can resend 120 single events per hour/,
    french: /renvoyer individuellement 120 événements par heure/,
  },
  {
    name: 'views of a webhook secret',
    limit: 60,
    windowMs: HOUR_MS,
    send: (tab, endpointId) => tab.press(`/${endpointId}/reveal`),
    words: /can be revealed 60 times per hour/,
    french: /60 fois par heure/,
  },
  {
    name: 'views of the API key',
    limit: 60,
    windowMs: HOUR_MS,
    send: async ({ alex, path }) => alex.submit(await alex.get(path('/key')), path('/key/reveal')),
    words: /can be revealed 60 times per hour/,
    french: /60 fois par heure/,
  },
  {
    name: 'new endpoints',
    limit: 20,
    windowMs: DAY_MS,
    send: (tab) => tab.press('', settings),
    words: /can add 20 endpoints per day/,
    french: /20 endpoints par jour/,
  },
  {
    name: 'changes',
    limit: 60,
    windowMs: HOUR_MS,
    send: (tab, endpointId) => tab.press(`/${endpointId}/edit`, settings),
    words: /settings and webhooks of a community can be changed 60 times per hour/,
    french: /60 fois par heure/,
  },
];

onSqlite('a community', (open) => {
  for (const { name, limit, windowMs, send, words, french } of LIMITED) {
    test(`has a limit of ${limit} ${name}, and shows when to try again`, async (t) => {
      const tab = await openWebhooksTab(t, await open());
      const { store, clock, secrets, guildId, alex } = tab;
      const added = await testEndpoints(store, clock, secrets).addEndpoint(
        guildId,
        { url: URL_A, events: ['vote_received'] },
        null,
      );
      assert.ok(added.ok);
      const { endpointId } = added.endpoint;
      for (let i = 0; i < limit; i += 1) assert.notEqual((await send(tab, endpointId)).status, 429, `${i}`);
      clock.advance(windowMs / 2);
      const activities = await store.activities.recent(guildId, 200);
      const deliveries = await store.webhooks.deliveries(guildId, clock(), 1000);
      const refused = await send(tab, endpointId);
      assert.equal(refused.status, 429);
      assert.match(refused.text, words);
      assert.match(refused.text, windowMs === DAY_MS ? /try again in 12 hours/ : /try again in 30 minutes/);
      assert.deepEqual(await store.activities.recent(guildId, 200), activities);
      assert.deepEqual(await store.webhooks.deliveries(guildId, clock(), 1000), deliveries);
      alex.cookies.set('votary_locale', 'fr');
      assert.match((await send(tab, endpointId)).text, french);
      clock.advance(windowMs / 2);
      assert.notEqual((await send(tab, endpointId)).status, 429);
    });
  }

  test('has its own limits, separate from other communities and the API', async (t) => {
    const ours = await openWebhooksTab(t, await open());
    for (let i = 0; i < 10; i += 1) await ours.press('/replay', SINCE);
    assert.equal((await ours.press('/replay', SINCE)).status, 429);
    assert.equal((await ours.get('/v7/vote-check?external_id=x')).status, 200);
    const theirs = await openWebhooksTab(t, await open());
    assert.equal((await theirs.press('/replay', SINCE)).status, 303);
  });

  test('does not lose its limits to users who are not its admins', async (t) => {
    const { sam, path, press } = await openWebhooksTab(t, await open());
    const token = tokenOf(await sam.get('/dashboard'));
    for (let i = 0; i < 30; i += 1) {
      const { status } = await sam.post(path('/webhooks/replay'), { ...SINCE, _csrf: token });
      assert.equal(status, 403);
    }
    assert.equal((await press('/replay', SINCE)).status, 303);
  });

  test('is not limited on the command line', async (t) => {
    const { store, clock, secrets, guildId } = await openWebhooksTab(t, await open());
    const endpoints = testEndpoints(store, clock, secrets);
    for (let i = 0; i < 25; i += 1) {
      const input = { url: URL_A, events: ['vote_received' as const] };
      const added = await endpoints.addEndpoint(guildId, input, null);
      assert.ok(added.ok);
      await endpoints.removeEndpoint(guildId, added.endpoint.endpointId, null);
    }
  });
});

onAnyDatabase('a flood of views', (open) => {
  test('does not push out older records of a community', async (t) => {
    const { alex, path, store, guildId, clock, secrets } = await openWebhooksTab(t, await open());
    await issueKey(store, secrets, guildId, clock());
    const actor = { userId: '200000000000000777', name: 'Earlier' };
    await store.activities.record({ guildId, at: clock() - DAY_MS, actor, action: 'key_shown' });
    const token = tokenOf(await alex.get(path('/key')));
    const flood = Array.from({ length: 300 }, () => alex.post(path('/key/reveal'), { _csrf: token }));
    const answers = await Promise.all(flood);
    assert.equal(answers.filter(({ status }) => status === 200).length, 60);
    const kept = await store.activities.recent(guildId, 200);
    assert.deepEqual(
      kept.map(({ actor: who, count }) => [who?.name, count]),
      [
        ['Alex', 60],
        ['Earlier', 1],
      ],
    );
  });
});
