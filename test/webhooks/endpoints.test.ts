import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CLAIM_MS } from '../../src/domain/webhooks/delivery.ts';
import { webhookTest } from '../../src/domain/webhooks/event.ts';
import type { Resolve } from '../../src/webhooks/resolve.ts';
import { addGuild } from '../store/fixtures.ts';
import { type Fixture, openFixture } from './fixture.ts';
import { answerWith, startReceiver } from './receiver.ts';

const ADMIN = { userId: '200000000000000009', name: 'Admin' };

async function add(fixture: Fixture, guildId: string, url: string) {
  return fixture.endpoints.addEndpoint(guildId, { url, events: ['vote_received'] }, ADMIN);
}

describe('the endpoints of a guild', () => {
  test('are limited to five', async () => {
    const fixture = await openFixture();
    const guildId = await addGuild(fixture.store);
    for (let i = 0; i < 5; i += 1) assert.equal((await add(fixture, guildId, 'https://a.example/')).ok, true);
    assert.deepEqual(await add(fixture, guildId, 'https://a.example/'), { ok: false, fault: 'too-many' });
    assert.equal((await fixture.endpoints.listEndpoints(guildId)).length, 5);
  });

  test('need at least one event and an existing guild, and contain each event once', async () => {
    const fixture = await openFixture();
    const guildId = await addGuild(fixture.store);
    const url = 'https://a.example/';
    const none = await fixture.endpoints.addEndpoint(guildId, { url, events: [] }, ADMIN);
    assert.deepEqual(none, { ok: false, fault: 'no-events' });
    assert.deepEqual(await add(fixture, '166666666666666666', url), { ok: false, fault: 'unknown-guild' });
    const events = ['vote_available', 'vote_available'] as const;
    const twice = await fixture.endpoints.addEndpoint(guildId, { url, events }, ADMIN);
    assert.deepEqual(twice.ok && twice.endpoint.events, ['vote_available']);
  });

  test('are rejected if their name resolves to a private network, and accepted if it does not resolve yet', async () => {
    const resolve: Resolve = async (host) => {
      if (host === 'private.example') return [{ address: '10.0.0.1', family: 4 }];
      throw new Error('unknown');
    };
    const fixture = await openFixture({ resolve });
    const guildId = await addGuild(fixture.store);
    const refused = { ok: false, fault: 'private-address' };
    assert.deepEqual(await add(fixture, guildId, 'https://private.example/'), refused);
    assert.equal((await add(fixture, guildId, 'https://later.example/')).ok, true);
  });

  test('have encrypted secrets, which are shown to users with access', async () => {
    const fixture = await openFixture();
    const { guildId, endpointId, secret, endpoint } = await fixture.addEndpoint('https://a.example/');
    assert.ok(!JSON.stringify(endpoint).includes(secret));
    const { endpoints } = fixture;
    assert.deepEqual(await endpoints.revealSecret(guildId, endpointId), { shown: true, secret });
    const unknown = { shown: false, reason: 'unknown-endpoint' };
    assert.deepEqual(await endpoints.revealSecret(guildId, 'ep_unknown'), unknown);
    const rotated = await endpoints.rotateSecret(guildId, endpointId, ADMIN);
    assert.notEqual(rotated, secret);
    assert.deepEqual(await endpoints.revealSecret(guildId, endpointId), { shown: true, secret: rotated });
    assert.equal(await endpoints.rotateSecret(guildId, 'ep_unknown', ADMIN), undefined);
  });

  test('belong to their guild: admins of another guild cannot change them', async () => {
    const fixture = await openFixture();
    const { endpointId } = await fixture.addEndpoint('https://a.example/');
    const other = await addGuild(fixture.store);
    const { endpoints } = fixture;
    assert.equal(await endpoints.removeEndpoint(other, endpointId, ADMIN), false);
    assert.equal(await endpoints.rotateSecret(other, endpointId, ADMIN), undefined);
    const refused = { sent: false, reason: 'unknown-endpoint' };
    assert.deepEqual(await endpoints.sendTest(other, endpointId), refused);
    assert.equal((await endpoints.revealSecret(other, endpointId)).shown, false);
    assert.deepEqual(await fixture.store.activities.recent(other, 10), []);
  });

  test('record every change: who made it, to which endpoint, and the old and new values', async () => {
    const fixture = await openFixture();
    const { endpoints, store } = fixture;
    const guildId = await addGuild(store);
    const added = await add(fixture, guildId, 'https://a.example/s3cret');
    assert.ok(added.ok);
    const { endpointId: id } = added.endpoint;
    const events = ['vote_available', 'vote_received'] as const;
    await endpoints.editEndpoint(guildId, id, { name: 'Bot' }, ADMIN);
    await endpoints.editEndpoint(guildId, id, { url: 'https://b.example/s3cret', events }, ADMIN);
    await endpoints.editEndpoint(guildId, id, { name: 'Bot', events }, ADMIN);
    await endpoints.pauseEndpoint(guildId, id, ADMIN);
    await endpoints.pauseEndpoint(guildId, id, ADMIN);
    await endpoints.resumeEndpoint(guildId, id, ADMIN);
    await endpoints.rotateSecret(guildId, id, ADMIN);
    await endpoints.rotateSecret(guildId, id, ADMIN, { now: true });
    await endpoints.enableEndpoint(guildId, id, ADMIN);
    await endpoints.removeEndpoint(guildId, id, null);
    const trace = (await store.activities.recent(guildId, 20)).toReversed();
    const [before, named, moved] = [
      { id, name: null, host: 'a.example' },
      { id, name: 'Bot', host: 'a.example' },
      { id, name: 'Bot', host: 'b.example' },
    ];
    assert.deepEqual(
      trace.map(({ detail }) => [detail?.endpoint, detail?.change]),
      [
        [before, { kind: 'added' }],
        [named, { kind: 'edited', name: { from: null, to: 'Bot' } }],
        [
          moved,
          {
            kind: 'edited',
            host: { from: 'a.example', to: 'b.example' },
            events: { from: ['vote_received'], to: ['vote_received', 'vote_available'] },
          },
        ],
        [moved, { kind: 'paused' }],
        [moved, { kind: 'resumed' }],
        [moved, { kind: 'secret_rotated' }],
        [moved, { kind: 'secret_replaced' }],
        [moved, { kind: 'enabled' }],
        [moved, { kind: 'removed' }],
      ],
    );
    assert.ok(trace.every(({ action, count }) => action === 'webhook_changed' && count === 1));
    assert.deepEqual(
      trace.map(({ actor }) => actor),
      [...Array(8).fill(ADMIN), null],
    );
    assert.doesNotMatch(JSON.stringify(trace), /s3cret/);
  });
});

