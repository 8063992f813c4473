import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../../src/domain/clock.ts';
import { webhookTest } from '../../../../src/domain/webhooks/event.ts';
import { MAX_ATTEMPTS_KEPT, MAX_TESTS_KEPT } from '../../../../src/store/webhooks/store.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, NOW, USER, voteOf } from '../../fixtures.ts';
import {
  ANSWERED,
  addEndpoint,
  claim,
  claimOne,
  countReplayed,
  REFUSED,
  UNTIL,
} from '../../webhook-fixtures.ts';

export function webhookRetentionContract(subject: Subject): void {
  test('a test event can only be claimed by its sender', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const { endpointId } = await addEndpoint(store, guildId);
    const endpoint = await store.webhooks.findEndpoint(guildId, endpointId);
    assert.ok(endpoint);
    const claimed = { now: NOW, until: UNTIL };
    const delivery = await store.webhooks.beginTest(webhookTest(guildId, NOW, 'a'), endpoint, claimed);
    assert.ok(delivery?.isTest);
    assert.deepEqual(await claim(store, guildId, NOW + 1), []);
    assert.equal(await store.webhooks.finish(delivery, REFUSED, { state: 'failed' }, 'unknown'), true);
    assert.equal((await store.webhooks.findEndpoint(guildId, endpointId))?.failingSince, null);
    const [record] = await store.webhooks.deliveries(guildId, NOW, 10);
    assert.deepEqual([record?.type, record?.isTest, record?.state], ['webhook_test', true, 'failed']);
    const replay = { guildId, which: { eventId: delivery.eventId }, endpointId: null, now: NOW };
    assert.equal(await countReplayed(store, replay), 0);
  });

  test('an endpoint has one test at a time, until it ends or its claim expires', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const { endpointId } = await addEndpoint(store, guildId);
    const endpoint = await store.webhooks.findEndpoint(guildId, endpointId);
    assert.ok(endpoint);
    const begin = (nonce: string, now: number) =>
      store.webhooks.beginTest(webhookTest(guildId, now, nonce), endpoint, { now, until: now + 30_000 });
    const [first, ...others] = (
      await Promise.all([begin('a', NOW), begin('b', NOW), begin('c', NOW)])
    ).filter((delivery) => delivery !== undefined);
    assert.ok(first && others.length === 0);
    assert.equal((await store.webhooks.deliveries(guildId, NOW, 10)).length, 1);
    await store.webhooks.endTest(first);
    assert.ok(await begin('d', NOW + 1));
    await store.webhooks.endTest(first);
    assert.equal(await begin('e', NOW + 30_000), undefined);
    assert.ok(await begin('f', NOW + 30_001));
  });

  test('the newest fifty tests of a guild are kept, and votes do not count', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const { endpointId } = await addEndpoint(store, guildId);
    const endpoint = await store.webhooks.findEndpoint(guildId, endpointId);
    assert.ok(endpoint);
    await store.votes.cast(voteOf(guildId, { castAt: NOW - 1 }));
    for (let i = 0; i < 53; i += 1) {
      const claimed = { now: NOW + i, until: NOW + i + 1 };
      assert.ok(await store.webhooks.beginTest(webhookTest(guildId, NOW + i, 'a'), endpoint, claimed));
    }
    const log = await store.webhooks.deliveries(guildId, NOW + 100, 100);
    assert.equal(log.length, MAX_TESTS_KEPT + 1);
    assert.deepEqual(
      [log[0]?.occursAt, log.at(-2)?.occursAt, log.at(-1)?.type],
      [NOW + 52, NOW + 3, 'vote_received'],
    );
  });

  test('the newest twenty attempts of a delivery are kept, and all are counted', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await addEndpoint(store, guildId);
    await store.votes.cast(voteOf(guildId));
    for (let i = 0; i < 23; i += 1) {
      const delivery = await claimOne(store, guildId, NOW + i);
      const retry = { state: 'pending', nextAttemptAt: NOW + i + 1 } as const;
      await store.webhooks.finish(delivery, { ...REFUSED, at: NOW + i }, retry, 'fails');
    }
    const [record] = await store.webhooks.deliveries(guildId, NOW, 10);
    assert.deepEqual([record?.attempts, record?.lastAttempt?.at], [23, NOW + 22]);
    const kept = (await store.webhooks.attempts(guildId, record?.eventId ?? '')).map(({ at }) => at);
    assert.deepEqual([kept.length, kept[0], kept.at(-1)], [MAX_ATTEMPTS_KEPT, NOW + 3, NOW + 22]);
  });

  test('the attempts for the newest events of a guild are kept, pruned guild by guild in batches', async () => {
    const { store } = subject;
    const [one, other] = [await addGuild(store), await addGuild(store)].toSorted();
    assert.ok(one && other);
    for (const guildId of [one, other]) {
      await addEndpoint(store, guildId);
      for (let i = 0; i < 6; i += 1) {
        await store.votes.cast(voteOf(guildId, { userId: `${USER}${i}`, castAt: NOW + i }));
        const delivery = await claimOne(store, guildId, NOW + i);
        await store.webhooks.finish(delivery, { ...ANSWERED, at: NOW + i }, { state: 'delivered' }, 'works');
      }
    }
    const prune = (after: string, limit: number) => store.webhooks.pruneAttempts({ after, keep: 2, limit });
    const before = String(BigInt(one) - 1n);
    assert.deepEqual(await prune(before, 3), { guildId: one, dropped: 3 });
    assert.deepEqual(await prune(before, 3), { guildId: one, dropped: 1 });
    assert.deepEqual(await prune(before, 3), { guildId: one, dropped: 0 });
    const log = await store.webhooks.deliveries(one, NOW + 10, 10);
    assert.deepEqual(
      log.map(({ attempts, lastAttempt }) => [attempts, lastAttempt?.at ?? null]),
      [[1, NOW + 5], [1, NOW + 4], ...Array(4).fill([1, null])],
    );
    assert.deepEqual(await prune(one, 100), { guildId: other, dropped: 4 });
    assert.equal(await prune('9'.repeat(20), 100), undefined);
  });

  test('old events are removed with their deliveries, newer ones stay', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await addEndpoint(store, guildId);
    for (const castAt of [NOW - 90 * DAY_MS, NOW - 80 * DAY_MS, NOW])
      await store.votes.cast(voteOf(guildId, { castAt }));
    assert.equal(await store.webhooks.prune(NOW - 30 * DAY_MS, 1), 1);
    assert.equal(await store.webhooks.prune(NOW - 30 * DAY_MS, 10), 1);
    assert.equal(await store.webhooks.prune(NOW - 30 * DAY_MS, 10), 0);
    assert.deepEqual(
      (await store.webhooks.deliveries(guildId, NOW, 10)).map(({ occursAt }) => occursAt),
      [NOW],
    );
  });
}
