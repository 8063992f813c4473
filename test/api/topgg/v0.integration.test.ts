import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type Api, ago, NOW, OTHER_USER, onAnyDatabase, USER } from '../../support/api.ts';

const BASE = '/compat/topgg/api';
const BOT = '400000000000000001';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const JSON_TYPE = 'application/json; charset=utf-8';

/** As the clients send it: the key itself in the header, without a scheme. */
function call(api: Api, path: string, method = 'GET', key = api.key): Promise<Answer> {
  return api.send(method, `${BASE}${path}`, { key: null, headers: key === '' ? {} : { authorization: key } });
}

function assertErrorV0(answer: Answer, status: number, code: string): void {
  assert.deepEqual([answer.status, answer.body.error], [status, code]);
  assert.ok(String(answer.body.message).length > 10);
  assert.equal(answer.headers['content-type'], JSON_TYPE);
}

onAnyDatabase('top.gg v0', (open) => {
  test('a check returns 1 for an hour after the vote, and 0 at exactly one hour', async () => {
    const api = await open();
    await api.vote({ at: ago(HOUR_MS - 1) }, { at: ago(HOUR_MS), userId: OTHER_USER });
    for (const path of ['/bots/check', `/bots/${BOT}/check`, `/bots/${api.guildId}/check`]) {
      const answer = await call(api, `${path}?userId=${USER}`);
      assert.deepEqual([answer.status, answer.text], [200, '{"voted":1}']);
      assert.equal(answer.headers['content-type'], JSON_TYPE);
      assert.equal((await call(api, `${path}?userId=${OTHER_USER}`)).text, '{"voted":0}');
    }
    const { body } = await api.get(`/v7/vote-check?discord_id=${USER}`);
    assert.equal(body.has_voted, true);
  });

  test('the list contains the last 1000 votes, newest first, with the names that voters show', async () => {
    const api = await open();
    await api.grantPremium();
    const users = Array.from({ length: 1100 }, (_, index) => String(500000000000000000n + BigInt(index)));
    await api.vote(...users.map((userId, index) => ({ userId, at: ago(HOUR_MS + index) })));
    const [first = '', second = '', third = ''] = users;
    for (const [userId, avatar] of [
      [first, 'abc'],
      [second, 'def'],
      [third, null],
    ] as const)
      await api.store.users.remember({ userId, name: `Name ${userId}`, avatar }, Date.parse(NOW));
    for (const userId of [first, third]) await api.store.users.setShowName(userId, true);
    const { status, text, headers } = await call(api, '/bots/votes');
    assert.deepEqual([status, headers['content-type']], [200, JSON_TYPE]);
    const list: { id: string }[] = JSON.parse(text);
    assert.equal(list.length, 1000);
    assert.deepEqual(list.slice(0, 3), [
      { username: `Name ${first}`, id: first, avatar: 'abc' },
      { username: second, id: second, avatar: '' },
      { username: `Name ${third}`, id: third, avatar: '' },
    ]);
    const page = async (number: string): Promise<{ id: string }[]> =>
      JSON.parse((await call(api, `/bots/${BOT}/votes?page=${number}`)).text);
    assert.deepEqual(await page('1'), list.slice(0, 100));
    assert.deepEqual(await page('10'), list.slice(900));
    assert.deepEqual([await page('11'), await page('999999999')], [[], []]);
    for (const wrong of ['0', '-1', '1.5', 'x', '1e3'])
      assertErrorV0(await call(api, `/bots/votes?page=${wrong}`), 400, 'BAD_REQUEST');
  });

  test('the list is for Premium communities, as in v7', async () => {
    const api = await open();
    for (const path of ['/bots/votes', `/bots/${BOT}/votes`])
      assertErrorV0(await call(api, path), 403, 'PREMIUM_REQUIRED');
  });

  test('it is the weekend while a vote would be doubled', async () => {
    const api = await open();
    const ask = async () => (await call(api, '/weekend')).text;
    // NOW is a Sunday.
    assert.equal(await ask(), '{"is_weekend":false}');
    await api.store.guilds.setDoubling(api.guildId, 'weekends');
    assert.equal(await ask(), '{"is_weekend":true}');
    api.clock.advance(24 * HOUR_MS);
    assert.equal(await ask(), '{"is_weekend":false}');
    await api.store.guilds.setDoubling(api.guildId, 'always');
    assert.equal(await ask(), '{"is_weekend":true}');
  });

  test('statistics are accepted and ignored', async () => {
    const api = await open();
    for (const path of ['/bots/stats', `/bots/${BOT}/stats`]) {
      const headers = { authorization: api.key, 'content-type': 'application/json' };
      for (const body of ['{"server_count":5}', 'not JSON', '']) {
        const posted = await api.send('POST', `${BASE}${path}`, { key: null, headers, body });
        assert.deepEqual([posted.status, posted.text], [200, '{}']);
      }
      const { text } = await call(api, path);
      assert.equal(text, '{"server_count":0,"shards":[],"shard_count":0}');
    }
  });

  test('a request without a valid key is rejected, with the reason', async () => {
    const api = await open();
    const paths = [`/bots/check?userId=${USER}`, '/bots/votes', '/bots/stats', '/weekend'];
    for (const path of paths) {
      assertErrorV0(await call(api, path, 'GET', ''), 401, 'API_NOT_SET');
      assertErrorV0(await call(api, path, 'GET', 'YOUR_API_KEY'), 401, 'API_NOT_SET');
      assertErrorV0(await call(api, path, 'GET', `${api.key}x`), 401, 'INVALID_API_TOKEN');
    }
    await api.store.guilds.setSanction(api.guildId, { reason: null, since: api.clock() });
    assertErrorV0(await call(api, '/weekend'), 401, 'INVALID_API_TOKEN');
  });

  test('the key is accepted with the scheme Bearer too', async () => {
    const api = await open();
    assert.equal((await call(api, '/weekend', 'GET', `Bearer ${api.key}`)).status, 200);
  });

  test('a missing or wrong user is an error', async () => {
    const api = await open();
    for (const query of ['', '?userId=', '?userId=Steve', '?userid=200000000000000001', '?userId=1'])
      assertErrorV0(await call(api, `/bots/check${query}`), 400, 'BAD_REQUEST');
  });

  test('an unknown path has a body, which clients read', async () => {
    const api = await open();
    for (const path of [
      `/bots/${BOT}`,
      '/bots',
      `/users/${USER}`,
      '/',
      '',
      '/bots/x/check?userId=1',
      '/bots/x/stats',
    ])
      assertErrorV0(await call(api, path), 404, 'NOT_FOUND');
    const french = await api.get(`${BASE}/bots?locale=fr`);
    assert.match(String(french.body.message), /Migrer depuis top\.gg/);
  });

  test('another method is an error', async () => {
    const api = await open();
    const answer = await call(api, '/bots/check', 'POST');
    assertErrorV0(answer, 405, 'METHOD_NOT_ALLOWED');
    assert.equal(answer.headers.allow, 'GET, HEAD');
    assert.equal((await call(api, '/bots/stats', 'PUT')).headers.allow, 'GET, HEAD, POST');
  });

  test('requests count together with those of v7, unknown paths too', async () => {
    const api = await open();
    for (let count = 0; count < 10; count += 1) {
      await api.get(`/v7/vote-check?discord_id=${USER}`);
      await call(api, `/bots/check?userId=${USER}`);
      assert.equal((await call(api, '/nothing')).headers.ratelimit, `"default";r=${27 - 3 * count};t=60`);
    }
    const answer = await call(api, '/bots/stats', 'POST');
    assertErrorV0(answer, 429, 'RATE_LIMITED');
    assert.deepEqual([answer.headers['retry-after'], answer.body['retry-after']], ['60', 60]);
    assert.equal((await api.get(`/v7/vote-check?discord_id=${USER}`)).status, 429);
  });
});
