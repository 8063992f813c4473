import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../../src/domain/clock.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, importAll, NOW, OTHER_USER, USER, voteOf } from '../../fixtures.ts';
import { ANSWERED, addEndpoint, claim, claimDue, claimOne, REFUSED, UNTIL } from '../../webhook-fixtures.ts';

export function webhookQueueContract(subject: Subject): void {
  test('an endpoint is stored as it was added, and found until it is removed', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const endpoint = await addEndpoint(store, guildId, { events: ['vote_received', 'vote_available'] });
    const kept = { ...endpoint, failingSince: null, disabled: null, pausedAt: null };
    assert.deepEqual(await store.webhooks.listEndpoints(guildId), [kept]);
    assert.deepEqual(await store.webhooks.findEndpoint(guildId, endpoint.endpointId), kept);
    assert.equal(await store.webhooks.removeEndpoint(guildId, endpoint.endpointId), true);
    assert.equal(await store.webhooks.removeEndpoint(guildId, endpoint.endpointId), false);
    assert.equal(await store.webhooks.findEndpoint(guildId, endpoint.endpointId), undefined);
  });

  test('concurrent adds never exceed the endpoint limit', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const first = await addEndpoint(store, guildId);
    const adding = Array.from({ length: 10 }, (_, i) =>
      store.webhooks.addEndpoint({ ...first, endpointId: `${first.endpointId}_${i}` }, 5),
    );
    assert.equal((await Promise.all(adding)).filter((outcome) => outcome === 'added').length, 4);
    assert.equal((await store.webhooks.listEndpoints(guildId)).length, 5);
    const elsewhere = { ...first, guildId: '177777777777777777' };
    assert.equal(await store.webhooks.addEndpoint(elsewhere, 5), 'unknown-guild');
  });

  test('a vote is written with one event for each subscribed endpoint', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const endpoint = await addEndpoint(store, guildId);
    await addEndpoint(store, guildId, { events: ['vote_available'] });
    await store.votes.cast(voteOf(guildId, { userId: OTHER_USER, castAt: NOW - 1 }));
    await claimOne(store, guildId);
    const vote = voteOf(guildId, { externalId: 'Zoë "Z" \u{1f600}', isDoubled: true });
    await store.votes.cast(vote);
    const delivery = await claimOne(store, guildId);
    assert.equal(delivery.endpointId, endpoint.endpointId);
    assert.equal(delivery.endpoint.url, endpoint.url);
    const { type, timestamp, data } = JSON.parse(delivery.body);
    assert.deepEqual({ type, timestamp }, { type: 'vote_received', timestamp: '2026-11-15T12:00:00.000Z' });
    assert.match(data.vote_id, /^vote_[0-9a-f]{32}$/);
    assert.deepEqual(data, {
      vote_id: data.vote_id,
      guild_id: guildId,
      user_id: USER,
      external_id: vote.externalId,
      timestamp: '2026-11-15T12:00:00.000Z',
      is_doubled: true,
      next_vote_at: '2026-11-15T13:00:00.000Z',
      votes_this_month: 2,
      total_votes: 1,
      streak_days: 1,
    });
  });

  test('the reminder is due when the cooldown ends, and not a millisecond earlier', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await addEndpoint(store, guildId, { events: ['vote_available'] });
    await store.votes.cast(voteOf(guildId));
    assert.deepEqual(await claim(store, guildId, NOW + HOUR_MS - 1), []);
    assert.deepEqual(await store.webhooks.deliveries(guildId, NOW, 10), []);
    const delivery = await claimOne(store, guildId, NOW + HOUR_MS);
    const { type, data } = JSON.parse(delivery.body);
    assert.equal(type, 'vote_available');
    assert.equal(data.last_vote_at, '2026-11-15T12:00:00.000Z');
    assert.equal(data.available_at, '2026-11-15T13:00:00.000Z');
  });

  test('a rejected vote and imported votes cause no event', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await store.votes.cast(voteOf(guildId));
    await addEndpoint(store, guildId);
    assert.equal((await store.votes.cast(voteOf(guildId, { castAt: NOW + 1 }))).kind, 'cooldown');
    await importAll(store, voteOf(guildId, { userId: OTHER_USER }));
    assert.deepEqual(await claim(store, guildId, NOW + DAY_MS), []);
  });

  test('a claimed delivery is exclusive until the claim expires, and then the first claim is lost', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await addEndpoint(store, guildId);
    await store.votes.cast(voteOf(guildId));
    const first = await claimOne(store, guildId);
    assert.equal(first.claimedUntil, UNTIL);
    assert.deepEqual(await claim(store, guildId, UNTIL - 1), []);
    const second = await claimOne(store, guildId, UNTIL);
    assert.equal(second.eventId, first.eventId);
    assert.equal(second.body, first.body);
    assert.equal(await store.webhooks.finish(first, REFUSED, { state: 'failed' }, 'fails'), false);
    assert.equal(await store.webhooks.finish(second, ANSWERED, { state: 'delivered' }, 'works'), true);
    assert.deepEqual(await store.webhooks.attempts(guildId, first.eventId), [
      { ...ANSWERED, endpointId: first.endpointId },
    ]);
    assert.deepEqual(await claim(store, guildId, NOW + DAY_MS), []);
  });

  test('a claim takes one delivery per endpoint, oldest first, and none of busy endpoints', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const [one, other] = [await addEndpoint(store, guildId), await addEndpoint(store, guildId)];
    await store.votes.cast(voteOf(guildId, { castAt: NOW - 5 }));
    await store.votes.cast(voteOf(guildId, { userId: OTHER_USER, castAt: NOW }));
    const claimed = await claim(store, guildId);
    assert.deepEqual(claimed.map((delivery) => delivery.endpointId).sort(), [
      one.endpointId,
      other.endpointId,
    ]);
    assert.deepEqual(
      new Set(claimed.map((delivery) => JSON.parse(delivery.body).data.user_id)),
      new Set([USER]),
    );
    const rest = await claim(store, guildId, NOW, [one.endpointId]);
    assert.deepEqual(
      rest.map((delivery) => delivery.endpointId),
      [other.endpointId],
    );
  });

  test('a claim can be limited to some endpoints', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const wanted = await addEndpoint(store, guildId);
    await addEndpoint(store, guildId);
    await store.votes.cast(voteOf(guildId));
    for (const which of [[guildId], null]) {
      const request = { now: NOW, until: NOW + HOUR_MS, guildIds: which, except: [], limit: 100 };
      assert.deepEqual(await claimDue(store, { ...request, only: [] }), []);
      const claimed = await claimDue(store, { ...request, only: [wanted.endpointId] });
      assert.deepEqual(
        claimed.map(({ endpointId }) => endpointId),
        which === null ? [] : [wanted.endpointId],
      );
    }
  });

  test('a claim over all guilds takes the longest due first', async () => {
    const { store } = subject;
    const [late, early] = [await addGuild(store), await addGuild(store)];
    for (const guildId of [late, early]) await addEndpoint(store, guildId);
    const longAgo = NOW - 1000 * DAY_MS;
    await store.votes.cast(voteOf(late, { castAt: longAgo + 1 }));
    await store.votes.cast(voteOf(early, { castAt: longAgo }));
    const all = { now: longAgo + 1, until: longAgo + HOUR_MS, guildIds: null, except: [], limit: 1 };
    assert.deepEqual(
      (await claimDue(store, all)).map((delivery) => delivery.guildId),
      [early],
    );
    assert.deepEqual(
      (await claimDue(store, all)).map((delivery) => delivery.guildId),
      [late],
    );
    await store.guilds.remove(late);
    await store.guilds.remove(early);
  });

  test('a claim can be limited to some guilds', async () => {
    const { store } = subject;
    const guilds = [await addGuild(store), await addGuild(store), await addGuild(store)];
    for (const guildId of guilds) await addEndpoint(store, guildId);
    for (const guildId of guilds) await store.votes.cast(voteOf(guildId));
    const [first = '', second = '', third = ''] = guilds;
    const request = { now: NOW, until: UNTIL, except: [], limit: 100 };
    assert.deepEqual(await claimDue(store, { ...request, guildIds: [] }), []);
    const claimed = await claimDue(store, { ...request, guildIds: [first, third, '177777777777777777'] });
    assert.deepEqual(claimed.map(({ guildId }) => guildId).sort(), [first, third].sort());
    assert.equal((await claimOne(store, second)).guildId, second);
  });

  test('nothing of a sanctioned guild is claimed until the sanction is lifted', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await addEndpoint(store, guildId);
    await store.votes.cast(voteOf(guildId));
    await store.guilds.setSanction(guildId, { since: NOW, reason: null });
    assert.deepEqual(await claim(store, guildId), []);
    const all = { now: NOW, until: UNTIL, guildIds: null, except: [], limit: 1000 };
    const claimed = await claimDue(store, all);
    assert.ok(claimed.every((delivery) => delivery.guildId !== guildId));
    for (const delivery of claimed) await store.webhooks.release(delivery, NOW);
    await store.guilds.setSanction(guildId, null);
    assert.equal((await claimOne(store, guildId)).guildId, guildId);
  });

  test('a released claim is due immediately, and does not count as an attempt', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await addEndpoint(store, guildId);
    await store.votes.cast(voteOf(guildId));
    await store.webhooks.release(await claimOne(store, guildId), NOW);
    assert.equal((await claimOne(store, guildId)).tries, 0);
  });

  test('an attempt that a busy receiver refused is logged, but does not count', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await addEndpoint(store, guildId);
    await store.votes.cast(voteOf(guildId));
    const first = await claimOne(store, guildId);
    assert.equal(first.occursAt, NOW);
    const later = { state: 'pending', nextAttemptAt: NOW + 1 } as const;
    await store.webhooks.finish(first, REFUSED, { ...later, hold: 'busy' }, 'unknown');
    const second = await claimOne(store, guildId, NOW + 1);
    assert.equal(second.tries, 0);
    await store.webhooks.finish(second, REFUSED, later, 'fails');
    assert.equal((await claimOne(store, guildId, NOW + 1)).tries, 1);
    assert.equal((await store.webhooks.attempts(guildId, first.eventId)).length, 2);
  });

  test('removing a guild removes its endpoints, events and deliveries', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await addEndpoint(store, guildId);
    await store.votes.cast(voteOf(guildId));
    const delivery = await claimOne(store, guildId);
    assert.equal(await store.guilds.remove(guildId), true);
    assert.equal(await store.webhooks.finish(delivery, ANSWERED, { state: 'delivered' }, 'works'), false);
    assert.deepEqual(await store.webhooks.listEndpoints(guildId), []);
    assert.deepEqual(await store.webhooks.deliveries(guildId, NOW, 10), []);
  });
}
