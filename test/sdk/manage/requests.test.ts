import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VotaryManager } from '../../../sdk/src/manage/index.ts';
import { GUILD, rateLimited, USER } from '../support/bodies.ts';
import { type Reply, type SeenRequest, startLocalService } from '../support/local-service.ts';
import { testRuntime } from '../support/test-runtime.ts';

const TOKEN = 'vto_0123456789012345678901234567890123456';
const VOTE = { guildId: GUILD, userId: USER };
const CAST = {
  ok: true,
  vote: {
    vote_id: 'vote_0123456789abcdef0123456789abcdef',
    guild_id: GUILD,
    user_id: USER,
    external_id: null,
    timestamp: '2026-11-15T12:00:00.000Z',
    is_doubled: false,
  },
  next_vote_at: '2026-11-15T13:00:00.000Z',
};
const GUILD_BODY = {
  ok: true,
  guild: {
    guild_id: GUILD,
    name: 'One',
    listed: true,
    premium_until: null,
    sanction: null,
    rate_limit: null,
    player_names: 'exact',
    goal: null,
    has_key: false,
    created_at: '2026-11-15T12:00:00.000Z',
  },
};
const DELETED = { ok: true, guild_id: GUILD };
const IN_PROGRESS = {
  status: 409,
  body: { ok: false, error: 'IDEMPOTENCY_IN_PROGRESS', message: 'It is still being processed.' },
};

async function start(reply: (request: SeenRequest, count: number) => Reply, options: object = {}) {
  const service = await startLocalService(reply);
  const runtime = testRuntime();
  const manager = new VotaryManager({ token: TOKEN, baseUrl: service.url, ...options }, runtime);
  return { service, runtime, manager };
}

const sent = ({ method, url }: SeenRequest) => `${method} ${url.pathname}${url.search}`;
const keyOf = (request: SeenRequest | undefined) => request?.headers['idempotency-key'];

describe('a call that creates something', () => {
  for (const [name, first] of [
    ['a lost response', 'cut'],
    ['an attempt that is still in progress', IN_PROGRESS],
  ] as const) {
    it(`is repeated with the same key after ${name}`, async () => {
      const { service, runtime, manager } = await start((_request, count) =>
        count === 1 ? first : { status: 201, body: CAST, headers: { 'idempotent-replayed': 'true' } },
      );
      const cast = manager.castVote(VOTE);
      await runtime.passAfterSleep(1000);
      assert.equal((await cast).replayed, true);
      assert.match(String(keyOf(service.requests[0])), /^[0-9a-f-]{36}$/);
      assert.equal(keyOf(service.requests[0]), keyOf(service.requests[1]));
      assert.deepEqual(service.requests.map(sent), ['POST /manage/v1/votes', 'POST /manage/v1/votes']);
    });
  }

  it('has its own key in each call, or the given one', async () => {
    const { service, manager } = await start(() => ({ status: 201, body: CAST }));
    await Promise.all([manager.castVote(VOTE), manager.castVote(VOTE)]);
    await manager.castVote(VOTE, { idempotencyKey: 'order-1' });
    assert.equal(new Set(service.requests.map(keyOf)).size, 3);
    assert.equal(keyOf(service.requests[2]), 'order-1');
  });

  it('sends the token in a header, and a body only if it has one', async () => {
    const { service, manager } = await start(({ url }) => ({
      status: 201,
      body: url.pathname.endsWith('/key') ? { ok: true, key: 'vty_a' } : GUILD_BODY,
    }));
    await manager.createGuildKey(GUILD);
    await manager.createGuild({ guildId: GUILD, name: 'One' });
    const [withoutBody, withBody] = service.requests.map(({ headers }) => headers);
    assert.equal(withoutBody?.authorization, `Bearer ${TOKEN}`);
    assert.deepEqual(
      [withoutBody?.['content-type'], withBody?.['content-type']],
      [undefined, 'application/json'],
    );
  });
});

describe('a call that deletes something', () => {
  it('is not repeated after a lost response, because it may exist again', async () => {
    const { service, runtime, manager } = await start(() => 'cut');
    await Promise.race([
      assert.rejects(manager.deleteGuildKey(GUILD), { code: 'NETWORK_ERROR' }),
      runtime.passAfterSleep(1000).then(() => assert.fail('it was repeated')),
    ]);
    assert.deepEqual(service.requests.map(sent), [`DELETE /manage/v1/guilds/${GUILD}/key`]);
  });

  it('waits for the rate limit', async () => {
    const { runtime, service, manager } = await start((_request, count) =>
      count === 1 ? rateLimited(2) : { body: DELETED },
    );
    const deleted = manager.deleteGuild(GUILD, { confirm: GUILD });
    await runtime.passAfterSleep(2000);
    await deleted;
    assert.equal(
      sent(service.requests[1] ?? assert.fail()),
      `DELETE /manage/v1/guilds/${GUILD}?confirm=${GUILD}`,
    );
  });
});

