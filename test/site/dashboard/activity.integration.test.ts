import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS } from '../../../src/domain/clock.ts';
import type { ActivityAction, ActivityDetail } from '../../../src/store/activities.ts';
import { onSqlite } from '../../support/api.ts';
import { testEndpoints } from '../../support/webhooks.ts';
import { openDashboard } from './open-dashboard.ts';

const KINDS = [
  'added',
  'removed',
  'enabled',
  'paused',
  'resumed',
  'secret_rotated',
  'secret_replaced',
] as const;

onSqlite('the activity log', (open) => {
  test('shows who did what and when, newest first', async (t) => {
    const { alex, path, store, guildId, clock } = await openDashboard(t, await open());
    const at = clock();
    await store.activities.record({ guildId, at, actor: null, action: 'key_generated' });
    const actor = { userId: '200000000000000101', name: '<i>Alex' };
    await store.activities.record({ guildId, at: at + MINUTE_MS, actor, action: 'key_shown' });
    const { text } = await alex.get(path('/activity'));
    const rows = rowsIn(text);
    assert.deepEqual(rows, [
      'Nov 15, 2026, 12:01 PM UTC IA &#60;i&#62;Alex Revealed the API key',
      'Nov 15, 2026, 12:00 PM UTC Operator Generated an API key',
    ]);
  });

  test('contains nothing of another guild', async (t) => {
    const { alex, charlie, otherGuildId, path } = await openDashboard(t, await open());
    await charlie.submit(await charlie.get('/dashboard'), `/dashboard/${otherGuildId}/list`);
    assert.match((await alex.get(path('/activity'))).text, /No activity yet/);
  });

  test('shows which webhook was changed, and its old and new values', async (t) => {
    const { alex, path, store, guildId, clock } = await openDashboard(t, await open());
    const endpoint = { id: 'ep_0000000000000001', name: '<b>Bot', host: 'bot.example.org' };
    const actor = { userId: '200000000000000101', name: 'Alex' };
    const record = (detail: ActivityDetail, action: ActivityAction = 'webhook_changed') =>
      store.activities.record({ guildId, at: clock(), actor, action, detail });
    await record({ endpoint, change: { kind: 'added' } });
    await record({
      endpoint,
      change: {
        kind: 'edited',
        name: { from: null, to: '<b>Bot' },
        host: { from: 'a.example', to: 'bot.example.org' },
        events: { from: ['vote_received'], to: ['vote_received', 'vote_available'] },
      },
    });
    const sameHost = { from: 'bot.example.org', to: 'bot.example.org' };
    await record({ endpoint: { ...endpoint, name: null }, change: { kind: 'edited', host: sameHost } });
    await record({ endpoint }, 'webhook_secret_shown');
    await record({ doubling: { from: 'never', to: 'weekends' } }, 'doubling_changed');
    const who = 'A Alex';
    const label = '&#60;b&#62;Bot bot.example.org';
    assert.deepEqual(
      rowsIn((await alex.get(path('/activity'))).text).map((row) =>
        row.slice(row.indexOf(who) + who.length + 1),
      ),
      [
        'Changed when votes are doubled Never → On weekends',
        `Revealed the signing secret of a webhook ${label}`,
        'Edited a webhook bot.example.org Address: changed on the same host',
        `Edited a webhook ${label} Address: a.example → bot.example.org Events: vote_received → vote_received, vote_available Name: none → &#60;b&#62;Bot`,
        `Added a webhook ${label}`,
      ],
    );
    const french = (await alex.get(path('/activity'), { 'accept-language': 'fr' })).text;
    assert.match(french, /Webhook modifié/);
    assert.match(french, /Adresse\u00A0: <bdi>a\.example<\/bdi> → <bdi>bot\.example\.org/);
    assert.match(french, /Jamais → Le week-end/);
  });

  for (const kind of KINDS) {
    test(`has a text in both languages for a webhook that was ${kind}`, async (t) => {
      const { alex, path, store, guildId, clock } = await openDashboard(t, await open());
      const detail = { endpoint: { id: 'ep_1', name: null, host: 'a.example' }, change: { kind } };
      await store.activities.record({ guildId, at: clock(), actor: null, action: 'webhook_changed', detail });
      const [english] = rowsIn((await alex.get(path('/activity'))).text);
      const [french] = rowsIn((await alex.get(path('/activity'), { 'accept-language': 'fr' })).text);
      assert.match(english ?? '', /Operator \w.* a\.example$/);
      assert.match(french ?? '', /Administration du site \w.* a\.example$/);
      assert.doesNotMatch(english ?? '', /undefined|Changed a webhook/);
      assert.doesNotMatch(french ?? '', /undefined|Webhook modifié/);
    });
  }

  test('counts actions repeated within an hour, and shows the first time', async (t) => {
    const { alex, path, store, guildId, clock } = await openDashboard(t, await open());
    for (let i = 0; i < 1234; i += 1)
      await store.activities.record({ guildId, at: clock() + i * 1000, actor: null, action: 'key_shown' });
    const [row, ...others] = rowsIn((await alex.get(path('/activity'))).text);
    assert.deepEqual(others, []);
    assert.equal(
      row,
      'Nov 15, 2026, 12:20 PM UTC 1,234 times since Nov 15, 2026, 12:00 PM UTC Operator Revealed the API key',
    );
  });

  test('records which webhook secret was revealed, and how the doubling rule changed', async (t) => {
    const { alex, path, store, guildId, clock, secrets } = await openDashboard(t, await open());
    const wish = { url: 'http://127.0.0.1:1029/votes', events: ['vote_received' as const], name: 'Bot' };
    const added = await testEndpoints(store, clock, secrets).addEndpoint(guildId, wish, null);
    assert.ok(added.ok);
    const { endpointId } = added.endpoint;
    await alex.submit(await alex.get(path('/webhooks')), path(`/webhooks/${endpointId}/reveal`));
    await alex.submit(await alex.get(path('/settings')), path('/settings'), { doubling: 'always' });
    const [doubling, shown] = await store.activities.recent(guildId, 10);
    assert.deepEqual(doubling?.detail, { doubling: { from: 'never', to: 'always' } });
    assert.deepEqual(shown?.detail, { endpoint: { id: endpointId, name: 'Bot', host: '127.0.0.1:1029' } });
  });
});

function rowsIn(text: string): string[] {
  return [...text.matchAll(/<tr><td.*?<\/tr>/gs)].map(([row]) =>
    row
      .replace(/<[^>]+>/g, ' ')
      .replace(/[\s\u00A0\u202F]+/g, ' ')
      .trim(),
  );
}
