import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../../src/domain/clock.ts';
import { generateApiKey } from '../../../src/domain/keys/api-key.ts';
import { generateToken, type TokenScope } from '../../../src/domain/keys/api-token.ts';
import { revokeToken } from '../../../src/moderation/tokens.ts';
import { type Answer, assertError, onAnyDatabase } from '../../support/api.ts';
import { newToken, openManage, unusedId } from './support.ts';

const ROUTES: [method: string, path: string, scope: TokenScope][] = [
  ['GET', '/guilds', 'guilds:read'],
  ['POST', '/guilds', 'guilds:write'],
  ['GET', '/guilds/300000000000000001', 'guilds:read'],
  ['PATCH', '/guilds/300000000000000001', 'guilds:write'],
  ['DELETE', '/guilds/300000000000000001', 'guilds:write'],
  ['POST', '/guilds/300000000000000001/key', 'guilds:write'],
  ['DELETE', '/guilds/300000000000000001/key', 'guilds:write'],
  ['POST', '/votes', 'votes:write'],
  ['GET', '/bans', 'moderation:write'],
  ['POST', '/bans', 'moderation:write'],
  ['DELETE', '/bans/200000000000000001', 'moderation:write'],
  ['POST', '/voids', 'moderation:write'],
  ['DELETE', '/voids/void_0', 'moderation:write'],
  ['GET', '/users/200000000000000001', 'users:write'],
  ['DELETE', '/users/200000000000000001', 'users:write'],
];

const ALL: TokenScope[] = [...new Set(ROUTES.map(([, , scope]) => scope))];

function assertRefusedToken(answer: Answer, hadToken: boolean): void {
  assertError(answer, 401, 'INVALID_TOKEN');
  const expected = `Bearer realm="manage"${hadToken ? ', error="invalid_token"' : ''}`;
  assert.equal(answer.headers['www-authenticate'], expected);
  assert.equal(answer.headers['cache-control'], 'no-store');
}

