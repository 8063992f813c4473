import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../../src/domain/clock.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, NOW, OTHER_USER, USER, voteOf } from '../../fixtures.ts';
import { ANSWERED, addEndpoint, claim, claimOne, countReplayed, REFUSED } from '../../webhook-fixtures.ts';

export function webhookHistoryContract(subject: Subject): void {
  test('the log contains state, attempts, the last response and the next attempt', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const { endpointId, url } = await addEndpoint(store, guildId);
    await store.votes.cast(voteOf(guildId));
    const delivery = await claimOne(store, guildId);
    const retry = { state: 'pending', nextAttemptAt: NOW + 5000 } as const;
    await store.webhooks.finish(delivery, REFUSED, retry, 'fails');
    const expected = {
      guildId,
      eventId: delivery.eventId,
      endpointId,
      type: 'vote_received',
      isTest: false,
      occursAt: NOW,
      kind: 'https',
      url,
      state: 'pending',
      attempts: 1,
      nextAttemptAt: NOW + 5000,
      lastAttempt: REFUSED,
    };
    assert.deepEqual(await store.webhooks.deliveries(guildId, NOW, 10), [expected]);
    assert.equal((await store.webhooks.findEndpoint(guildId, endpointId))?.failingSince, NOW);
    assert.deepEqual(await claim(store, guildId, NOW + 4999), []);
    const again = await claimOne(store, guildId, NOW + 5000);
    assert.equal(again.tries, 1);
    const answered = { ...ANSWERED, at: NOW + 5000 };
    await store.webhooks.finish(again, answered, { state: 'delivered' }, 'works');
    const [record] = await store.webhooks.deliveries(guildId, NOW, 10);
    assert.deepEqual(record, {
      ...expected,
      state: 'delivered',
      attempts: 2,
      nextAttemptAt: null,
      lastAttempt: answered,
    });
    assert.equal((await store.webhooks.findEndpoint(guildId, endpointId))?.failingSince, null);
  });

  test('events for a disabled endpoint wait, and are sent when it is enabled again', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const { endpointId } = await addEndpoint(store, guildId);
    await store.votes.cast(voteOf(guildId));
    assert.equal(await store.webhooks.disableEndpoint(guildId, endpointId, NOW, 'gone'), true);
    assert.equal(await store.webhooks.disableEndpoint(guildId, endpointId, NOW + 1, 'failing'), false);
    await store.votes.cast(voteOf(guildId, { userId: OTHER_USER, castAt: NOW + 1 }));
    const disabled = await store.webhooks.findEndpoint(guildId, endpointId);
    assert.deepEqual(disabled?.disabled, { at: NOW, reason: 'gone' });
    assert.deepEqual(await claim(store, guildId, NOW + DAY_MS), []);
    const request = { guildId, which: { since: NOW }, endpointId: null, now: NOW + DAY_MS };
    assert.equal(await countReplayed(store, request), 0);
    assert.equal(await store.webhooks.enableEndpoint(guildId, endpointId), true);
    assert.equal(await countReplayed(store, request), 0);
    const users: unknown[] = [];
    for (let i = 0; i < 2; i += 1) {
      const { body } = await claimOne(store, guildId, NOW + DAY_MS);
      users.push(JSON.parse(body).data.user_id);
    }
    assert.deepEqual(users, [USER, OTHER_USER]);
    assert.deepEqual(await claim(store, guildId, NOW + DAY_MS), []);
  });

  test('a replay sends one event, or all since a time, with their own ids', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const { endpointId } = await addEndpoint(store, guildId);
    await store.votes.cast(voteOf(guildId, { castAt: NOW - HOUR_MS }));
    const first = await claimOne(store, guildId);
    await store.webhooks.finish(first, ANSWERED, { state: 'delivered' }, 'works');
    await store.votes.cast(voteOf(guildId));
    const second = await claimOne(store, guildId);
    await store.webhooks.finish(second, ANSWERED, { state: 'failed' }, 'fails');
    const replay = (which: { eventId: string } | { since: number }) =>
      countReplayed(store, { guildId, which, endpointId, now: NOW + 10 });
    assert.equal(await replay({ since: NOW }), 1);
    const again = await claimOne(store, guildId, NOW + 10);
    assert.deepEqual([again.eventId, again.body, again.tries], [second.eventId, second.body, 0]);
    await store.webhooks.finish(again, ANSWERED, { state: 'delivered' }, 'works');
    assert.equal((await store.webhooks.attempts(guildId, again.eventId)).length, 2);
    assert.equal(await replay({ eventId: first.eventId }), 1);
    assert.equal((await claimOne(store, guildId, NOW + 10)).eventId, first.eventId);
    assert.equal(await replay({ eventId: 'evt_unknown' }), 0);
  });

  test('a future reminder is not replayed early to a new endpoint', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await addEndpoint(store, guildId, { events: ['vote_available'] });
    await store.votes.cast(voteOf(guildId));
    const added = await addEndpoint(store, guildId, { events: ['vote_available'] });
    const later = await store.webhooks.deliveries(guildId, NOW + HOUR_MS, 10);
    const which = { eventId: later[0]?.eventId ?? '' };
    const request = { guildId, which, endpointId: added.endpointId, now: NOW };
    assert.equal(await countReplayed(store, request), 1);
    assert.deepEqual(await claim(store, guildId, NOW + HOUR_MS - 1), []);
  });

  test('a replay sends deliveries that wait for a retry, and skips those in progress', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const { endpointId } = await addEndpoint(store, guildId);
    await store.votes.cast(voteOf(guildId));
    const delivery = await claimOne(store, guildId);
    const request = { guildId, which: { since: NOW }, endpointId, now: NOW + 10 };
    assert.equal(await countReplayed(store, request), 0);
    const retry = { state: 'pending', nextAttemptAt: NOW + HOUR_MS } as const;
    await store.webhooks.finish(delivery, REFUSED, retry, 'fails');
    assert.equal(await countReplayed(store, request), 1);
    const again = await claimOne(store, guildId, NOW + 10);
    assert.deepEqual([again.eventId, again.tries], [delivery.eventId, 0]);
  });

  test('a replay stops at its limit, says where to continue, and leaves nothing incomplete', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await addEndpoint(store, guildId);
    // More than one batch, all delivered or failed.
    const votes = 450;
    const casts = Array.from({ length: votes }, (_, i) =>
      store.votes.cast(voteOf(guildId, { userId: `3${String(i).padStart(17, '0')}`, castAt: NOW + i })),
    );
    await Promise.all(casts);
    const request = { guildId, which: { since: NOW }, endpointId: null, now: NOW + DAY_MS };
    for (let i = 0; i < votes; i += 1) {
      const delivery = await claimOne(store, guildId, NOW + votes);
      await store.webhooks.finish(delivery, ANSWERED, { state: 'failed' }, 'unknown');
    }
    const first = await store.webhooks.replay({ ...request, limit: 1 });
    assert.ok(first.queued > 0 && first.queued < votes);
    assert.equal(first.nextSince, NOW + first.queued);
    // Repeated from the start, it skips queued deliveries, and continues where the first one ended.
    const again = await store.webhooks.replay({ ...request, limit: 1 });
    assert.deepEqual(again, { queued: first.queued, nextSince: NOW + 2 * first.queued });
    const rest = await store.webhooks.replay({
      ...request,
      which: { since: again.nextSince ?? 0 },
      limit: 1000,
    });
    assert.deepEqual(rest, { queued: votes - 2 * first.queued, nextSince: null });
  });

  test('a replay never sends a reminder early', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const { endpointId } = await addEndpoint(store, guildId, { events: ['vote_available'] });
    await store.votes.cast(voteOf(guildId));
    const [reminder] = await store.webhooks.deliveries(guildId, NOW + HOUR_MS, 10);
    const which = { eventId: reminder?.eventId ?? '' };
    assert.equal(await countReplayed(store, { guildId, which, endpointId, now: NOW }), 0);
    await store.webhooks.disableEndpoint(guildId, endpointId, NOW, 'failing');
    await store.webhooks.enableEndpoint(guildId, endpointId);
    assert.equal(await countReplayed(store, { guildId, which, endpointId, now: NOW }), 0);
    assert.deepEqual(await claim(store, guildId, NOW + HOUR_MS - 1), []);
    assert.equal((await claimOne(store, guildId, NOW + HOUR_MS)).eventId, reminder?.eventId);
  });

  test('rotated secrets are stored, and the log of a removed endpoint is kept', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const { endpointId } = await addEndpoint(store, guildId);
    const secrets = { current: 'new', previous: { sealed: 'old', validUntil: NOW + DAY_MS } };
    assert.equal(await store.webhooks.setSecrets(guildId, endpointId, secrets), true);
    await store.votes.cast(voteOf(guildId));
    const delivery = await claimOne(store, guildId);
    assert.deepEqual(delivery.endpoint.secrets, secrets);
    await store.webhooks.finish(delivery, ANSWERED, { state: 'delivered' }, 'works');
    await store.votes.cast(voteOf(guildId, { userId: OTHER_USER }));
    await store.webhooks.removeEndpoint(guildId, endpointId);
    assert.deepEqual(await claim(store, guildId, NOW + DAY_MS), []);
    const log = await store.webhooks.deliveries(guildId, NOW, 10);
    assert.deepEqual(
      log.map(({ state, url }) => ({ state, url })),
      [{ state: 'delivered', url: null }],
    );
  });
}
