import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ERROR_STATUS } from '../../src/api/errors.ts';
import { type Call, type Live, type LiveAnswer, startLive, USER } from './live-server.ts';
import { type Published, readPublished } from './published.ts';

const CHECKS = ['/v7/vote-check', '/v7/check-vote'];
const GUILD_VOTES = '/v7/guild/votes';
const USER_VOTES = '/v7/guild/votes/users/{user_id}';
const LISTS = [GUILD_VOTES, USER_VOTES];
const OPENAPI = '/v7/openapi.json';
const ALL = [...CHECKS, ...LISTS, OPENAPI];
const WITH_KEY = [...CHECKS, ...LISTS];

let live: Live;
let published: Published;
/** `<path> <status> <code>` of every answer that was seen; the code of a success is `ok`. */
const seen = new Set<string>();

before(async () => {
  live = await startLive();
  published = readPublished((await live.call(OPENAPI, { key: null })).body);
});
after(() => live.stop());

/** Asks an endpoint, holds the answer against the document, and notes what it was. */
async function ask(path: string, query = '', options: Call = {}): Promise<LiveAnswer> {
  return judge(path, await live.call(address(path) + query, options));
}

function judge(path: string, answer: LiveAnswer): LiveAnswer {
  published.check(path, answer);
  const { error, errors } = JSON.parse(answer.body);
  seen.add(`${path} ${answer.status} ${error ?? (errors ? 'validation' : 'ok')}`);
  // Far more is asked here than the limit allows; each answer starts a new minute.
  live.clock.advance(60_000);
  return answer;
}

function address(path: string): string {
  return path.replace('{user_id}', USER);
}

/** Each answer and what brings it about: `[query, options]`. */
const IDENTIFIED = `?discord_id=${USER}`;

describe('every documented answer is given by the server as documented:', () => {
  test('successes', async () => {
    await live.setPremium(true);
    live.clock.set('2026-11-15T12:00:00.000Z');
    for (const path of CHECKS) {
      await ask(path, IDENTIFIED);
      await ask(path, '?external_id=Nobody', { headers: { 'accept-language': 'fr' } });
      await ask(path, `${IDENTIFIED}&api_token=${live.key}`, { key: null });
      await ask(path, IDENTIFIED, { key: null, headers: { 'x-api-token': live.key } });
    }
    for (const path of LISTS) {
      const first = JSON.parse((await ask(path, '?limit=2')).body);
      await ask(path, `?cursor=${first.pagination.next_cursor}`);
    }
    await ask(OPENAPI, '', { key: null });
  });

  test('input errors of vote checks', async () => {
    for (const path of CHECKS) {
      await ask(path);
      await ask(path, `${IDENTIFIED}&external_id=Steve_42&locale=fr`);
      for (const bad of ['discord_id=12', `discord_id=${'1'.repeat(21)}`, 'external_id=a&external_id=b'])
        assert.equal((await ask(path, `?${bad}`)).status, 400);
    }
  });

  test('input errors of lists', async () => {
    const queries = [
      'from=yesterday',
      'from=2026-11-02&to=2026-11-01',
      'from=2026-01-01&to=2026-03-01',
      'cursor=mine',
      'limit=0',
      'limit=5000',
      'limit=ten',
    ];
    for (const path of LISTS) for (const query of queries) await ask(path, `?${query}`);
    judge(USER_VOTES, await live.call('/v7/guild/votes/users/me'));
  });

  test('keys and Premium', async () => {
    await live.setPremium(false);
    for (const path of WITH_KEY) {
      await ask(path, '', { key: 'YOUR_API_KEY' });
      await ask(path, '?api_token=wrong', { key: null });
    }
    for (const path of LISTS) await ask(path);
  });

  test('other methods', async () => {
    for (const path of ALL) await ask(path, '', { method: 'POST' });
  });

  test('too many requests', async () => {
    for (let request = 0; request < 30; request += 1) await live.call(OPENAPI);
    for (const path of ALL) {
      published.check(path, await live.call(address(path)));
      seen.add(`${path} 429 RATE_LIMITED`);
    }
    live.clock.advance(60_000);
  });

  test('a lost database', async () => {
    live.faults.isLost = true;
    for (const path of ALL) await ask(path, IDENTIFIED);
    live.faults.isLost = false;
  });

  test('requests that never reach the API', async () => {
    for (const path of ALL) {
      const line = `GET ${address(path)} HTTP/1.1\r\nHost: x\r\n`;
      judge(path, await live.plainHttp(`${line}\r\n`));
      judge(path, await live.raw(`${line}Bad Header: x\r\n\r\n`));
      judge(path, await live.raw(`${line}X: ${'x'.repeat(20_000)}\r\n\r\n`));
      judge(path, await live.timeOut(line));
    }
  });

  test('and nothing is documented that was not seen', () => {
    const documented = Object.entries(published.document.paths).flatMap(([path, { get }]) =>
      Object.entries(get?.responses ?? {}).flatMap(([status, { content }]) => {
        const codes = status === '200' ? ['ok'] : Object.keys(content?.['application/json']?.examples ?? {});
        return codes.map((code) => `${path} ${status} ${code}`);
      }),
    );
    assert.deepEqual([...seen].sort(), documented.sort());
  });
});

test('every error code that a client can meet is documented', () => {
  const codes = new Set([...seen].map((answer) => answer.split(' ')[2]));
  for (const code of Object.keys(ERROR_STATUS)) assert.ok(codes.has(code), code);
});

test('HEAD has the headers of GET and no body', async () => {
  const [get, head] = [await live.call(OPENAPI), await live.call(OPENAPI, { method: 'HEAD' })];
  assert.deepEqual([head.status, head.body], [get.status, '']);
  assert.equal(head.headers['content-length'], get.headers['content-length']);
});
