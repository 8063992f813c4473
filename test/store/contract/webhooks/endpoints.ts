import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../../src/domain/clock.ts';
import { sampleEvent } from '../../../../src/domain/webhooks/event.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, NOW, OTHER_USER, voteOf } from '../../fixtures.ts';
import {
  ANSWERED,
  addEndpoint,
  claim,
  claimDue,
  claimOne,
  countReplayed,
  REFUSED,
  UNTIL,
} from '../../webhook-fixtures.ts';

const UNKNOWN = 'ep_unknown';
const destination = { kind: 'https' } as const;

export function webhookEndpointContract(subject: Subject): void {
  test('an endpoint has a name, and starts unpaused', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const { endpointId } = await addEndpoint(store, guildId, { name: 'Zoé’s bot 🤖' });
    const found = await store.webhooks.findEndpoint(guildId, endpointId);
    assert.deepEqual([found?.name, found?.pausedAt], ['Zoé’s bot 🤖', null]);
  });

  test('an edit changes URL, events and name, and keeps the secrets', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const { endpointId } = await addEndpoint(store, guildId);
    const before = await store.webhooks.findEndpoint(guildId, endpointId);
    const input = {
      destination,
      url: 'https://new.example/',
      events: ['vote_available' as const],
      name: 'New',
    };
    assert.equal(await store.webhooks.updateEndpoint(guildId, endpointId, input), true);
    assert.deepEqual(await store.webhooks.findEndpoint(guildId, endpointId), { ...before, ...input });
    await store.webhooks.updateEndpoint(guildId, endpointId, { ...input, name: null });
    assert.equal((await store.webhooks.findEndpoint(guildId, endpointId))?.name, null);
    assert.equal(await store.webhooks.updateEndpoint(guildId, UNKNOWN, input), false);
    assert.equal(await store.webhooks.updateEndpoint(await addGuild(store), endpointId, input), false);
  });

  test('a new URL resets the failures; the same URL does not', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const { endpointId, url, events } = await addEndpoint(store, guildId);
    await store.votes.cast(voteOf(guildId));
    const retry = { state: 'pending', nextAttemptAt: NOW + 5000 } as const;
    await store.webhooks.finish(await claimOne(store, guildId), REFUSED, retry, 'fails');
    await store.webhooks.updateEndpoint(guildId, endpointId, { destination, url, events, name: 'Renamed' });
    assert.equal((await store.webhooks.findEndpoint(guildId, endpointId))?.failingSince, NOW);
    const moved = { destination, url: 'https://new.example/', events, name: null };
    await store.webhooks.updateEndpoint(guildId, endpointId, moved);
    assert.equal((await store.webhooks.findEndpoint(guildId, endpointId))?.failingSince, null);
    const again = await claimOne(store, guildId, NOW + 5000);
    assert.equal(again.endpoint.url, moved.url);
  });

  test('deliveries that wait for an endpoint are dropped when it unsubscribes from their type', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const events = ['vote_received', 'vote_available'] as const;
    const { endpointId, url } = await addEndpoint(store, guildId, { events: [...events] });
    const other = await addEndpoint(store, guildId, { events: ['vote_received'] });
    await store.votes.cast(voteOf(guildId));
    await store.webhooks.updateEndpoint(guildId, endpointId, {
      destination,
      url,
      events: ['vote_available'],
      name: null,
    });
    const log = await store.webhooks.deliveries(guildId, NOW + HOUR_MS, 10);
    assert.deepEqual(
      log.map((delivery) => [delivery.endpointId, delivery.type]),
      [
        [endpointId, 'vote_available'],
        [other.endpointId, 'vote_received'],
      ],
    );
  });

  test('nothing is claimed for a paused endpoint, and everything queued in the meantime once it is resumed', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const { endpointId } = await addEndpoint(store, guildId);
    await store.votes.cast(voteOf(guildId));
    assert.equal(await store.webhooks.setPaused(guildId, endpointId, NOW), true);
    assert.equal(await store.webhooks.setPaused(guildId, endpointId, NOW + 1), false);
    assert.equal((await store.webhooks.findEndpoint(guildId, endpointId))?.pausedAt, NOW);
    await store.votes.cast(voteOf(guildId, { userId: OTHER_USER, castAt: NOW + 1 }));
    assert.deepEqual(await claim(store, guildId, NOW + DAY_MS), []);
    const all = { now: NOW + DAY_MS, until: NOW + 2 * DAY_MS, guildIds: null, except: [], limit: 1000 };
    const others = await claimDue(store, { ...all, only: [endpointId] });
    assert.deepEqual(others, []);
    assert.equal(await store.webhooks.setPaused(guildId, endpointId, null), true);
    assert.equal(await store.webhooks.setPaused(guildId, endpointId, null), false);
    const first = await claimOne(store, guildId, NOW + DAY_MS);
    await store.webhooks.finish(first, ANSWERED, { state: 'delivered' }, 'works');
    const second = await claimOne(store, guildId, NOW + DAY_MS);
    assert.ok(first.eventId < second.eventId);
    assert.equal(await store.webhooks.setPaused(guildId, UNKNOWN, NOW), false);
  });

  test('a replay to a paused endpoint waits with the other deliveries', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const { endpointId } = await addEndpoint(store, guildId);
    await store.votes.cast(voteOf(guildId));
    await store.webhooks.finish(await claimOne(store, guildId), ANSWERED, { state: 'delivered' }, 'works');
    await store.webhooks.setPaused(guildId, endpointId, NOW);
    const request = { guildId, which: { since: NOW }, endpointId, now: NOW + 1 };
    assert.equal(await countReplayed(store, request), 1);
    assert.deepEqual(await claim(store, guildId, NOW + 1), []);
    await store.webhooks.setPaused(guildId, endpointId, null);
    assert.equal((await claim(store, guildId, NOW + 1)).length, 1);
  });

  test('resuming an endpoint resets its failures', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const { endpointId } = await addEndpoint(store, guildId);
    await store.votes.cast(voteOf(guildId));
    const retry = { state: 'pending', nextAttemptAt: NOW + 5000 } as const;
    await store.webhooks.finish(await claimOne(store, guildId), REFUSED, retry, 'fails');
    await store.webhooks.setPaused(guildId, endpointId, NOW);
    assert.equal((await store.webhooks.findEndpoint(guildId, endpointId))?.failingSince, NOW);
    await store.webhooks.setPaused(guildId, endpointId, null);
    assert.equal((await store.webhooks.findEndpoint(guildId, endpointId))?.failingSince, null);
  });

  test('a secret is replaced only if it is the current one', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const { endpointId } = await addEndpoint(store, guildId);
    const first = { current: 'first', previous: { sealed: 'sealed', validUntil: NOW + DAY_MS } };
    assert.equal(await store.webhooks.setSecrets(guildId, endpointId, first, 'sealed'), true);
    const second = { current: 'second', previous: null };
    assert.equal(await store.webhooks.setSecrets(guildId, endpointId, second, 'sealed'), false);
    assert.deepEqual((await store.webhooks.findEndpoint(guildId, endpointId))?.secrets, first);
    assert.equal(await store.webhooks.setSecrets(guildId, endpointId, second, 'first'), true);
    assert.deepEqual((await store.webhooks.findEndpoint(guildId, endpointId))?.secrets, second);
  });

  for (const type of ['vote_received', 'vote_available'] as const) {
    test(`a sample of ${type} is a test: it is marked in the log and never replayed`, async () => {
      const { store } = subject;
      const guildId = await addGuild(store);
      const { endpointId } = await addEndpoint(store, guildId, { events: [type] });
      const endpoint = await store.webhooks.findEndpoint(guildId, endpointId);
      assert.ok(endpoint);
      const event = sampleEvent(type, guildId, NOW, 'a nonce');
      assert.ok(await store.webhooks.beginTest(event, endpoint, { now: NOW, until: UNTIL }));
      // Its sender died: the next worker still knows that it is a test.
      const again = await claimOne(store, guildId, UNTIL);
      assert.deepEqual([again.type, again.isTest], [type, true]);
      await store.webhooks.finish(again, ANSWERED, { state: 'delivered' }, 'unknown');
      const [record] = await store.webhooks.deliveries(guildId, NOW, 10);
      assert.deepEqual([record?.type, record?.isTest], [type, true]);
      for (const which of [{ since: NOW - DAY_MS }, { eventId: event.eventId }]) {
        const request = { guildId, which, endpointId: null, now: NOW + 1 };
        assert.equal(await countReplayed(store, request), 0);
      }
    });
  }
}