describe('other calls', () => {
  it('are repeated after a lost response', async () => {
    const { service, runtime, manager } = await start((_request, count) =>
      count % 2 === 1 ? 'cut' : { body: GUILD_BODY },
    );
    for (const call of [() => manager.getGuild(GUILD), () => manager.updateGuild(GUILD, { name: 'One' })]) {
      const found = call();
      await runtime.passAfterSleep(1000);
      assert.equal((await found).name, 'One');
    }
    assert.deepEqual(
      service.requests.map(({ method }) => method),
      ['GET', 'GET', 'PATCH', 'PATCH'],
    );
  });

  it('end after timeoutMs, which each call can change', async () => {
    const { runtime, service, manager } = await start(() => 'silence', { timeoutMs: 5000 });
    const calls = [manager.getGuild(GUILD), manager.getUser(USER, { timeoutMs: 60_000 })] as const;
    await service.untilRequested(2);
    const ended = assert.rejects(calls[0], { code: 'TIMEOUT' });
    await runtime.passAfterSleep(5000);
    await ended;
    assert.deepEqual(runtime.sleeping(), [60_000]);
    await Promise.all([assert.rejects(calls[1], { code: 'TIMEOUT' }), runtime.passAfterSleep(60_000)]);
  });

  it('end with the reason of their signal', async () => {
    const { service, manager } = await start(() => 'silence');
    const abort = new AbortController();
    const call = manager.listBans({ signal: abort.signal });
    await service.untilRequested(1);
    abort.abort(new Error('left'));
    await assert.rejects(call, { message: 'left' });
  });

  it('send the locale', async () => {
    const { service, manager } = await start(() => ({ body: GUILD_BODY }), { locale: 'fr' });
    await manager.getGuild(GUILD);
    assert.deepEqual(service.requests.map(sent), [`GET /manage/v1/guilds/${GUILD}?locale=fr`]);
  });
});

describe('an iteration', () => {
  it('waits when few requests are left', async () => {
    const page = (next: string | null) => ({
      body: { ok: true, bans: [], pagination: { limit: 1000, has_more: next !== null, next_cursor: next } },
      headers: { ratelimit: '"default";r=5;t=30' },
    });
    const { service, runtime, manager } = await start((_request, count) => page(count === 1 ? 'next' : null));
    const bans = manager.bans().next();
    await runtime.passAfterSleep(30_000);
    assert.equal((await bans).done, true);
    assert.deepEqual(service.requests.map(sent), [
      'GET /manage/v1/bans?limit=1000',
      'GET /manage/v1/bans?limit=1000&cursor=next',
    ]);
  });
});

describe('an argument that cannot be sent is rejected without a request', () => {
  type Call = (manager: VotaryManager) => Promise<unknown>;
  const number = JSON.parse('200000000000000001');
  const calls: [name: string, code: string, call: Call][] = [
    ['an id that is a number', 'INVALID_ARGUMENT', (m) => m.castVote({ guildId: GUILD, userId: number })],
    ['a guild id that changes the path', 'INVALID_ARGUMENT', (m) => m.getGuild('..')],
    ['an empty guild id', 'INVALID_ARGUMENT', (m) => m.deleteGuildKey('')],
    ['a user id that changes the path', 'INVALID_USER_ID', (m) => m.deleteUser('../guilds/1')],
    ['a batch that changes the path', 'INVALID_ARGUMENT', (m) => m.deleteVoid('../bans/1')],
    ['an invalid date', 'INVALID_DATE', (m) => m.updateGuild(GUILD, { premiumUntil: 'tomorrow' })],
    [
      'an idempotency key with a space',
      'INVALID_ARGUMENT',
      (m) => m.castVote(VOTE, { idempotencyKey: 'a b' }),
    ],
    ['a timeout of 0', 'INVALID_ARGUMENT', (m) => m.getGuild(GUILD, { timeoutMs: 0 })],
  ];
  for (const [name, code, call] of calls) {
    it(name, async () => {
      const { service, manager } = await start(() => ({ body: {} }));
      await assert.rejects(call(manager), { name: 'VotaryError', code });
      assert.equal(service.requests.length, 0);
    });
  }
});

describe('new VotaryManager', () => {
  const make = (options: object) => () =>
    Reflect.construct(VotaryManager, [{ token: TOKEN, baseUrl: 'https://votes.example.org', ...options }]);

  for (const token of [undefined, '', ' ', 'YOUR_TOKEN', '<token>', '$VOTARY_TOKEN', 'vto_é', 'vty_0123'])
    it(`rejects the token ${JSON.stringify(token)} without repeating it`, () => {
      assert.throws(
        make({ token }),
        (error: Error & { code?: string }) =>
          error.code === 'INVALID_TOKEN' && !(token?.trim() && error.message.includes(token)),
      );
    });

  for (const [baseUrl, message] of [
    ['http://votes.example.org', /must start with https/],
    ['https://votes.example.org/manage/v1/', /remove "\/manage\/v1"/],
    ['https://votes.example.org/v7', /remove "\/v7"/],
  ] as const)
    it(`rejects the address ${baseUrl}`, () => {
      assert.throws(make({ baseUrl }), { code: 'INVALID_ARGUMENT', message });
    });

  it('requires options', () => {
    assert.throws(() => Reflect.construct(VotaryManager, []), { code: 'INVALID_ARGUMENT' });
  });
});
