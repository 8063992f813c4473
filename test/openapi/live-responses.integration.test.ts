import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { V7_ERROR_STATUS } from '../../src/api/errors/responses.ts';
import { MAX_CONSUMERS } from '../../src/domain/votes/consumers.ts';
import { StoreUnavailableError } from '../../src/store/store.ts';
import { type Call, type Live, type LiveAnswer, startLive, USER } from './live-server.ts';
import { type Published, readPublished } from './published.ts';

const CHECKS = ['GET /v7/vote-check', 'GET /v7/check-vote'];
const BATCH = 'GET /v7/vote-checks';
const GUILD_VOTES = 'GET /v7/guild/votes';
const USER_VOTES = 'GET /v7/guild/votes/users/{user_id}';
const LISTS = [GUILD_VOTES, USER_VOTES];
const CLAIM = 'POST /v7/guild/claims';
const OVERVIEW = 'GET /v7/guild/claims';
const PENDING = 'GET /v7/guild/claims/pending';
const RELEASE = 'DELETE /v7/guild/claims/{vote_id}';
const FEED = 'GET /v7/guild/feed';
const LEADERBOARD = 'GET /v7/guild/leaderboard';
const GOAL = 'GET /v7/guild/goal';
const OPENAPI = 'GET /v7/openapi.json';
const CLAIMABLE = 'GET /v7/guild/claimable';
const IDENTIFYING = [...CHECKS, BATCH, CLAIM, OVERVIEW, CLAIMABLE];
const PREMIUM = [...LISTS, PENDING, LEADERBOARD];
const WITH_KEY = [...IDENTIFYING, ...PREMIUM, RELEASE, FEED, GOAL];
const ALL = [...WITH_KEY, OPENAPI];

let live: Live;
let published: Published;
/** `<method> <path> <status> <code>` of every response that was seen; the code of a success is `ok`. */
const seen = new Set<string>();

before(async () => {
  live = await startLive();
  published = readPublished((await live.call('/v7/openapi.json', { key: null })).body);
});
after(() => live.stop());

/** Sends a request, compares the response with the document, and records it. */
async function ask(operation: string, query = '', options: Call = {}): Promise<LiveAnswer> {
  const [method = '', path] = address(operation);
  return check(operation, await live.call(path + query, { method, ...options }));
}

function check(operation: string, answer: LiveAnswer): LiveAnswer {
  published.check(operation, answer);
  const { error, errors } = JSON.parse(answer.body);
  seen.add(`${operation} ${answer.status} ${error ?? (errors ? 'validation' : 'ok')}`);
  // Sends more requests than the limit allows; each response starts a new minute.
  live.clock.advance(60_000);
  return answer;
}

/** The method and the path to call. */
function address(operation: string): [string, string] {
  const [method = '', path = ''] = operation.split(' ');
  return [method, path.replace('{user_id}', USER).replace('{vote_id}', `vote_${'0'.repeat(32)}`)];
}

/** Each response and the request that causes it: `[query, options]`. */
const IDENTIFIED = `?discord_id=${USER}`;

