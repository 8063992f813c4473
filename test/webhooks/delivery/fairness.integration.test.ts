import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { CLAIM_MS } from '../../../src/domain/webhooks/delivery.ts';
import { claimDue } from '../../store/webhook-fixtures.ts';
import { openFixture } from '../fixture.ts';
import { answerWith, type Receiver, startReceiver } from '../receiver.ts';

/** Holds back every response until the test releases them. */
function holdAnswers(receiver: Receiver): ServerResponse[] {
  const held: ServerResponse[] = [];
  receiver.answer = (_request, response) => held.push(response);
  return held;
}

describe('a worker', () => {
  test('sends to a new endpoint immediately while twenty others hang', async () => {
    const [fixture, fast, slow] = [await openFixture(), await startReceiver(), await startReceiver()];
    const held = holdAnswers(slow);
    const newcomer = await fixture.addEndpoint(fast.url);
    for (let i = 0; i < 20; i += 1) {
      const { guildId } = await fixture.addEndpoint(slow.url);
      for (let j = 0; j < 6; j += 1) await fixture.vote(guildId);
    }
    fixture.worker.start();
    await slow.untilReceived(20);
    for (let i = 0; i < 20; i += 1) await fixture.vote(newcomer.guildId);
    fixture.worker.wake(newcomer.guildId);
    await fast.untilReceived(20);
    assert.equal(slow.received.length, 20);
    slow.answer = answerWith(200);
    for (const response of held) response.end();
    await fixture.worker.runDue();
    assert.equal(slow.received.length, 120);
  });

  test('keeps half of its slots for endpoints that respond fast, however many others hang', async () => {
    const limits = { total: 8, perEndpoint: 4, unproven: 4, unhealthy: 2 };
    const [fixture, fast, slow] = [
      await openFixture({ limits }),
      await startReceiver(),
      await startReceiver(),
    ];
    const { guildId } = await fixture.addEndpoint(fast.url);
    await fixture.vote(guildId);
    await fixture.worker.runDue();
    const held = holdAnswers(slow);
    for (let i = 0; i < 10; i += 1) await fixture.vote((await fixture.addEndpoint(slow.url)).guildId);
    fixture.worker.start();
    await slow.untilReceived(4);
    for (let i = 0; i < 20; i += 1) await fixture.vote(guildId);
    fixture.worker.wake(guildId);
    await fast.untilReceived(21);
    assert.equal(slow.received.length, 4);
    slow.answer = answerWith(200);
    for (const response of held) response.end();
    await fixture.worker.runDue();
    assert.equal(slow.received.length, 10);
  });

  test('runs several attempts to an endpoint once it has responded fast', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId } = await fixture.addEndpoint(receiver.url);
    for (let i = 0; i < 10; i += 1) await fixture.vote(guildId);
    receiver.answer = (_request, response) => {
      holdAnswers(receiver);
      response.end();
    };
    fixture.worker.start();
    await receiver.untilReceived(5);
    await fixture.worker.stop(0);
    assert.equal(receiver.received.length, 5);
  });

  test('sends immediately when it is woken for a guild', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId } = await fixture.addEndpoint(receiver.url);
    await fixture.vote(guildId);
    fixture.worker.wake(guildId);
    await receiver.untilReceived(1);
    await fixture.worker.stop();
    assert.equal((await fixture.log(guildId))[0]?.state, 'delivered');
  });

  test('that dies during an attempt leaves it to another one, with the same id', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId } = await fixture.addEndpoint(receiver.url);
    await fixture.vote(guildId);
    const { clock, store } = fixture;
    // A delivery whose worker never finishes it.
    const until = clock() + CLAIM_MS;
    const [held] = await claimDue(store, { now: clock(), until, guildIds: [guildId], except: [], limit: 1 });
    clock.advance(CLAIM_MS - 1);
    await fixture.worker.runDue();
    assert.equal(receiver.received.length, 0);
    clock.advance(1);
    await fixture.worker.runDue();
    assert.equal(receiver.received[0]?.headers['webhook-id'], held?.eventId);
    assert.equal((await fixture.log(guildId))[0]?.attempts, 1);
  });

  test('that stops waits for pending responses and starts nothing new', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const held = holdAnswers(receiver);
    const { guildId } = await fixture.addEndpoint(receiver.url);
    for (let i = 0; i < 10; i += 1) await fixture.vote(guildId);
    fixture.worker.start();
    await receiver.untilReceived(1);
    const stopped = fixture.worker.stop();
    for (const response of held) response.end();
    await stopped;
    assert.equal(receiver.received.length, 1);
    const states = (await fixture.log(guildId)).map(({ state }) => state);
    assert.equal(states.filter((state) => state === 'delivered').length, 1);
  });

  test('that stops at its deadline releases deliveries without a response, which are then sent immediately', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    holdAnswers(receiver);
    const { guildId } = await fixture.addEndpoint(receiver.url);
    await fixture.vote(guildId);
    fixture.worker.start();
    await receiver.untilReceived(1);
    await fixture.worker.stop(0);
    receiver.answer = answerWith(200);
    await fixture.anotherWorker().runDue();
    assert.equal(receiver.received.length, 2);
    const [record] = await fixture.log(guildId);
    assert.deepEqual([record?.state, record?.attempts], ['delivered', 1]);
  });

  test('sends deliveries it is woken for while it finds nothing to send, without waiting for the next poll', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId } = await fixture.addEndpoint(receiver.url);
    const { findDue } = fixture.store.webhooks;
    fixture.store.webhooks.findDue = async (...args) => {
      fixture.store.webhooks.findDue = findDue;
      const nothing = await findDue(...args);
      await fixture.vote(guildId);
      fixture.worker.wake(guildId);
      return nothing;
    };
    await fixture.worker.runDue();
    assert.equal(receiver.received.length, 1);
  });

  test('sends the next event before it has stored that one was delivered, but not before it has stored a failure', async () => {
    for (const status of [200, 410]) {
      const limits = { total: 1, perEndpoint: 1, unproven: 1, unhealthy: 1 };
      const [fixture, receiver] = [await openFixture({ limits }), await startReceiver()];
      receiver.answer = answerWith(status);
      const { guildId } = await fixture.addEndpoint(receiver.url);
      for (let i = 0; i < 2; i += 1) await fixture.vote(guildId);
      const { finish } = fixture.store.webhooks;
      const [finishing, stored] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      fixture.store.webhooks.finish = async (...args) => {
        finishing.resolve();
        await stored.promise;
        return finish(...args);
      };
      const done = fixture.worker.runDue();
      await finishing.promise;
      if (status === 200) await receiver.untilReceived(2);
      stored.resolve();
      await done;
      assert.equal(receiver.received.length, status === 200 ? 2 : 1);
      const states = (await fixture.log(guildId)).map(({ state }) => state);
      assert.deepEqual(states, status === 200 ? ['delivered', 'delivered'] : ['pending', 'pending']);
    }
  });

  test('has taken the slots of what it claims before the claim is stored, and frees those that were not claimed', async () => {
    const limits = { total: 1, perEndpoint: 1, unproven: 1, unhealthy: 1 };
    const [fixture, receiver] = [await openFixture({ limits }), await startReceiver()];
    const { guildId, endpointId } = await fixture.addEndpoint(receiver.url);
    await fixture.vote(guildId);
    const { claim } = fixture.store.webhooks;
    const results: unknown[] = [];
    fixture.store.webhooks.claim = async () => {
      results.push(await fixture.endpoints.sendTest(guildId, endpointId));
      return [];
    };
    await fixture.worker.runDue();
    assert.equal(receiver.received.length, 0, JSON.stringify(results));
    fixture.store.webhooks.claim = claim;
    await fixture.worker.runDue();
    assert.equal(receiver.received.length, 1);
  });

  test('continues after its database was unavailable', async () => {
    const [fixture, receiver] = [await openFixture(), await startReceiver()];
    const { guildId } = await fixture.addEndpoint(receiver.url);
    await fixture.vote(guildId);
    const { findDue, claim } = fixture.store.webhooks;
    const fail = () => Promise.reject(new Error('lost'));
    fixture.store.webhooks.claim = fail;
    await fixture.worker.runDue();
    fixture.store.webhooks.findDue = fail;
    await fixture.worker.runDue();
    assert.equal(fixture.errors.length, 2);
    Object.assign(fixture.store.webhooks, { findDue, claim });
    await fixture.worker.runDue();
    assert.equal(receiver.received.length, 1);
  });
});

test('ignores a response after the time limit', async () => {
  const [fixture, receiver] = [await openFixture({ timeoutMs: 500 }), await startReceiver()];
  const held = holdAnswers(receiver);
  const { guildId } = await fixture.addEndpoint(receiver.url);
  await fixture.vote(guildId);
  await fixture.worker.runDue();
  const [response] = held;
  assert.ok(response);
  if (!response.closed) await once(response, 'close');
  response.end('too late');
  const [record] = await fixture.log(guildId);
  assert.deepEqual([record?.state, record?.lastAttempt?.status], ['pending', null]);
  assert.equal(record?.lastAttempt?.error, 'NO_RESPONSE');
});
