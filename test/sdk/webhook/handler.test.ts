import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, it, mock } from 'node:test';
import express from 'express';
import {
  VotaryError,
  type WebhookHandler,
  type WebhookHandlerOptions,
  webhookHandler,
} from '../../../sdk/src/index.ts';
import { SUBSCRIBABLE_EVENTS, sampleEvent } from '../../../src/domain/webhooks/event.ts';
import { bodyOf, ID, NOW, OTHER_SECRET, SECRET, sign, VOTE_BODY } from './deliveries.ts';
import { fastifyWith, post, SERVERS } from './servers.ts';

const now = () => NOW;
const handlerOf = (options: Partial<WebhookHandlerOptions>) =>
  webhookHandler({ secret: SECRET, now, ...options });

for (const [name, serve] of Object.entries(SERVERS)) {
  describe(`webhookHandler in ${name}`, () => {
    it('passes a vote to the callback and responds with 204', async () => {
      const users: string[] = [];
      const handler = handlerOf({ onVote: async ({ data }) => void users.push(data.userId) });
      const answer = await post(await serve(handler), sign(VOTE_BODY), VOTE_BODY);
      assert.deepEqual([answer, users], [{ status: 204, text: '' }, ['200000000000000001']]);
    });

    it('rejects a forged delivery with 401 and a message, without calling the callback', async () => {
      const handler = handlerOf({ onVote: () => assert.fail('handed over') });
      const forged = sign(VOTE_BODY, { secret: OTHER_SECRET });
      const { status, text: body } = await post(await serve(handler), forged, VOTE_BODY);
      assert.equal(status, 401);
      assert.deepEqual(JSON.parse(body), {
        ok: false,
        error: 'SIGNATURE_MISMATCH',
        message: 'The signature does not match this body and this secret.',
      });
    });

    it('responds with 500 if the callback fails, without the reason', async () => {
      const errors: unknown[] = [];
      const failure = new Error('the password is hunter2');
      const handler = handlerOf({
        onVote: () => Promise.reject(failure),
        onError: (error) => errors.push(error),
      });
      const answer = await post(await serve(handler), sign(VOTE_BODY), VOTE_BODY);
      assert.equal(answer.status, 500);
      assert.match(answer.text, /HANDLER_FAILED/);
      assert.doesNotMatch(answer.text, /hunter2/);
      assert.deepEqual(errors, [failure]);
    });

    it('responds with 503 and Retry-After if the callback has to wait for the rate limit', async () => {
      const limited = new VotaryError('RATE_LIMITED', 'Too many requests.', {
        status: 429,
        retryAfter: 53.2,
      });
      const handler = handlerOf({ onVote: () => Promise.reject(limited), onError: () => {} });
      const answer = await post(await serve(handler), sign(VOTE_BODY), VOTE_BODY);
      assert.deepEqual([answer.status, answer.retryAfter], [503, '54']);
      assert.equal(JSON.parse(answer.text).error, 'TRY_AGAIN_LATER');
    });
  });
}

