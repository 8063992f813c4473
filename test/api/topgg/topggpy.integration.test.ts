/**
 * The requests of topggpy 1.4.0 with `client.http.BASE` set to this API, and what it reads from the responses. The
 * library itself is not run: these are the headers, paths and fields that its source sends and expects.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type Api, ago, onAnyDatabase, USER } from '../../support/api.ts';

const BASE = '/compat/topgg/api';
const BOT = '400000000000000001';
const OTHER = '200000000000000009';

/** It sends this type with every request, also with those that have no body. */
function send(api: Api, method: string, path: string, key: string, body?: string): Promise<Answer> {
  const headers = {
    'user-agent': 'topggpy (https://github.com/top-gg/python-sdk 1.4.0) Python/3.12 aiohttp/3.9.5',
    'content-type': 'application/json',
    authorization: key,
    accept: '*/*',
    'accept-encoding': 'gzip, deflate',
  };
  return api.send(method, `${BASE}${path}`, { key: null, headers, ...(body === undefined ? {} : { body }) });
}

/** A body of any other type is read as text, in which the library finds no fields. */
function read({ headers, text }: Answer): unknown {
  assert.equal(headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(headers['content-encoding'], undefined);
  return JSON.parse(text);
}

const CALLS = [
  { name: 'get_user_vote of a voter', path: `/bots/${BOT}/check?userId=${USER}`, expected: { voted: 1 } },
  { name: 'get_user_vote of another', path: `/bots/${BOT}/check?userId=${OTHER}`, expected: { voted: 0 } },
  {
    name: 'get_bot_votes',
    path: `/bots/${BOT}/votes`,
    expected: [{ username: USER, id: USER, avatar: '' }],
  },
  {
    name: 'get_guild_count',
    path: `/bots/${BOT}/stats`,
    expected: { server_count: 0, shards: [], shard_count: 0 },
  },
  { name: 'get_weekend_status', path: '/weekend', expected: { is_weekend: false } },
  {
    name: 'post_guild_count',
    method: 'POST',
    path: '/bots/stats',
    body: '{"server_count":12}',
    expected: {},
  },
  {
    name: 'post_guild_count of shards',
    method: 'POST',
    path: '/bots/stats',
    body: '{"server_count":[5,7],"shard_count":2,"shard_id":1}',
    expected: {},
  },
] as const;

/** Each status becomes an exception, with `message` of the body as its text. */
const FAILURES = [
  { name: 'Unauthorized', path: '/weekend', key: 'wrong', status: 401 },
  { name: 'HTTPException', path: `/bots/${BOT}/check?userId=0`, status: 400 },
  { name: 'NotFound: get_bot_info', path: `/bots/${BOT}`, status: 404 },
  { name: 'NotFound: get_user_info', path: `/users/${USER}`, status: 404 },
  {
    name: 'NotFound: get_bots',
    path: '/bots?limit=50&offset=0&sort=&search=tags:+fun&fields=id,+tags',
    status: 404,
  },
] as const;

onAnyDatabase('topggpy', (open) => {
  test('reads the response of every call about votes and statistics', async () => {
    const api = await open();
    await api.grantPremium();
    await api.vote({ at: ago(1000) });
    for (const { name, path, expected, ...call } of CALLS) {
      const { method, body } = { method: 'GET', body: undefined, ...call };
      const answer = await send(api, method, path, api.key, body);
      assert.deepEqual([answer.status, read(answer)], [200, expected], name);
    }
  });

  test('reads the message of every failure', async () => {
    const api = await open();
    for (const { name, path, status, ...call } of FAILURES) {
      const answer = await send(api, 'GET', path, 'key' in call ? `${api.key}${call.key}` : api.key);
      const { message } = Object(read(answer));
      assert.deepEqual([answer.status, typeof message], [status, 'string'], name);
    }
  });

  test('waits for the number of seconds in Retry-After when the limit is reached', async () => {
    const api = await open();
    let answer = await send(api, 'GET', '/weekend', api.key);
    for (let count = 0; count < 30 && answer.status === 200; count += 1)
      answer = await send(api, 'GET', '/weekend', api.key);
    assert.equal(answer.status, 429);
    assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/);
    read(answer);
  });
});
