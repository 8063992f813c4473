import assert from 'node:assert/strict';
import { once } from 'node:events';
import { beforeEach, describe, it, mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type WebhookHandler, type WebhookHandlerOptions, webhookHandler } from '../../../sdk/src/index.ts';
import { ID, NOW, SECRET, sign, VOTE_BODY } from './deliveries.ts';
import { post } from './servers.ts';

const verifications = new EventTarget();
let verified = 0;
const verify = crypto.subtle.verify.bind(crypto.subtle);
mock.method(crypto.subtle, 'verify', async (...args: Parameters<typeof verify>) => {
  const result = await verify(...args);
  verified += 1;
  verifications.dispatchEvent(new Event('verified'));
  return result;
});
beforeEach(() => {
  verified = 0;
});

/** Resolves when this many deliveries have been verified and are waiting. */
async function untilVerified(count: number): Promise<void> {
  while (verified < count) await once(verifications, 'verified');
  await setImmediate();
}

const handlerOf = (options: Partial<WebhookHandlerOptions>) =>
  webhookHandler({ secret: SECRET, now: () => NOW, ...options });

/** A retry has the id of the first delivery, but its own timestamp and signature. */
async function deliver(handler: WebhookHandler, { id = ID, at = NOW } = {}): Promise<number> {
  return (await post(handler, sign(VOTE_BODY, { id, at }), VOTE_BODY)).status;
}

/** A handler whose work continues until the test ends it; `calls` contains the ids it was called with. */
function slowHandler(options: Partial<WebhookHandlerOptions> = {}) {
  const work = Promise.withResolvers<void>();
  const calls: string[] = [];
  const handler = handlerOf({
    onVote: async ({ id }) => {
      calls.push(id);
      await work.promise;
    },
    ...options,
  });
  return { handler, calls, work };
}

describe('overlapping deliveries of one event', () => {
  it('run the callback once, and all get 204 when it is done', async () => {
    const { handler, calls, work } = slowHandler();
    const first = deliver(handler, { at: NOW - 20_000 });
    await untilVerified(1);
    const retries = [deliver(handler, { at: NOW - 5000 }), deliver(handler)];
    await untilVerified(3);
    work.resolve();
    assert.deepEqual(await Promise.all([first, ...retries]), [204, 204, 204]);
    assert.deepEqual(calls, [ID]);
  });

  it('all get 500 if it fails, the error is reported once, and the next delivery runs it again', async () => {
    const errors: unknown[] = [];
    const { handler, calls, work } = slowHandler({ onError: (error) => errors.push(error) });
    const deliveries = [deliver(handler), deliver(handler)];
    await untilVerified(2);
    const failure = new Error('the database is down');
    work.reject(failure);
    assert.deepEqual(await Promise.all(deliveries), [500, 500]);
    assert.deepEqual([calls, errors], [[ID], [failure]]);
    assert.equal(await deliver(handler), 500);
    assert.deepEqual(calls, [ID, ID]);
  });

  it('call `seen` once, and a later delivery is only acknowledged', async () => {
    const done = new Set<string>();
    const asked: string[] = [];
    const work = Promise.withResolvers<void>();
    const calls: string[] = [];
    const handler = handlerOf({
      seen: async (id) => {
        asked.push(id);
        return done.has(id);
      },
      onVote: async ({ id }) => {
        calls.push(id);
        await work.promise;
        done.add(id);
      },
    });
    const deliveries = [deliver(handler), deliver(handler)];
    await untilVerified(2);
    work.resolve();
    assert.deepEqual(await Promise.all(deliveries), [204, 204]);
    assert.deepEqual([asked, calls], [[ID], [ID]]);
    assert.equal(await deliver(handler), 204);
    assert.deepEqual([asked, calls], [[ID, ID], [ID]]);
  });

  it('run the callback once even while `seen` is pending', async () => {
    const answer = Promise.withResolvers<boolean>();
    const { handler, calls, work } = slowHandler({ seen: () => answer.promise });
    work.resolve();
    const deliveries = [deliver(handler), deliver(handler)];
    await untilVerified(2);
    answer.resolve(false);
    assert.deepEqual(await Promise.all(deliveries), [204, 204]);
    assert.deepEqual(calls, [ID]);
  });

  it('all get 500 if `seen` fails', async () => {
    const answer = Promise.withResolvers<boolean>();
    const { handler, calls } = slowHandler({ seen: () => answer.promise, onError: () => {} });
    const deliveries = [deliver(handler), deliver(handler)];
    await untilVerified(2);
    answer.reject(new Error('the store is down'));
    assert.deepEqual(await Promise.all(deliveries), [500, 500]);
    assert.deepEqual(calls, []);
  });
});

it('deliveries of different events run concurrently', async () => {
  const { handler, calls, work } = slowHandler();
  const deliveries = [deliver(handler, { id: 'msg_a' }), deliver(handler, { id: 'msg_b' })];
  await untilVerified(2);
  assert.deepEqual(calls.toSorted(), ['msg_a', 'msg_b']);
  work.resolve();
  assert.deepEqual(await Promise.all(deliveries), [204, 204]);
});