onAnyDatabase('access to the management API', (open) => {
  for (const [method, path, scope] of ROUTES) {
    test(`${method} ${path} needs a token with the scope ${scope}`, async () => {
      const api = await open();
      const url = `/manage/v1${path}`;
      const send = (key: string | null) => api.send(method, url, { key });
      assertRefusedToken(await send(null), false);
      for (const key of [api.key, generateApiKey(), generateToken(), 'vto_x', 'secret'])
        assertRefusedToken(await send(key), true);
      const others = ALL.filter((other) => other !== scope);
      const answer = await send((await newToken(api, others)).token);
      assert.deepEqual([answer.status, answer.body.error, answer.body.scope], [403, 'MISSING_SCOPE', scope]);
      assert.match(String(answer.headers['www-authenticate']), new RegExp(`scope="${scope}"`));
      const allowed = await send((await newToken(api, [scope])).token);
      assert.ok(![401, 403].includes(allowed.status), `${allowed.status}`);
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const smuggled = await api.send(method, `${url}?api_token=${(await newToken(api)).token}`, {
        key: null,
        headers: form,
      });
      assertRefusedToken(smuggled, false);
    });
  }

  test('a token stops working when it expires or is revoked, and the message says so', async () => {
    const api = await open();
    const expires = await newToken(api, undefined, api.clock() + HOUR_MS);
    const revoked = await newToken(api);
    const get = (key: string) => api.get('/manage/v1/guilds', { key });
    assert.equal((await get(expires.token)).status, 200);
    assert.equal((await get(revoked.token)).status, 200);
    api.clock.advance(HOUR_MS);
    const afterEnd = await get(expires.token);
    assertRefusedToken(afterEnd, true);
    assert.match(String(afterEnd.body.message), /expired/);
    await revokeToken({ store: api.store, clock: api.clock, actor: null }, revoked.tokenId);
    const afterRevocation = await get(revoked.token);
    assertRefusedToken(afterRevocation, true);
    assert.match(String(afterRevocation.body.message), /revoked/);
  });

  for (const end of ['revoked', 'expired'] as const) {
    test(`a token that is ${end} while the body of its request arrives has no effect`, async () => {
      const api = await open();
      const { token, tokenId } = await newToken(api, undefined, api.clock() + HOUR_MS);
      const guild = { guild_id: unusedId(), name: 'Too late' };
      async function* slowly() {
        const body = JSON.stringify(guild);
        yield body.slice(0, 10);
        if (end === 'revoked')
          await revokeToken({ store: api.store, clock: api.clock, actor: null }, tokenId);
        api.clock.advance(end === 'revoked' ? 2 * SECOND_MS : HOUR_MS);
        yield body.slice(10);
      }
      const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
      const sent = { key: token, headers, body: Readable.from(slowly(), { objectMode: false }) };
      const answer = await api.send('POST', '/manage/v1/guilds', sent);
      assertRefusedToken(answer, true);
      assert.match(String(answer.body.message), new RegExp(end));
      assert.equal(await api.store.guilds.find(guild.guild_id), undefined);
    });
  }

  test('errors are in the language of the request', async () => {
    const api = await open();
    const { body, headers } = await api.get('/manage/v1/guilds', {
      key: null,
      headers: { 'x-locale': 'fr' },
    });
    assert.match(String(body.message), /Aucun jeton/);
    assert.equal(headers['content-language'], 'fr');
  });

  test('the last use of a token is recorded by the hour', async () => {
    const manage = await openManage(await open());
    const { api, tokenId } = manage;
    await manage.get('/guilds');
    const { store, clock } = api;
    assert.equal((await store.tokens.find(tokenId))?.lastUsedAt, clock() - (clock() % HOUR_MS));
    clock.advance(DAY_MS);
    await manage.get('/guilds');
    assert.equal((await store.tokens.find(tokenId))?.lastUsedAt, clock() - (clock() % HOUR_MS));
  });

  test('each token has 600 requests per minute; others are not affected', async () => {
    const manage = await openManage(await open());
    const first = await manage.get('/guilds?limit=1');
    assert.equal(first.headers['ratelimit-policy'], '"default";q=600;w=60');
    assert.equal(first.headers.ratelimit, '"default";r=599;t=60');
    const { store, clock } = manage.api;
    const limit = { requests: 600, windowMs: 60_000 };
    for (let hits = 1; hits < 600; hits += 1)
      await store.rates.hit(`token:${manage.tokenId}`, limit, clock());
    const refused = await manage.get('/guilds?limit=1');
    assertError(refused, 429, 'RATE_LIMITED');
    assert.equal(refused.headers['retry-after'], '60');
    const other = await openManage(manage.api);
    assert.equal((await other.get('/guilds?limit=1')).status, 200);
    clock.advance(60_000);
    assert.equal((await manage.get('/guilds?limit=1')).status, 200);
  });

  test('requests without a valid token are counted by network', async () => {
    const manage = await openManage(await open());
    const refused = await manage.get('/guilds', { token: generateToken() });
    assert.equal(refused.headers.ratelimit, '"default";r=599;t=60');
    assert.equal((await manage.get('/nowhere', { token: null })).headers.ratelimit, '"default";r=598;t=60');
  });

  test('unknown paths are 404 with an empty body, other methods 405 with Allow', async () => {
    const manage = await openManage(await open());
    for (const path of ['/nowhere', '/guilds/1/2/3', '']) {
      const { status, text } = await manage.get(path);
      assert.deepEqual([status, text], [404, ''], path);
    }
    const answer = await manage.api.send('PUT', '/manage/v1/guilds', { key: manage.token });
    assertError(answer, 405, 'METHOD_NOT_ALLOWED');
    assert.equal(answer.headers.allow, 'GET, HEAD, POST');
  });

  test('only the OpenAPI document needs no token', async () => {
    const api = await open();
    const { status, body } = await api.get('/manage/v1/openapi.json', { key: null });
    assert.deepEqual([status, body.openapi], [200, '3.1.1']);
    const documented = Object.entries<object>(Object(body.paths)).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const tested = ROUTES.map(([method, path]) => {
      const pattern = path
        .replace(/^\/guilds\/\d+/, '/guilds/{guild_id}')
        .replace(/(bans|users)\/\d+/, '$1/{user_id}');
      return `${method} /manage/v1${pattern.replace('void_0', '{batch}')}`;
    });
    assert.deepEqual(documented.toSorted(), [...tested, 'GET /manage/v1/openapi.json'].toSorted());
  });
});
