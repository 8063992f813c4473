import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/domain/clock.ts';
import { openFixture } from '../fixture.ts';
import { answerWith, startReceiver } from '../receiver.ts';

describe('a webhook', () => {
  test('arrives once for a vote, verified by an independent package, and is in the log', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    // The verifier uses the real time.
    fixture.clock.set(Date.now());
    const { guildId, secret } = await fixture.addEndpoint(receiver.url);
    const vote = await fixture.vote(guildId);
    await fixture.worker.runDue();
    await fixture.worker.runDue();
    assert.equal(receiver.received.length, 1);
    const { body, headers } = receiver.received[0] ?? assert.fail();
    const payload = new Webhook(secret).verify(body, headers);
    assert.deepEqual(payload, JSON.parse(body));
    assert.equal(JSON.parse(body).data.user_id, vote.userId);
    const [record, ...others] = await fixture.log(guildId);
    assert.equal(others.length, 0);
    assert.equal(record?.eventId, headers['webhook-id']);
    assert.deepEqual(
      [
        record?.state,
        record?.attempts,
        record?.nextAttemptAt,
        record?.lastAttempt?.status,
        record?.lastAttempt?.answer,
      ],
      ['delivered', 1, null, 200, 'thank you'],
    );
  });

  test('is signed with both secrets for a day after a rotation, then with the new one only', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    fixture.clock.set(Date.now());
    const { guildId, endpointId, secret: old } = await fixture.addEndpoint(receiver.url);
    const current = await fixture.endpoints.rotateSecret(guildId, endpointId, null);
    assert.ok(current);
    await fixture.endpoints.sendTest(guildId, endpointId);
    const { body, headers } = receiver.received[0] ?? assert.fail();
    for (const secret of [old, current]) assert.doesNotThrow(() => new Webhook(secret).verify(body, headers));
    fixture.clock.advance(DAY_MS);
    await fixture.endpoints.sendTest(guildId, endpointId);
    assert.equal(receiver.received[1]?.headers['webhook-signature']?.split(' ').length, 1);
  });

  test('reaches a receiver that was down for an hour, every vote once with the same id', async () => {
    const [fixture, receiver] = [await openFixture({ random: Math.random }), await startReceiver()];
    const { guildId } = await fixture.addEndpoint(receiver.url);
    receiver.answer = (_request, response) => response.destroy();
    const votes: string[] = [];
    for (let minute = 0; minute < 60; minute += 1) {
      if (minute % 3 === 0) votes.push((await fixture.vote(guildId)).userId);
      await fixture.worker.runDue();
      fixture.clock.advance(MINUTE_MS);
    }
    assert.ok(
      (await fixture.log(guildId)).every(({ state, attempts }) => state === 'pending' && attempts >= 1),
    );
    const failed = receiver.received.length;
    receiver.answer = answerWith(204);
    for (let minute = 0; minute < 3 * 60; minute += 5) {
      fixture.clock.advance(5 * MINUTE_MS);
      await fixture.worker.runDue();
    }
    const arrived = receiver.received.slice(failed);
    assert.deepEqual(arrived.map(({ body }) => JSON.parse(body).data.user_id).sort(), votes.toSorted());
    const ids = new Map(arrived.map(({ body, headers }) => [body, headers['webhook-id']]));
    for (const { body, headers } of receiver.received) assert.equal(headers['webhook-id'], ids.get(body));
    const log = await fixture.log(guildId);
    assert.deepEqual(log.map(({ eventId }) => eventId).sort(), [...ids.values()].sort());
    assert.ok(log.every(({ state }) => state === 'delivered'));
  });

  test('is attempted eight times on the schedule, and then fails', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId } = await fixture.addEndpoint(receiver.url);
    receiver.answer = answerWith(500);
    await fixture.vote(guildId);
    const startedAt = fixture.clock();
    const tries: number[] = [];
    for (let i = 0; i < 8; i += 1) {
      await fixture.worker.runDue();
      const [record] = await fixture.log(guildId);
      tries.push((record?.lastAttempt?.at ?? 0) - startedAt);
      fixture.clock.set((record?.nextAttemptAt ?? fixture.clock() + 1) - 1);
      await fixture.worker.runDue();
      fixture.clock.advance(1);
    }
    const pauses = [
      0,
      5 * SECOND_MS,
      5 * MINUTE_MS,
      30 * MINUTE_MS,
      2 * HOUR_MS,
      5 * HOUR_MS,
      10 * HOUR_MS,
      10 * HOUR_MS,
    ];
    assert.deepEqual(
      tries.map((at, i) => at - (tries[i - 1] ?? 0)),
      pauses,
    );
    fixture.clock.advance(20 * DAY_MS);
    await fixture.worker.runDue();
    assert.equal(receiver.received.length, 8);
    assert.equal((await fixture.log(guildId))[0]?.state, 'failed');
  });

  test('waits as long as Retry-After requires', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId } = await fixture.addEndpoint(receiver.url);
    receiver.answer = answerWith(503, { 'retry-after': '3600' });
    await fixture.vote(guildId);
    await fixture.worker.runDue();
    assert.equal((await fixture.log(guildId))[0]?.nextAttemptAt, fixture.clock() + HOUR_MS);
  });

  test('fails on a redirect, which is not followed', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId } = await fixture.addEndpoint(receiver.url);
    receiver.answer = answerWith(302, { location: receiver.url });
    await fixture.vote(guildId);
    await fixture.worker.runDue();
    assert.equal(receiver.received.length, 1);
    const [record] = await fixture.log(guildId);
    assert.deepEqual([record?.state, record?.lastAttempt?.status], ['pending', 302]);
    assert.equal(record?.lastAttempt?.error, 'REDIRECT');
  });

  test('is sent when the cooldown ends, if subscribed', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId } = await fixture.addEndpoint(receiver.url, ['vote_received', 'vote_available']);
    await fixture.vote(guildId);
    await fixture.worker.runDue();
    fixture.clock.advance(HOUR_MS);
    await fixture.worker.runDue();
    const types = receiver.received.map(({ body }) => JSON.parse(body).type);
    assert.deepEqual(types, ['vote_received', 'vote_available']);
  });
});

