import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { HOUR_MS } from '../../src/domain/clock.ts';
import type { Resolve } from '../../src/webhooks/resolve.ts';
import { addGuild } from '../store/fixtures.ts';
import { openFixture } from './fixture.ts';
import { startReceiver } from './receiver.ts';

const ADMIN = { userId: '200000000000000009', name: 'Admin' };

describe('editing an endpoint', () => {
  test('checks the URL again, and changes nothing if a check fails', async () => {
    const resolve: Resolve = async () => [{ address: '10.0.0.1', family: 4 }];
    const fixture = await openFixture({ resolve });
    const { endpoints } = fixture;
    const { guildId, endpointId } = await fixture.addEndpoint('http://127.0.0.1:1029/');
    const before = await endpoints.listEndpoints(guildId);
    const refused = {
      'not an address': 'not-a-url',
      'http://a.example/': 'not-https',
      'https://me:pass@a.example/': 'has-credentials',
      'https://10.0.0.1/': 'private-address',
      'https://leads.inside.example/': 'private-address',
    };
    for (const [url, fault] of Object.entries(refused))
      assert.deepEqual(await endpoints.editEndpoint(guildId, endpointId, { url }, ADMIN), {
        ok: false,
        fault,
      });
    const others = [
      [{ events: [] }, 'no-events'],
      [{ name: 'x'.repeat(61) }, 'bad-name'],
      [{ name: 'a\u0007b' }, 'bad-name'],
    ] as const;
    for (const [input, fault] of others)
      assert.deepEqual(await endpoints.editEndpoint(guildId, endpointId, input, ADMIN), { ok: false, fault });
    assert.deepEqual(await endpoints.listEndpoints(guildId), before);
    const unknown = { ok: false, fault: 'unknown-endpoint' };
    assert.deepEqual(await endpoints.editEndpoint(guildId, 'ep_unknown', {}, ADMIN), unknown);
    assert.deepEqual(
      await endpoints.editEndpoint(await addGuild(fixture.store), endpointId, {}, ADMIN),
      unknown,
    );
  });

  test('sends to the new URL with the same secret', async () => {
    const [fixture, first, second] = [await openFixture(), await startReceiver(), await startReceiver()];
    // The verifier uses the real time.
    fixture.clock.set(Date.now());
    const { guildId, endpointId, secret } = await fixture.addEndpoint(first.url);
    const edited = await fixture.endpoints.editEndpoint(guildId, endpointId, { url: second.url }, ADMIN);
    assert.ok(edited.ok);
    assert.equal(edited.endpoint.url, second.url);
    await fixture.vote(guildId);
    await fixture.worker.runDue();
    assert.equal(first.received.length, 0);
    const { body, headers } = second.received[0] ?? assert.fail();
    assert.doesNotThrow(() => new Webhook(secret).verify(body, headers));
  });

  test('accepts a name of up to 60 characters, trims it, and can remove it', async () => {
    const fixture = await openFixture();
    const { endpoints } = fixture;
    const { guildId, endpointId } = await fixture.addEndpoint('https://a.example/');
    const names: [given: string | null, kept: string | null][] = [
      [` ${'🤖'.repeat(60)} `, '🤖'.repeat(60)],
      ['  ', null],
      ['Bot', 'Bot'],
      [null, null],
    ];
    for (const [name, kept] of names) {
      const edited = await endpoints.editEndpoint(guildId, endpointId, { name }, ADMIN);
      assert.deepEqual(edited.ok && edited.endpoint.name, kept);
      assert.deepEqual((await endpoints.listEndpoints(guildId))[0]?.name, kept);
    }
  });
});

describe('a paused endpoint', () => {
  test('gets nothing until it is resumed, and then everything it missed, in order', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId, endpointId } = await fixture.addEndpoint(receiver.url);
    assert.equal(await fixture.endpoints.pauseEndpoint(guildId, endpointId, ADMIN), true);
    for (let i = 0; i < 3; i += 1) {
      await fixture.vote(guildId);
      fixture.clock.advance(HOUR_MS);
    }
    await fixture.worker.runDue();
    assert.equal(receiver.received.length, 0);
    const waiting = await fixture.log(guildId);
    assert.deepEqual(
      waiting.map(({ state }) => state),
      ['pending', 'pending', 'pending'],
    );
    assert.equal(await fixture.endpoints.resumeEndpoint(guildId, endpointId, ADMIN), true);
    await fixture.worker.runDue();
    assert.deepEqual(
      receiver.received.map(({ headers }) => headers['webhook-id']).toSorted(),
      waiting.map(({ eventId }) => eventId).toSorted(),
    );
  });

  test('can still be tested', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId, endpointId } = await fixture.addEndpoint(receiver.url);
    await fixture.endpoints.pauseEndpoint(guildId, endpointId, ADMIN);
    const sent = await fixture.endpoints.sendTest(guildId, endpointId);
    assert.equal(sent.sent && sent.result.isDelivered, true);
  });

  test('is limited to its own guild', async () => {
    const fixture = await openFixture();
    const { guildId, endpointId } = await fixture.addEndpoint('https://a.example/');
    const other = await addGuild(fixture.store);
    assert.equal(await fixture.endpoints.pauseEndpoint(other, endpointId, ADMIN), false);
    await fixture.endpoints.pauseEndpoint(guildId, endpointId, ADMIN);
    assert.equal(await fixture.endpoints.resumeEndpoint(other, endpointId, ADMIN), false);
    assert.notEqual((await fixture.endpoints.listEndpoints(guildId))[0]?.pausedAt, null);
  });
});

describe('a secret', () => {
  test('that is replaced immediately no longer signs, and neither does the previous one', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId, endpointId, secret } = await fixture.addEndpoint(receiver.url);
    fixture.clock.set(Date.now());
    const second = await fixture.endpoints.rotateSecret(guildId, endpointId, ADMIN);
    const third = await fixture.endpoints.rotateSecret(guildId, endpointId, ADMIN, { now: true });
    assert.ok(second && third);
    await fixture.endpoints.sendTest(guildId, endpointId);
    const { body, headers } = receiver.received[0] ?? assert.fail();
    assert.doesNotThrow(() => new Webhook(third).verify(body, headers));
    for (const old of [secret, second]) assert.throws(() => new Webhook(old).verify(body, headers));
    assert.equal(headers['webhook-signature']?.split(' ').length, 1);
  });

  test('is not replaced by a request for another secret', async () => {
    const fixture = await openFixture();
    const { guildId, endpointId, endpoint } = await fixture.addEndpoint('https://a.example/');
    const replaces = endpoint.secrets.current;
    const rotate = () => fixture.endpoints.rotateSecret(guildId, endpointId, ADMIN, { replaces });
    const rotated = await Promise.all([rotate(), rotate(), rotate()]);
    assert.equal(rotated.filter((secret) => secret !== undefined).length, 1);
    const [after] = await fixture.endpoints.listEndpoints(guildId);
    assert.equal(after?.secrets.previous?.sealed, replaces);
  });
});
