import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR_MS } from '../../../src/domain/clock.ts';
import { sendInTopggFormat } from '../../../src/webhooks/topgg.ts';
import { addGuild } from '../../store/fixtures.ts';
import { openFixture } from '../fixture.ts';
import { answerWith } from '../receiver.ts';
import { openReceiver, pausesUntilDone, resultOf, SECRET, vote } from './open-receiver.ts';

describe('retries in the formats of top.gg', () => {
  const powers = (count: number) => Array.from({ length: count }, (_, index) => 2 ** (index + 1));

  for (const [format, count] of [
    ['topgg-v0', 10],
    ['topgg-v1', 3],
  ] as const) {
    test(`${format}: a server error is retried ${count} times, after 2^N seconds`, async () => {
      const fixture = await openFixture();
      const { receiver, guildId } = await openReceiver(fixture, format);
      receiver.answer = answerWith(500);
      await vote(fixture, guildId);
      assert.deepEqual(await pausesUntilDone(fixture, guildId), powers(count));
      assert.equal(receiver.received.length, count + 1);
      assert.deepEqual(await resultOf(fixture, guildId), {
        state: 'failed',
        attempts: count + 1,
        error: null,
      });
    });

    for (const [status, error] of [
      [400, 'TOPGG_REJECTED'],
      [401, 'TOPGG_SECRET_REJECTED'],
      [403, 'TOPGG_SECRET_REJECTED'],
      [404, 'TOPGG_REJECTED'],
      [408, 'TOPGG_REJECTED'],
      [429, 'TOPGG_REJECTED'],
      [302, 'REDIRECT'],
    ] as const) {
      test(`${format}: status ${status} is final, and the log says why`, async () => {
        const fixture = await openFixture();
        const { receiver, guildId, endpointId } = await openReceiver(fixture, format);
        receiver.answer = answerWith(status, { 'retry-after': '1', location: 'https://example.org/' });
        await vote(fixture, guildId);
        assert.deepEqual(await pausesUntilDone(fixture, guildId), []);
        const expected = { state: 'failed', attempts: 1, error };
        assert.deepEqual(await resultOf(fixture, guildId), expected);
        fixture.clock.advance(24 * HOUR_MS);
        await fixture.worker.runDue();
        assert.equal(receiver.received.length, 1);
        const endpoint = await fixture.store.webhooks.findEndpoint(guildId, endpointId);
        assert.ok(endpoint?.failingSince !== null && endpoint?.disabled === null);
      });
    }
  }

  test('a receiver that does not respond is retried', async () => {
    const fixture = await openFixture({ timeoutMs: 100 });
    const { receiver, guildId } = await openReceiver(fixture, 'topgg-v1');
    receiver.answer = () => {};
    await vote(fixture, guildId);
    assert.deepEqual(await pausesUntilDone(fixture, guildId), powers(3));
    const expected = { state: 'failed', attempts: 4, error: 'TOPGG_NO_RESPONSE' };
    assert.deepEqual(await resultOf(fixture, guildId), expected);
  });

  test('an attempt may take 5 seconds', async () => {
    const { store, clock, endpoints } = await openFixture();
    const guildId = await addGuild(store);
    const input = { kind: 'topgg', url: 'https://8.8.8.8/', events: ['vote_received'] } as const;
    const added = await endpoints.addEndpoint(guildId, input, null);
    assert.ok(added.ok && added.secret !== null);
    const body = JSON.stringify({ data: { user_id: '200000000000000001' } });
    const limits: (number | undefined)[] = [];
    const send = async ({ timeoutMs }: { timeoutMs?: number }) => {
      limits.push(timeoutMs);
      return { status: null, answer: '', error: 'NO_RESPONSE', retryAfter: undefined } as const;
    };
    const delivery = { guildId, endpointId: added.endpoint.endpointId, endpoint: added.endpoint, body };
    const claimed = { ...delivery, eventId: 'evt_1', type: 'vote_received', occursAt: 0 } as const;
    const result = await sendInTopggFormat(
      { store, clock, send },
      { ...claimed, isTest: false, tries: 0, claimedUntil: 0 },
      'topgg-v1',
      SECRET,
    );
    assert.deepEqual([limits, result.error], [[5000], 'TOPGG_NO_RESPONSE']);
  });

  test('410 disables the endpoint', async () => {
    const fixture = await openFixture();
    const { receiver, guildId, endpointId } = await openReceiver(fixture, 'topgg-v0');
    receiver.answer = answerWith(410);
    await vote(fixture, guildId);
    await fixture.worker.runDue();
    const endpoint = await fixture.store.webhooks.findEndpoint(guildId, endpointId);
    assert.equal(endpoint?.disabled?.reason, 'gone');
  });
});