describe('an endpoint', () => {
  test('that responds with 410 is disabled with a reason, and gets nothing more', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId, endpointId } = await fixture.addEndpoint(receiver.url);
    receiver.answer = answerWith(410);
    await fixture.vote(guildId);
    await fixture.worker.runDue();
    const [endpoint] = await fixture.endpoints.listEndpoints(guildId);
    assert.deepEqual(endpoint?.disabled, { at: fixture.clock(), reason: 'gone' });
    await fixture.vote(guildId);
    fixture.clock.advance(DAY_MS);
    await fixture.worker.runDue();
    assert.equal(receiver.received.length, 1);
    receiver.answer = answerWith(200);
    await fixture.endpoints.enableEndpoint(guildId, endpointId, null);
    await fixture.worker.runDue();
    assert.equal(receiver.received.length, 3);
    assert.ok((await fixture.log(guildId)).every(({ state }) => state === 'delivered'));
  });

  test('that was disabled loses no reminder, neither of a vote before nor of one in the meantime', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId, endpointId } = await fixture.addEndpoint(receiver.url, [
      'vote_received',
      'vote_available',
    ]);
    const startedAt = fixture.clock();
    const types = () => receiver.received.map(({ body }) => JSON.parse(body).type);
    receiver.answer = answerWith(410);
    await fixture.vote(guildId);
    await fixture.worker.runDue();
    receiver.answer = answerWith(200);
    receiver.received.length = 0;
    fixture.clock.advance(10 * MINUTE_MS);
    await fixture.vote(guildId);
    fixture.clock.advance(10 * MINUTE_MS);
    await fixture.endpoints.enableEndpoint(guildId, endpointId, null);
    await fixture.endpoints.replay(guildId, { since: startedAt });
    await fixture.worker.runDue();
    assert.deepEqual(types(), ['vote_received', 'vote_received']);
    fixture.clock.set(startedAt + HOUR_MS);
    await fixture.worker.runDue();
    assert.equal(types().filter((type) => type === 'vote_available').length, 1);
    fixture.clock.advance(10 * MINUTE_MS);
    await fixture.worker.runDue();
    assert.equal(types().filter((type) => type === 'vote_available').length, 2);
  });

  test('of a sanctioned guild gets nothing until the sanction is lifted, and then the queued events', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId } = await fixture.addEndpoint(receiver.url, ['vote_received', 'vote_available']);
    await fixture.vote(guildId);
    await fixture.store.guilds.setSanction(guildId, { since: fixture.clock(), reason: null });
    fixture.clock.advance(2 * HOUR_MS);
    await fixture.worker.runDue();
    fixture.worker.wake(guildId);
    await fixture.worker.runDue();
    assert.equal(receiver.received.length, 0);
    await fixture.store.guilds.setSanction(guildId, null);
    await fixture.worker.runDue();
    assert.equal(receiver.received.length, 2);
  });

  test('that fails for five days is disabled with a reason', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId } = await fixture.addEndpoint(receiver.url);
    receiver.answer = answerWith(500);
    const startedAt = fixture.clock();
    while (fixture.clock() < startedAt + 5 * DAY_MS) {
      await fixture.vote(guildId);
      await fixture.worker.runDue();
      assert.equal((await fixture.endpoints.listEndpoints(guildId))[0]?.disabled, null);
      fixture.clock.advance(12 * HOUR_MS);
    }
    await fixture.worker.runDue();
    const [endpoint] = await fixture.endpoints.listEndpoints(guildId);
    assert.deepEqual(endpoint?.disabled, { at: startedAt + 5 * DAY_MS, reason: 'failing' });
    assert.equal(endpoint?.failingSince, startedAt);
    // Deliveries without attempts left have failed; the others wait.
    const states = (await fixture.log(guildId)).map(({ state }) => state);
    assert.deepEqual(new Set(states), new Set(['pending', 'failed']));
  });

  test('that fails once after a quiet week stays enabled', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId } = await fixture.addEndpoint(receiver.url);
    receiver.answer = answerWith(503);
    await fixture.vote(guildId);
    for (let tries = 0; tries < 8; tries += 1) {
      await fixture.worker.runDue();
      fixture.clock.advance(12 * HOUR_MS);
    }
    assert.equal((await fixture.log(guildId))[0]?.state, 'failed');
    fixture.clock.advance(7 * DAY_MS);
    await fixture.vote(guildId);
    await fixture.worker.runDue();
    assert.equal((await fixture.endpoints.listEndpoints(guildId))[0]?.disabled, null);
    receiver.answer = answerWith(200);
    fixture.clock.advance(MINUTE_MS);
    await fixture.worker.runDue();
    assert.equal((await fixture.endpoints.listEndpoints(guildId))[0]?.failingSince, null);
  });

  test('that succeeds once in five days stays enabled', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId } = await fixture.addEndpoint(receiver.url);
    const halfDays = 14;
    for (let i = 0; i < halfDays; i += 1) {
      receiver.answer = answerWith(i === halfDays / 2 ? 200 : 500);
      await fixture.vote(guildId);
      await fixture.worker.runDue();
      fixture.clock.advance(12 * HOUR_MS);
    }
    assert.equal((await fixture.endpoints.listEndpoints(guildId))[0]?.disabled, null);
  });

  test('whose secret was encrypted with another master secret fails with a message, and nothing is sent', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId, endpointId } = await fixture.addEndpoint(receiver.url);
    await fixture.store.webhooks.setSecrets(guildId, endpointId, { current: 'AAAA', previous: null });
    await fixture.vote(guildId);
    await fixture.worker.runDue();
    assert.equal(receiver.received.length, 0);
    assert.equal((await fixture.log(guildId))[0]?.lastAttempt?.error, 'SECRET_UNREADABLE');
  });
});
