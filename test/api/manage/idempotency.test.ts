import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../src/domain/clock.ts';
import { revokeToken } from '../../../src/moderation/tokens.ts';
import { buildServer } from '../../../src/server.ts';
import type { Store } from '../../../src/store/store.ts';
import {
  type Api,
  assertError,
  assertInvalid,
  inject,
  onAnyDatabase,
  testServerDeps,
  USER,
} from '../../support/api.ts';
import { loggedBy, type Manage, newToken, openManage, unusedId } from './support.ts';

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

/** An audit log whose entries are written when the test lets them. */
function holdAudit(store: Store) {
  const began = Promise.withResolvers<void>();
  const canEnd = Promise.withResolvers<void>();
  const record: Store['audit']['record'] = async (entry) => {
    began.resolve();
    await canEnd.promise;
    return store.audit.record(entry);
  };
  return { began, canEnd, audit: { ...store.audit, record } };
}

onAnyDatabase('Idempotency-Key in the management API', (open) => {
  const requests: [string, (manage: Manage) => [string, object | undefined]][] = [
    ['a community', () => ['/guilds', { guild_id: unusedId(), name: 'Once' }]],
    ['a key', ({ api }) => [`/guilds/${api.guildId}/key`, undefined]],
    ['a vote', ({ api }) => ['/votes', { guild_id: api.guildId, user_id: USER }]],
    ['a ban', () => ['/bans', { user_id: unusedId() }]],
    ['a void', ({ api }) => ['/voids', { guild_id: api.guildId, user_id: USER }]],
  ];
  for (const [what, requestOf] of requests) {
    test(`${what} is created once, and a repeated request gets the same bytes`, async () => {
      const manage = await openManage(await open());
      await manage.api.vote({ at: '2026-11-15T09:00:00Z' });
      const [path, body] = requestOf(manage);
      const first = await manage.post(path, body, keyed('order-1'));
      assert.equal(first.status, 201, first.text);
      assert.equal(first.headers['idempotent-replayed'], undefined);
      manage.api.clock.advance(HOUR_MS * 2);
      const again = await manage.post(path, body, keyed('order-1'));
      assert.deepEqual([again.status, again.text], [first.status, first.text]);
      assert.equal(again.headers['idempotent-replayed'], 'true');
      assert.equal(again.headers['content-type'], first.headers['content-type']);
      assert.equal((await loggedBy(manage)).length, 1);
    });
  }

  test('concurrent requests with one key have one effect and one response', async () => {
    const manage = await openManage(await open());
    const path = `/guilds/${manage.api.guildId}/key`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => manage.post(path, undefined, keyed('key-1'))),
    );
    assert.deepEqual(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
    assert.deepEqual(await loggedBy(manage), ['key_generated']);
  });

  test('a request whose key is in use for a long time gets 409, and nothing happens twice', async () => {
    const api = await open();
    const { store, clock, secrets } = api;
    const { began, canEnd, audit } = holdAudit(store);
    const slowly = { ...testServerDeps({ ...store, audit }, clock, secrets), pause: async () => {} };
    const app = buildServer(slowly);
    const send: Api['send'] = (method, url, options = {}) => inject(app, method, url, options);
    const manage = await openManage({ ...api, send });
    const path = `/guilds/${api.guildId}/key`;
    const first = manage.post(path, undefined, keyed('slow'));
    await began.promise;
    const second = await manage.post(path, undefined, keyed('slow'));
    assertError(second, 409, 'IDEMPOTENCY_IN_PROGRESS');
    const french = await manage.post(path, undefined, {
      headers: { 'idempotency-key': 'slow', 'accept-language': 'fr' },
    });
    assert.notEqual(french.body.message, second.body.message);
    assertError(await manage.post('/bans', { user_id: USER }, keyed('slow')), 400, 'IDEMPOTENCY_MISMATCH');
    canEnd.resolve();
    const { status, text } = await first;
    assert.equal(status, 201);
    const repeated = await manage.post(path, undefined, keyed('slow'));
    assert.deepEqual([repeated.text, repeated.headers['idempotent-replayed']], [text, 'true']);
    assert.deepEqual(await loggedBy(manage), ['key_generated']);
    await app.close();
  });

  test('a token that is revoked while its request waits for another one has no second effect', async () => {
    const api = await open();
    const { store, clock, secrets } = api;
    const { began, canEnd, audit } = holdAudit(store);
    const other = await newToken(api);
    const pause = () => revokeToken({ store, clock, actor: null }, other.tokenId);
    const app = buildServer({ ...testServerDeps({ ...store, audit }, clock, secrets), pause });
    const send: Api['send'] = (method, url, options = {}) => inject(app, method, url, options);
    const manage = await openManage({ ...api, send });
    const body = { user_id: unusedId() };
    const ban = () => manage.post('/bans', body, { ...keyed('wait'), token: other.token });
    const first = ban();
    await began.promise;
    assertError(await ban(), 401, 'INVALID_TOKEN');
    canEnd.resolve();
    assert.equal((await first).status, 201);
    await app.close();
  });

  test('the same key with another request is a mismatch', async () => {
    const manage = await openManage(await open());
    const guild = { guild_id: unusedId(), name: 'One' };
    await manage.post('/guilds', guild, keyed('order-2'));
    const reordered = { name: 'One', guild_id: guild.guild_id, unknown: 1 };
    assert.equal((await manage.post('/guilds', reordered, keyed('order-2'))).status, 201);
    for (const [path, body] of [
      ['/guilds', { ...guild, name: 'Two' }],
      ['/bans', { user_id: USER }],
      [`/guilds/${guild.guild_id}/key`, undefined],
    ] as const)
      assertError(await manage.post(path, body, keyed('order-2')), 400, 'IDEMPOTENCY_MISMATCH');
    const other = await manage.post(`/guilds/${manage.api.guildId}/key`, undefined, keyed('order-3'));
    assert.equal(other.status, 201);
    const elsewhere = await manage.post(`/guilds/${guild.guild_id}/key`, undefined, keyed('order-3'));
    assertError(elsewhere, 400, 'IDEMPOTENCY_MISMATCH');
  });

  test('keys belong to a token, and are unused again after a day', async () => {
    const manage = await openManage(await open());
    const other = await openManage(manage.api);
    const guild = { guild_id: unusedId(), name: 'One' };
    assert.equal((await manage.post('/guilds', guild, keyed('k'))).status, 201);
    assertError(await other.post('/guilds', guild, keyed('k')), 409, 'GUILD_EXISTS');
    manage.api.clock.advance(DAY_MS);
    assertError(await manage.post('/guilds', guild, keyed('k')), 409, 'GUILD_EXISTS');
  });

  test('after an error the key is unused', async () => {
    const manage = await openManage(await open());
    const guild_id = unusedId();
    const vote = { guild_id, user_id: USER };
    assertError(await manage.post('/votes', vote, keyed('v')), 404, 'GUILD_NOT_FOUND');
    await manage.post('/guilds', { guild_id, name: 'Now it exists' });
    assert.equal((await manage.post('/votes', vote, keyed('v'))).status, 201);
  });

  test('a stored response is encrypted', async () => {
    const manage = await openManage(await open());
    const { store, guildId } = manage.api;
    const path = `/guilds/${guildId}/key`;
    const { body } = await manage.post(path, undefined, keyed('secret'));
    const request = { tokenId: manage.tokenId, key: 'secret', now: manage.api.clock() };
    const found = await store.responses.reserve({ ...request, requestHash: 'unknown' });
    assert.equal(found.kind, 'mismatch');
    assert.ok(!JSON.stringify(found).includes(String(body.key)));
  });

  test('a malformed key is an error', async () => {
    const manage = await openManage(await open());
    for (const [key, rule] of [
      ['', 'regex'],
      ['a b', 'regex'],
      ['x'.repeat(256), 'maxLength'],
    ] as const)
      assertInvalid(await manage.post('/bans', { user_id: USER }, keyed(key)), [
        { field: 'Idempotency-Key', rule },
      ]);
  });
});
