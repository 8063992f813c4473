import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Votary } from '../../../sdk/src/index.ts';
import { rateLimited, USER, VOTED } from '../support/bodies.ts';
import { KEY, type LocalService, type Reply, startLocalService } from '../support/local-service.ts';
import { type TestRuntime, testRuntime } from '../support/test-runtime.ts';

type Started = { service: LocalService; runtime: TestRuntime; votary: Votary };

async function start(
  reply: (count: number) => Reply,
  options: { timeoutMs?: number } = {},
): Promise<Started> {
  const service = await startLocalService((_request, count) => reply(count));
  const runtime = testRuntime();
  return { service, runtime, votary: new Votary({ apiKey: KEY, baseUrl: service.url, ...options }, runtime) };
}

const check = ({ votary }: Started) => votary.checkVote({ discordId: USER });

/** Advances the time by both pauses, in order. */
async function passPauses({ runtime, service }: Started): Promise<void> {
  await runtime.passAfterSleep(1000);
  await service.untilRequested(2);
  await runtime.passAfterSleep(3000);
  await service.untilRequested(3);
}

describe('a call that gets', () => {
  const passing: [name: string, reply: Reply, expected: object][] = [
    [
      'a rate limit that does not say how long to wait',
      { status: 429, body: 'slow down' },
      { code: 'RATE_LIMITED', status: 429, retryAfter: null },
    ],
    ['a connection that is cut', 'cut', { code: 'NETWORK_ERROR', status: null }],
    [
      'a gateway without its service',
      { status: 503, body: 'down' },
      { code: 'INVALID_RESPONSE', status: 503 },
    ],
  ];
  for (const [name, reply, expected] of passing) {
    it(`${name} retries after 1 s and 3 s, and then fails with a typed error`, async () => {
      const started = await start(() => reply);
      await Promise.all([assert.rejects(check(started), expected), passPauses(started)]);
      assert.equal(started.service.requests.length, 3);
    });

    it(`${name} once succeeds with the second attempt`, async () => {
      const started = await start((count) => (count === 1 ? reply : { body: VOTED }));
      const [result] = await Promise.all([check(started), started.runtime.passAfterSleep(1000)]);
      assert.equal(result.hasVoted, true);
      assert.equal(started.service.requests.length, 2);
    });

    it(`${name} twice succeeds with the third attempt`, async () => {
      const started = await start((count) => (count < 3 ? reply : { body: VOTED }));
      const [result] = await Promise.all([check(started), passPauses(started)]);
      assert.equal(result.hasVoted, true);
    });
  }

  it('the rate limit retries after the requested time, not earlier', async () => {
    const started = await start((count) => (count === 1 ? rateLimited(7) : { body: VOTED }));
    const [result] = await Promise.all([check(started), started.runtime.passAfterSleep(7000)]);
    assert.equal(result.hasVoted, true);
    assert.equal(started.service.requests.length, 2);
  });

  it('a gateway error with Retry-After retries after that time', async () => {
    const down = { status: 503, body: 'down', headers: { 'retry-after': '5' } };
    const started = await start((count) => (count === 1 ? down : { body: VOTED }));
    await Promise.all([check(started), started.runtime.passAfterSleep(5000)]);
    assert.equal(started.service.requests.length, 2);
  });

  it('an unavailable service is retried after the requested time', async () => {
    const body = { ok: false, error: 'SERVICE_UNAVAILABLE', message: 'Wait.', retry_after: 5 };
    const started = await start((count) => (count === 1 ? { status: 503, body } : { body: VOTED }));
    const [result] = await Promise.all([check(started), started.runtime.passAfterSleep(5000)]);
    assert.equal(result.hasVoted, true);
    assert.equal(started.service.requests.length, 2);
  });

  it('the rate limit three times fails with the values of the last response', async () => {
    const started = await start((count) => rateLimited(count));
    const call = assert.rejects(check(started), { code: 'RATE_LIMITED', retryAfter: 3 });
    await started.runtime.passAfterSleep(1000);
    await started.service.untilRequested(2);
    await started.runtime.passAfterSleep(2000);
    await call;
    assert.equal(started.service.requests.length, 3);
  });

  it('an invalid key error does not retry', async () => {
    const body = { ok: false, error: 'INVALID_API_TOKEN', message: 'No.' };
    const started = await start(() => ({ status: 401, body }));
    await assert.rejects(check(started), { code: 'INVALID_API_TOKEN' });
    assert.equal(started.service.requests.length, 1);
  });

  it('an unknown host name reports it', async () => {
    const options = { apiKey: KEY, baseUrl: 'https://nowhere.invalid', timeoutMs: 900 };
    const votary = new Votary(options, testRuntime());
    await assert.rejects(votary.checkVote({ discordId: USER }), {
      code: 'NETWORK_ERROR',
      message: /^https:\/\/nowhere\.invalid could not be reached \(E\w+\)/,
    });
  });
});

describe('timeoutMs', () => {
  it('ends a call that gets no response', async () => {
    const started = await start(() => 'silence', { timeoutMs: 500 });
    const call = assert.rejects(check(started), { code: 'TIMEOUT', status: null, message: /500 ms/ });
    await started.service.untilRequested(1);
    const left = started.service.untilLeft();
    await started.runtime.passAfterSleep(500);
    await Promise.all([call, left]);
    assert.equal(started.service.requests.length, 1);
  });

  it('ends a call whose fetch ignores its signal', async () => {
    const runtime = testRuntime();
    const fetch = () => new Promise<Response>(() => {});
    const votary = new Votary(
      { apiKey: KEY, baseUrl: 'https://example.org', timeoutMs: 500, fetch },
      runtime,
    );
    const call = assert.rejects(votary.checkVote({ discordId: USER }), { code: 'TIMEOUT' });
    await runtime.passAfterSleep(500);
    await call;
  });

  it('limits all attempts together, including pauses', async () => {
    const started = await start((count) => (count < 3 ? 'cut' : 'silence'), { timeoutMs: 5000 });
    const call = assert.rejects(check(started), { code: 'TIMEOUT' });
    await passPauses(started);
    started.runtime.advance(1000);
    await call;
  });

  it('that leaves no time for the next attempt fails immediately', async () => {
    const started = await start(() => 'cut', { timeoutMs: 3500 });
    const call = assert.rejects(check(started), { code: 'NETWORK_ERROR' });
    await started.runtime.passAfterSleep(1000);
    await call;
    assert.equal(started.service.requests.length, 2);
  });

  for (const retryAfter of [10, 41]) {
    it(`that ends before retry_after (${retryAfter} s) fails with the rate limit error after one request`, async () => {
      const started = await start(() => rateLimited(retryAfter));
      await assert.rejects(check(started), { code: 'RATE_LIMITED', status: 429, retryAfter });
      assert.equal(started.service.requests.length, 1);
    });
  }

  it('includes the time that was already spent: a second rate limit that exceeds the rest fails immediately', async () => {
    const started = await start(() => rateLimited(6));
    const call = assert.rejects(check(started), { code: 'RATE_LIMITED', retryAfter: 6 });
    await started.runtime.passAfterSleep(6000);
    await call;
    assert.equal(started.service.requests.length, 2);
  });

  it('leaves no timer running', async () => {
    const started = await start(() => ({ body: VOTED }));
    await check(started);
    assert.deepEqual(started.runtime.sleeping(), []);
  });
});