describe('responses of the server match the document:', () => {
  test('successful responses, by every way to send the key', async () => {
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
    for (const path of [BATCH, CLAIMABLE]) {
      await ask(path, `${IDENTIFIED}&discord_id=${USER}`);
      await ask(path, '?external_id=Steve_42&external_id=Nobody');
    }
    const headers = { 'idempotency-key': 'once' };
    await ask(CLAIM, '?external_id=Steve_42&within_hours=744', { headers });
    await ask(CLAIM, '?external_id=Steve_42&within_hours=744', { headers });
    await ask(CLAIM, '?external_id=Nobody');
    await ask(OVERVIEW, `${IDENTIFIED}&within_hours=744`);
    await ask(PENDING, '?within_hours=744');
    await ask(RELEASE);
    const page = JSON.parse((await ask(FEED)).body);
    await ask(FEED, `?cursor=${page.next_cursor}`);
    await ask(LEADERBOARD, '?month=2026-11&limit=5');
    await ask(GOAL);
    await live.setGoal({ period: 'week', target: 5 });
    await ask(GOAL);
    await ask(OPENAPI, '', { key: null });
  });

  test('input errors of checks and claims', async () => {
    for (const operation of IDENTIFYING) {
      await ask(operation);
      await ask(operation, `${IDENTIFIED}&external_id=Steve_42&locale=fr`);
      for (const bad of ['discord_id=12', `discord_id=${'1'.repeat(21)}`])
        assert.equal((await ask(operation, `?${bad}`)).status, 400);
    }
    for (const path of CHECKS) assert.equal((await ask(path, '?external_id=a&external_id=b')).status, 400);
    const headers = { 'idempotency-key': 'once' };
    assert.equal((await ask(CLAIM, '?external_id=Nobody', { headers })).status, 400);
    for (let i = 0; i < MAX_CONSUMERS; i += 1) {
      live.clock.advance(60_000);
      assert.equal((await ask(CLAIM, `?external_id=Nobody&consumer=server-${i}`)).status, 200);
    }
    assert.equal((await ask(CLAIM, '?external_id=Nobody&consumer=one-more')).status, 400);
    for (const query of ['cursor=mine', 'within_hours=0']) await ask(PENDING, `?${query}`);
    for (const query of ['month=november', 'limit=101']) await ask(LEADERBOARD, `?${query}`);
    check(RELEASE, await live.call('/v7/guild/claims/vote_1', { method: 'DELETE' }));
    await ask(GOAL, '?locale=fr&locale=en');
    for (const query of ['locale=fr&locale=en', 'claimed_at=now']) await ask(RELEASE, `?${query}`);
    for (const query of ['from=now', 'from=2027-01-01', 'from=2026-01-01', 'cursor=mine', 'wait=31'])
      await ask(FEED, `?${query}`);
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
    check(USER_VOTES, await live.call('/v7/guild/votes/users/me'));
  });

  test('refusals of keys, and of communities without Premium', async () => {
    await live.setPremium(false);
    for (const path of WITH_KEY) {
      await ask(path, '', { key: 'YOUR_API_KEY' });
      await ask(path, '?api_token=wrong', { key: null });
    }
    for (const path of PREMIUM) await ask(path);
  });

  test('405 for unsupported methods', async () => {
    for (const operation of ALL) await ask(operation, '', { method: 'PUT' });
  });

  test('429 above the limit', async () => {
    for (let request = 0; request < 30; request += 1) await live.call('/v7/openapi.json');
    for (const operation of ALL) {
      const [method, path] = address(operation);
      published.check(operation, await live.call(path, { method }));
      seen.add(`${operation} 429 RATE_LIMITED`);
    }
    live.clock.advance(60_000);
  });

  test('503 while the database is unavailable, and 500 for a defect', async () => {
    const lost = new StoreUnavailableError('unreachable', new Error('the database is gone'));
    for (const failure of [lost, new Error('a defect')]) {
      live.faults.failure = failure;
      for (const path of ALL) await ask(path, IDENTIFIED);
    }
    live.faults.failure = null;
  });

  test('refusals of requests that never reach the API', async () => {
    for (const operation of ALL) {
      const line = `${address(operation).join(' ')} HTTP/1.1\r\nHost: x\r\n`;
      check(operation, await live.plainHttp(`${line}\r\n`));
      check(operation, await live.raw(`${line}Bad Header: x\r\n\r\n`));
      check(operation, await live.raw(`${line}X: ${'x'.repeat(20_000)}\r\n\r\n`));
      check(operation, await live.timeOut(line));
    }
  });

  test('every documented response was seen', () => {
    const documented = Object.entries(published.document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { responses }]) =>
        Object.entries(responses).flatMap(([status, { content }]) => {
          const examples = Object.keys(content?.['application/json']?.examples ?? {});
          const codes = status === '200' ? ['ok'] : examples;
          return codes.map((code) => `${method.toUpperCase()} ${path} ${status} ${code}`);
        }),
      ),
    );
    assert.deepEqual([...seen].sort(), documented.sort());
  });
});

test('every error code that a client can get is documented', () => {
  const codes = new Set([...seen].map((answer) => answer.split(' ')[3]));
  for (const code of Object.keys(V7_ERROR_STATUS)) assert.ok(codes.has(code), code);
});

test('HEAD returns the headers of GET and no body', async () => {
  const [get, head] = await Promise.all([
    live.call('/v7/openapi.json'),
    live.call('/v7/openapi.json', { method: 'HEAD' }),
  ]);
  assert.deepEqual([head.status, head.body], [get.status, '']);
  assert.equal(head.headers['content-length'], get.headers['content-length']);
});