describe('the test button', () => {
  test('shows the response of the receiver immediately', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId, endpointId } = await fixture.addEndpoint(receiver.url);
    const test = await fixture.endpoints.sendTest(guildId, endpointId);
    assert.ok(test.sent);
    const { result } = test;
    const { status, answer, error, isDelivered } = result;
    assert.deepEqual(
      { status, answer, error, isDelivered },
      { status: 200, answer: 'thank you', error: null, isDelivered: true },
    );
    assert.equal(JSON.parse(receiver.received[0]?.body ?? '').type, 'webhook_test');
    assert.equal((await fixture.log(guildId))[0]?.eventId, result.eventId);
  });

  for (const type of ['vote_received', 'vote_available'] as const) {
    test(`sends a sample of ${type} marked as a test, regardless of the subscribed events`, async () => {
      const [fixture, receiver] = [await openFixture(), await startReceiver()];
      const { guildId, endpointId } = await fixture.addEndpoint(receiver.url);
      const sent = await fixture.endpoints.sendTest(guildId, endpointId, type);
      assert.equal(sent.sent && sent.result.isDelivered, true);
      const body = JSON.parse(receiver.received[0]?.body ?? '');
      assert.deepEqual([body.type, body.data.test, body.data.guild_id], [type, true, guildId]);
      const [record] = await fixture.log(guildId);
      assert.deepEqual([record?.type, record?.isTest], [type, true]);
    });

    test(`sends a sample of ${type} once, and does not count its failure`, async () => {
      const [fixture, receiver] = [await openFixture(), await startReceiver()];
      const { guildId, endpointId } = await fixture.addEndpoint(receiver.url, [type]);
      receiver.answer = answerWith(410);
      await fixture.endpoints.sendTest(guildId, endpointId, type);
      fixture.clock.advance(86_400_000);
      await fixture.worker.runDue();
      assert.equal(receiver.received.length, 1);
      const [endpoint] = await fixture.endpoints.listEndpoints(guildId);
      assert.deepEqual([endpoint?.disabled, endpoint?.failingSince], [null, null]);
    });
  }

  test('shows a failure, which is not retried and does not count against the endpoint', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId, endpointId } = await fixture.addEndpoint(receiver.url);
    receiver.answer = answerWith(410);
    const test = await fixture.endpoints.sendTest(guildId, endpointId);
    assert.ok(test.sent);
    assert.deepEqual([test.result.status, test.result.isDelivered], [410, false]);
    fixture.clock.advance(86_400_000);
    await fixture.worker.runDue();
    assert.equal(receiver.received.length, 1);
    const [endpoint] = await fixture.endpoints.listEndpoints(guildId);
    assert.deepEqual([endpoint?.disabled, endpoint?.failingSince], [null, null]);
  });

  test('rejects a second test of an endpoint while one is running, and accepts the next one', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId, endpointId } = await fixture.addEndpoint(receiver.url);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    receiver.answer = (_request, response) => void released.then(() => response.end());
    const first = fixture.endpoints.sendTest(guildId, endpointId);
    await receiver.untilReceived(1);
    const refused = { sent: false, reason: 'under-way' };
    assert.deepEqual(await fixture.endpoints.sendTest(guildId, endpointId), refused);
    release();
    assert.equal((await first).sent, true);
    assert.equal((await fixture.endpoints.sendTest(guildId, endpointId)).sent, true);
    assert.equal(receiver.received.length, 2);
  });

  test('is available again if the process that sent a test died', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId, endpointId, endpoint } = await fixture.addEndpoint(receiver.url);
    const now = fixture.clock();
    const event = webhookTest(guildId, now, 'of a process that died');
    await fixture.store.webhooks.beginTest(event, endpoint, { now, until: now + CLAIM_MS });
    assert.equal((await fixture.endpoints.sendTest(guildId, endpointId)).sent, false);
    fixture.clock.advance(CLAIM_MS);
    assert.equal((await fixture.endpoints.sendTest(guildId, endpointId)).sent, true);
  });

  test('needs a slot: if none is free, a test is rejected and nothing is sent', async () => {
    const limits = { total: 2, perEndpoint: 2, unproven: 2, unhealthy: 2 };
    const [fixture, receiver] = [await openFixture({ limits }), await startReceiver()];
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    receiver.answer = (_request, response) => void released.then(() => response.end());
    const added = await Promise.all([1, 2, 3].map(() => fixture.addEndpoint(receiver.url)));
    const [first, second, third] = added.map(({ guildId, endpointId }) => () => {
      return fixture.endpoints.sendTest(guildId, endpointId);
    });
    assert.ok(first && second && third);
    const tests = [first(), second()];
    await receiver.untilReceived(2);
    assert.deepEqual(await third(), { sent: false, reason: 'busy' });
    release();
    assert.deepEqual(await Promise.all(tests.map(async (test) => (await test).sent)), [true, true]);
    assert.equal((await third()).sent, true);
    assert.equal(receiver.received.length, 3);
  });

  test('sends nothing while the guild is sanctioned', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId, endpointId } = await fixture.addEndpoint(receiver.url);
    await fixture.store.guilds.setSanction(guildId, { since: fixture.clock(), reason: null });
    const refused = { sent: false, reason: 'sanctioned' };
    assert.deepEqual(await fixture.endpoints.sendTest(guildId, endpointId), refused);
    await fixture.store.guilds.setSanction(guildId, null);
    assert.equal((await fixture.endpoints.sendTest(guildId, endpointId)).sent, true);
    assert.equal(receiver.received.length, 1);
  });
});
