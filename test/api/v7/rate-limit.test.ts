import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Api, assertError, onAnyDatabase, USER } from '../../support/api.ts';

const PATH = `/v7/vote-check?discord_id=${USER}`;

async function spend(api: Api, requests: number, options: Parameters<Api['get']>[1] = {}): Promise<void> {
  for (let i = 0; i < requests; i += 1) await api.get(PATH, options);
}

onAnyDatabase('the rate limit', (open) => {
  test('a community with a limit of its own has that one, in headers too', async () => {
    const api = await open();
    await api.store.guilds.setRateLimit(api.guildId, 2);
    for (const path of [PATH, '/v7/guild/feed']) {
      const { status, headers } = await api.get(path);
      assert.deepEqual([status, headers['ratelimit-policy']], [200, '"default";q=2;w=60']);
    }
    const refused = await api.get(PATH);
    assertError(refused, 429, 'RATE_LIMITED');
    assert.equal(refused.headers['ratelimit-policy'], '"default";q=2;w=60');
    await api.store.guilds.setRateLimit(api.guildId, 100);
    const raised = await api.get(PATH);
    assert.deepEqual(
      [raised.status, raised.headers['ratelimit-policy'], raised.headers.ratelimit],
      [200, '"default";q=100;w=60', '"default";r=96;t=60'],
    );
    await api.store.guilds.setRateLimit(api.guildId, null);
    assert.equal((await api.get(PATH)).headers['ratelimit-policy'], '"default";q=30;w=60');
  });

  test('thirty requests per minute are allowed, the thirty-first is RATE_LIMITED', async () => {
    const api = await open();
    const statuses = [];
    for (let i = 0; i < 31; i += 1) statuses.push((await api.get(PATH)).status);
    assert.deepEqual(statuses, [...Array(30).fill(200), 429]);
  });

  test('retry_after is whole seconds, and Retry-After and RateLimit say the same', async () => {
    const api = await open();
    await spend(api, 30);
    api.clock.advance(18_500);
    const answer = await api.get(PATH);
    assertError(answer, 429, 'RATE_LIMITED');
    assert.equal(answer.body.retry_after, 42);
    assert.equal(answer.headers['retry-after'], '42');
    assert.equal(answer.headers.ratelimit, '"default";r=0;t=42');
  });

  test('the window starts with the first request and ends sixty seconds later', async () => {
    const api = await open();
    await spend(api, 31);
    api.clock.advance(59_999);
    const last = await api.get(PATH);
    assertError(last, 429, 'RATE_LIMITED');
    assert.equal(last.body.retry_after, 1);
    api.clock.advance(1);
    const first = await api.get(PATH);
    assert.deepEqual([first.status, first.headers.ratelimit], [200, '"default";r=29;t=60']);
  });

  test('every response contains the policy and the remaining requests', async () => {
    const api = await open();
    const answers = [
      await api.get(PATH),
      await api.get('/v7/vote-check'),
      await api.get('/v7/guild/votes'),
      await api.get('/v7/nothing-here'),
      await api.send('POST', '/v7/vote-check'),
      await api.send('HEAD', PATH),
    ];
    for (const [index, { headers }] of answers.entries()) {
      assert.equal(headers['ratelimit-policy'], '"default";q=30;w=60');
      assert.equal(headers.ratelimit, `"default";r=${29 - index};t=60`);
    }
  });

  test('all endpoints share one counter, and unknown routes and methods count too', async () => {
    const api = await open();
    await spend(api, 26);
    await api.get('/v7/guild/votes');
    await api.get(`/v7/guild/votes/users/${USER}`);
    await api.get('/v7/nothing-here');
    await api.send('DELETE', '/v7/vote-check');
    for (const path of [
      PATH,
      '/v7/guild/votes',
      `/v7/guild/votes/users/${USER}`,
      '/v7/check-vote',
      '/v7/nothing',
    ]) {
      assertError(await api.get(path), 429, 'RATE_LIMITED');
    }
  });

  test('failed requests are counted, and the limit is checked before every other error', async () => {
    const api = await open();
    for (let i = 0; i < 30; i += 1)
      assert.equal((await api.get('/v7/vote-check?discord_id=abc')).status, 400);
    assertError(await api.get('/v7/vote-check'), 429, 'RATE_LIMITED');
  });

  test('requests without a valid key are counted per address, whatever the key', async () => {
    const api = await open();
    for (let i = 0; i < 30; i += 1) assert.equal((await api.get(PATH, { key: `wrong-${i}` })).status, 401);
    assertError(await api.get(PATH, { key: null }), 429, 'RATE_LIMITED');
    assert.equal((await api.get(PATH)).status, 200, 'a good key has its own counter');
    assert.equal(
      (await api.get(PATH, { key: null, ip: '192.0.2.77' })).status,
      401,
      'so has another address',
    );
  });

  test('an IPv6 caller is counted by its /64', async () => {
    const api = await open();
    const network = `2001:db8:${api.guildId.slice(-4)}:1`;
    for (let i = 0; i < 30; i += 1) await api.get(PATH, { key: null, ip: `${network}::${i.toString(16)}` });
    assertError(await api.get(PATH, { key: null, ip: `${network}:ffff::1` }), 429, 'RATE_LIMITED');
    assert.equal((await api.get(PATH, { key: null, ip: `${network.slice(0, -1)}2::1` })).status, 401);
  });

  test('requests outside /v7 are not counted', async () => {
    const api = await open();
    for (let i = 0; i < 40; i += 1) await api.get('/vote-check');
    const { headers } = await api.get(PATH);
    assert.equal(headers.ratelimit, '"default";r=29;t=60');
  });
});