describe('webhookHandler', () => {
  it('prints nothing if a sender disconnects in the middle of the body', async () => {
    const printed = mock.method(console, 'error', () => {});
    const codes: unknown[] = [];
    await hangUpOn(handlerOf({}));
    await hangUpOn(handlerOf({ onError: (error) => codes.push(error instanceof VotaryError && error.code) }));
    printed.mock.restore();
    assert.deepEqual([printed.mock.callCount(), codes], [0, ['BODY_CUT_OFF']]);
  });

  const refusals: [name: string, headers: object, body: string, status: number, code: string][] = [
    ['no headers', {}, VOTE_BODY, 400, 'MISSING_HEADERS'],
    [
      'a signature that is too short',
      { ...sign(VOTE_BODY), 'webhook-signature': 'v1,AA==' },
      VOTE_BODY,
      401,
      'MALFORMED_SIGNATURE',
    ],
    ['a stale delivery', sign(VOTE_BODY, { at: NOW - 400_000 }), VOTE_BODY, 401, 'TIMESTAMP_TOO_OLD'],
    ['a signed text that is not an event', sign('hello'), 'hello', 400, 'INVALID_PAYLOAD'],
    ['a body without end', sign(VOTE_BODY), 'x'.repeat(1_000_000), 400, 'BODY_TOO_LARGE'],
  ];
  for (const [name, headers, body, status, code] of refusals) {
    it(`responds with ${status} to ${name}, and calls onError`, async () => {
      const errors: unknown[] = [];
      const handler = handlerOf({ onError: (error) => errors.push(error) });
      const answer = await post(handler, headers, body);
      assert.deepEqual([answer.status, JSON.parse(answer.text).error], [status, code]);
      const [error] = errors;
      assert.ok(error instanceof VotaryError && errors.length === 1);
      assert.deepEqual([error.code, error.status], [code, status]);
    });
  }

  const consumed: [name: string, serve: (handler: WebhookHandler) => Promise<RequestListener>][] = [
    ['express.json()', async (handler) => express().use(express.json()).post('/', handler)],
    [
      'the JSON parser of Fastify',
      (handler) =>
        fastifyWith(handler, (app) => {
          app.addContentTypeParser(
            'application/json',
            { parseAs: 'string' },
            app.getDefaultJsonParser('error', 'error'),
          );
        }),
    ],
    [
      'somebody else',
      async (handler) => async (incoming, response) => {
        await text(incoming);
        await handler(incoming, response);
      },
    ],
  ];
  for (const [name, serve] of consumed) {
    it(`says what to do if ${name} has read the body`, async () => {
      const answer = await post(await serve(handlerOf({})), sign(VOTE_BODY), VOTE_BODY);
      assert.equal(answer.status, 500);
      assert.match(answer.text, /BODY_NOT_RAW.*express\.raw/);
    });
  }

  it('passes each kind of event to its callback, and acknowledges unknown kinds', async () => {
    const got: string[] = [];
    const handler = handlerOf({
      onVote: ({ type }) => got.push(type),
      onVoteAvailable: ({ type }) => got.push(type),
      onReward: ({ type }) => got.push(type),
      onVoteVoided: ({ type }) => got.push(type),
      onGoalReached: ({ type }) => got.push(type),
      onTest: ({ type }) => got.push(type),
    });
    const { timestamp, ...voter } = JSON.parse(VOTE_BODY).data;
    const times = { last_vote_at: timestamp, available_at: timestamp };
    const claimed = { vote_timestamp: timestamp, claimed_at: timestamp };
    const voided = { timestamp, voided_at: timestamp, reason: null, batch: 'void_1' };
    const goal = { goal: 5, period: 'day', votes: 5, reached_at: timestamp };
    const data = { ...voter, ...times, ...claimed, ...voided, ...goal, message: 'A test.' };
    const known = ['vote_available', 'reward_granted', 'vote_voided', 'goal_reached', 'webhook_test'];
    for (const type of [...known, 'vote_counted']) {
      const body = bodyOf(type, data);
      assert.equal((await post(handler, sign(body), body)).status, 204);
    }
    assert.deepEqual(got, known);
  });

  it('passes samples of every event to onTest only', async () => {
    const got: string[] = [];
    const fail = () => assert.fail('a sample is not an event');
    const handler = handlerOf({
      onVote: fail,
      onVoteAvailable: fail,
      onReward: fail,
      onVoteVoided: fail,
      onGoalReached: fail,
      onTest: (event) => got.push(`${event.type} ${'test' in event.data}`),
    });
    for (const type of SUBSCRIBABLE_EVENTS) {
      const { body } = sampleEvent(type, '100000000000000001', NOW, 'nonce');
      assert.equal((await post(handler, sign(body), body)).status, 204);
    }
    assert.deepEqual(
      got,
      SUBSCRIBABLE_EVENTS.map((type) => `${type} true`),
    );
    const { body } = sampleEvent('vote_received', '100000000000000001', NOW, 'nonce');
    const withoutTest = handlerOf({ onVote: fail });
    assert.equal((await post(withoutTest, sign(body), body)).status, 204);
  });

  it('responds with 500 to an error without a time to wait', async () => {
    for (const retryAfter of [null, 0]) {
      const error = new VotaryError('NETWORK_ERROR', 'unreachable', { retryAfter });
      const handler = handlerOf({ onVote: () => Promise.reject(error), onError: () => {} });
      const answer = await post(handler, sign(VOTE_BODY), VOTE_BODY);
      assert.deepEqual([answer.status, answer.retryAfter], [500, undefined]);
    }
  });

  it('acknowledges an event without a callback', async () => {
    assert.equal((await post(handlerOf({}), sign(VOTE_BODY), VOTE_BODY)).status, 204);
  });

  it('skips events that were seen, by an id that is the same for all deliveries', async () => {
    const seen = new Set<string>();
    const votes: string[] = [];
    const handler = handlerOf({
      seen: async (id) => seen.has(id),
      onVote: ({ id }) => {
        seen.add(id);
        votes.push(id);
      },
    });
    for (const at of [NOW - 5000, NOW]) {
      assert.equal((await post(handler, sign(VOTE_BODY, { at }), VOTE_BODY)).status, 204);
    }
    assert.deepEqual(votes, [ID]);
  });

  it('responds even if onError fails', async () => {
    const handler = handlerOf({
      onError: () => {
        throw new Error('the log is full');
      },
    });
    assert.equal((await post(handler, {}, VOTE_BODY)).status, 400);
  });

  it('does not respond if something else has already responded', async () => {
    const { promise: ends, resolve } = Promise.withResolvers<number>();
    const answered: RequestListener = async (incoming, response) => {
      const end = mock.method(response, 'end');
      response.writeHead(408).end('too slow');
      await handlerOf({})(incoming, response);
      resolve(end.mock.callCount());
    };
    assert.deepEqual(await post(answered, sign(VOTE_BODY), VOTE_BODY), { status: 408, text: 'too slow' });
    assert.equal(await ends, 1);
  });

  it('survives a sender that disconnects in the middle of a body', async () => {
    const { promise: handled, resolve } = Promise.withResolvers<void>();
    const handler = handlerOf({ onError: () => {} });
    const server = createServer((incoming, response) => {
      handler(incoming, response).then(resolve);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    assert.ok(address && typeof address === 'object');
    const call = request({
      port: address.port,
      method: 'POST',
      agent: false,
      headers: { 'content-length': 1000 },
    });
    call.on('error', () => {});
    call.write('{');
    await once(server, 'request');
    call.destroy();
    await handled;
    server.close();
  });

  it('rejects an invalid secret when it is created', () => {
    for (const secret of ['', 'whsec_YOUR_SECRET', 'secret']) {
      assert.throws(() => webhookHandler({ secret }), { code: 'INVALID_ARGUMENT', message: /whsec_/ });
    }
  });
});

/** Sends half of a body and closes the connection; resolves when the handler is done. */
async function hangUpOn(handler: WebhookHandler): Promise<void> {
  const handled = Promise.withResolvers<void>();
  const server = createServer((incoming, response) => {
    call.destroy();
    handler(incoming, response).then(handled.resolve);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address && typeof address === 'object');
  const headers = { ...sign(VOTE_BODY), 'content-length': VOTE_BODY.length };
  const call = request({ port: address.port, method: 'POST', agent: false, headers });
  // The connection is closed on purpose.
  call.on('error', () => {});
  call.write(VOTE_BODY.slice(0, 10));
  await handled.promise;
  server.close();
}
