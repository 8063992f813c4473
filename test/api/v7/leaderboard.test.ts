import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS, SECOND_MS } from '../../../src/domain/clock.ts';
import { ago, assertError, OTHER_USER, onAnyDatabase, USER } from '../../support/api.ts';

onAnyDatabase('GET /v7/guild/leaderboard', (open) => {
  test('ranks the voters of the current UTC month', async () => {
    const api = await open();
    await api.grantPremium();
    await api.vote(
      { userId: USER, at: ago(3 * HOUR_MS) },
      { userId: OTHER_USER, at: ago(2 * HOUR_MS), isDoubled: true },
      { userId: OTHER_USER, at: ago(HOUR_MS) },
      { userId: USER, at: '2026-10-31T23:59:59.999Z' },
    );
    assert.deepEqual((await api.get('/v7/guild/leaderboard')).body, {
      ok: true,
      guild_id: api.guildId,
      month: '2026-11',
      total: 3,
      voters: [
        { rank: 1, user_id: OTHER_USER, votes: 2 },
        { rank: 2, user_id: USER, votes: 1 },
      ],
    });
  });

  test('of another month contains only the votes of that month, and the total of all voters', async () => {
    const api = await open();
    await api.grantPremium();
    await api.vote(
      { userId: USER, at: '2026-10-01T00:00:00.000Z' },
      { userId: OTHER_USER, at: '2026-10-31T23:59:59.999Z' },
      { userId: USER, at: '2026-09-30T23:59:59.999Z' },
      { userId: USER, at: '2026-11-01T00:00:00.000Z' },
    );
    const first = USER < OTHER_USER ? USER : OTHER_USER;
    assert.deepEqual((await api.get('/v7/guild/leaderboard?month=2026-10&limit=1')).body, {
      ok: true,
      guild_id: api.guildId,
      month: '2026-10',
      total: 2,
      voters: [{ rank: 1, user_id: first, votes: 1 }],
    });
    for (const empty of ['2027-01', '0001-01', '9999-12']) {
      const { status, body } = await api.get(`/v7/guild/leaderboard?month=${empty}`);
      assert.equal(status, 200);
      assert.deepEqual(body, { ok: true, guild_id: api.guildId, month: empty, total: 0, voters: [] });
    }
  });

  test('requires Premium', async () => {
    const { status, body } = await (await open()).get('/v7/guild/leaderboard');
    assert.deepEqual([status, Object(body).error], [403, 'PREMIUM_REQUIRED']);
  });

  test('rejects an invalid month and a limit outside 1 to 100', async () => {
    const api = await open();
    await api.grantPremium();
    for (const month of ['2026-13', '2026-1', '2026-11-01', 'november', '2026-00', ' 2026-11']) {
      const { status, body } = await api.get(`/v7/guild/leaderboard?month=${encodeURIComponent(month)}`);
      assert.equal(status, 400);
      assert.deepEqual(body, {
        errors: [
          { rule: 'regex', field: 'month', message: 'The parameter month must be a month such as 2026-11.' },
        ],
      });
    }
    const rules = { '0': 'min', '101': 'max', ten: 'integer' };
    for (const [limit, rule] of Object.entries(rules)) {
      const { body } = await api.get(`/v7/guild/leaderboard?limit=${limit}`);
      assert.equal(Object(body).errors[0].rule, rule);
    }
  });

  test('of a past month changes only when its votes are voided or restored', async () => {
    const api = await open();
    await api.grantPremium();
    const [first, second] = [Date.parse('2026-10-10T10:00:00.000Z'), Date.parse('2026-10-11T10:00:00.000Z')];
    for (const castAt of [first, second]) {
      const at = new Date(castAt).toISOString();
      await api.vote({ userId: USER, at }, { userId: OTHER_USER, at });
    }
    const read = async () => (await api.get('/v7/guild/leaderboard?month=2026-10')).body;
    const before = await read();
    const vote = { guildId: api.guildId, userId: USER, externalId: null, isDoubled: false };
    await api.store.votes.cast({ ...vote, castAt: api.clock() });
    assert.deepEqual(await read(), before);
    const batch = `void_past_${api.guildId}`;
    const period = { from: first, to: second };
    const request = { guildId: api.guildId, selection: { userId: USER }, period, batch };
    await api.store.moderation.void({ ...request, reason: null, voidedAt: api.clock() });
    const { total, voters } = Object(await read());
    assert.equal(total, 3);
    assert.deepEqual(voters[0], { rank: 1, user_id: OTHER_USER, votes: 2 });
    await api.store.moderation.restore(batch, api.clock());
    assert.deepEqual(await read(), before);
  });

  test('returns the headers of GET without a body for HEAD, and 405 for every other method', async () => {
    const api = await open();
    await api.grantPremium();
    const [get, head] = [
      await api.get('/v7/guild/leaderboard'),
      await api.send('HEAD', '/v7/guild/leaderboard'),
    ];
    assert.deepEqual([head.status, head.text], [200, '']);
    assert.equal(head.headers['content-type'], get.headers['content-type']);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await api.send(method, '/v7/guild/leaderboard');
      assertError(answer, 405, 'METHOD_NOT_ALLOWED');
      assert.equal(answer.headers.allow, 'GET, HEAD');
    }
  });

  test('rejects a repeated parameter and treats an empty one as absent', async () => {
    const api = await open();
    await api.grantPremium();
    const repeated = await api.get('/v7/guild/leaderboard?month=2026-10&month=2026-11');
    assert.equal(Object(repeated.body).errors[0].field, 'month');
    assert.equal(Object((await api.get('/v7/guild/leaderboard?month=&limit=')).body).month, '2026-11');
  });

  test('is counted once for all requests of ten seconds, whatever their limit, with the current total', async (t) => {
    const api = await open();
    await api.grantPremium();
    await api.vote({ userId: USER, at: ago(3 * HOUR_MS) });
    const counts = t.mock.method(api.store.votes, 'topVoters');
    const read = (limit: number) => api.get(`/v7/guild/leaderboard?limit=${limit}`);
    await Promise.all(Array.from({ length: 20 }, (_, index) => read(index + 1)));
    await api.vote({ userId: OTHER_USER, at: ago(HOUR_MS) }, { userId: OTHER_USER, at: ago(2 * HOUR_MS) });
    assert.deepEqual(Object((await read(1)).body).voters, [{ rank: 1, user_id: USER, votes: 1 }]);
    assert.equal(Object((await read(1)).body).total, 3);
    assert.equal(counts.mock.callCount(), 1);
    api.clock.advance(10 * SECOND_MS);
    assert.deepEqual(Object((await read(1)).body).voters, [{ rank: 1, user_id: OTHER_USER, votes: 2 }]);
    assert.equal(counts.mock.callCount(), 2);
  });

  test('is shared with the public page of the community', async (t) => {
    const api = await open();
    await api.grantPremium();
    await api.vote({ userId: USER, at: ago(3 * HOUR_MS) });
    const counts = t.mock.method(api.store.votes, 'topVoters');
    await api.get('/v7/guild/leaderboard');
    const page = await api.app.inject(`/guild/${api.guildId}`);
    assert.equal(page.statusCode, 200);
    assert.equal(counts.mock.callCount(), 1);
  });
});
