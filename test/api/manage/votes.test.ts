import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../src/domain/clock.ts';
import { assertInvalid, NOW, onAnyDatabase, USER } from '../../support/api.ts';
import { loggedBy, openManage, unusedId } from './support.ts';

const NEXT = '2026-11-15T13:00:00.000Z';

onAnyDatabase('votes in the management API', (open) => {
  test('a vote is cast once per hour, and is like one of the voting page', async () => {
    const manage = await openManage(await open());
    const { api } = manage;
    const { guildId } = api;
    const vote = { guild_id: guildId, user_id: USER, external_id: 'Steve_42', network: '198.51.100.7' };
    const { status, body } = await manage.post('/votes', vote);
    assert.equal(status, 201);
    const { vote_id } = Object(body).vote;
    assert.match(vote_id, /^vote_[0-9a-f]{32}$/);
    assert.deepEqual(body, {
      ok: true,
      vote: {
        vote_id,
        guild_id: guildId,
        user_id: USER,
        external_id: 'Steve_42',
        timestamp: NOW,
        is_doubled: false,
      },
      next_vote_at: NEXT,
    });
    const again = await manage.post('/votes', vote);
    assert.deepEqual([again.status, again.body.error, again.body.next_vote_at], [409, 'ALREADY_VOTED', NEXT]);
    assert.equal((await api.get('/v7/vote-check?external_id=Steve_42')).body.has_voted, true);
    const feed = await api.get('/v7/guild/feed?from=2026-11-15');
    assert.deepEqual(
      Object(feed.body).votes.map((found: { vote_id: string }) => found.vote_id),
      [vote_id],
    );
    const claim = await api.send('POST', '/v7/guild/claims?external_id=Steve_42');
    assert.equal(Object(claim.body).vote.vote_id, vote_id);
    api.clock.set(NEXT);
    assert.equal((await manage.post('/votes', { guild_id: guildId, user_id: USER })).status, 201);
  });

  test('votes are refused during maintenance, with the message of the operator; claims are not', async () => {
    const manage = await openManage(await open());
    const { api } = manage;
    await api.vote({ userId: unusedId(), at: NOW, externalId: 'Steve_42' });
    await api.store.maintenance.begin({ since: api.clock(), message: 'Back at 18:00' });
    api.clock.advance(1000);
    const vote = { guild_id: api.guildId, user_id: USER };
    const refused = await manage.post('/votes', vote);
    assert.equal(refused.status, 503);
    assert.equal(refused.headers['retry-after'], '300');
    assert.deepEqual(refused.body, {
      ok: false,
      error: 'MAINTENANCE',
      message: 'Back at 18:00',
      retry_after: 300,
    });
    const claim = await api.send('POST', '/v7/guild/claims?external_id=Steve_42');
    assert.equal(claim.body.claimed, true);
    assert.equal((await api.get(`/v7/vote-check?discord_id=${USER}`)).body.has_voted, false);
    await api.store.maintenance.end();
    api.clock.advance(1000);
    assert.equal((await manage.post('/votes', vote)).status, 201);
  });

  test('1,000 concurrent votes of one person are one vote', async () => {
    const manage = await openManage(await open());
    const { guildId, store } = manage.api;
    const tokens = [manage, await openManage(manage.api)];
    const statuses = await Promise.all(
      Array.from({ length: 1000 }, async (_, i) => {
        const { status } = await (tokens[i % 2] ?? manage).post('/votes', {
          guild_id: guildId,
          user_id: USER,
        });
        return status;
      }),
    );
    const count = (wanted: number) => statuses.filter((status) => status === wanted).length;
    assert.deepEqual([count(201), count(409)], [1, 999]);
    const votes = await store.votes.recent(guildId, null, null, 10);
    assert.equal(votes.length, 1);
  });

  test('who cannot vote gets the reason', async () => {
    const manage = await openManage(await open());
    const { guildId, clock, store } = manage.api;
    const cast = async (userId: string) => {
      const { status, body } = await manage.post('/votes', { guild_id: guildId, user_id: userId });
      return [status, body.error, body.reason];
    };
    await store.moderation.ban({
      userId: '200000000000000021',
      since: 0,
      until: null,
      reason: null,
      publicReason: null,
    });
    assert.deepEqual(await cast('200000000000000021'), [403, 'NOT_ELIGIBLE', 'banned']);
    const young = String(BigInt(clock() - DAY_MS - 1_420_070_400_000) << 22n);
    assert.deepEqual(await cast(young), [403, 'NOT_ELIGIBLE', 'account_too_young']);
    await store.guilds.setSanction(guildId, { since: clock(), reason: null });
    assert.deepEqual(await cast(USER), [403, 'NOT_ELIGIBLE', 'sanctioned']);
    await store.guilds.setSanction(guildId, null);
    const missing = await manage.post('/votes', { guild_id: unusedId(), user_id: USER });
    assert.deepEqual([missing.status, missing.body.error], [404, 'GUILD_NOT_FOUND']);
  });

  test('a network is refused above the second limit, without a challenge before it', async () => {
    const manage = await openManage(await open());
    const { guildId } = manage.api;
    const cast = (n: number, network?: string | null) =>
      manage.post('/votes', { guild_id: guildId, user_id: String(210000000000000000n + BigInt(n)), network });
    const network = '203.0.113.99';
    for (let n = 0; n < 60; n += 1) assert.equal((await cast(n, network)).status, 201);
    const refused = await cast(60, network);
    assert.deepEqual([refused.status, refused.body.reason], [403, 'network']);
    assert.equal((await cast(60, null)).status, 201);
  });

  test('the rules of the community about links and membership do not apply: the site vouches', async () => {
    const manage = await openManage(await open());
    const { guildId, store } = manage.api;
    const rules = await store.integrity.rules(guildId);
    await store.integrity.setRules(guildId, { ...rules, membersOnly: true, signedLinksOnly: true });
    assert.equal((await manage.post('/votes', { guild_id: guildId, user_id: USER })).status, 201);
  });

  test('external ids are compared exactly, and must be printable', async () => {
    const manage = await openManage(await open());
    const { guildId } = manage.api;
    const cast = (external_id: unknown) =>
      manage.post('/votes', { guild_id: guildId, user_id: USER, external_id });
    for (const [name, rule] of [
      ['x'.repeat(192), 'maxLength'],
      ['a\tb', 'regex'],
      ['a\u0000', 'regex'],
      ['\udc00', 'regex'],
      [5, 'string'],
    ] as const)
      assertInvalid(await cast(name), [{ field: 'external_id', rule }]);
    const { body } = await cast(' Ünïcode 🎮 ');
    assert.equal(Object(body).vote.external_id, ' Ünïcode 🎮 ');
  });

  test('the log has one entry per token and day, before the first vote', async () => {
    const manage = await openManage(await open());
    const { guildId, clock } = manage.api;
    const cast = (userId: string) => manage.post('/votes', { guild_id: guildId, user_id: userId });
    await Promise.all(['200000000000000031', '200000000000000032', '200000000000000033'].map(cast));
    assert.deepEqual(await loggedBy(manage), ['votes_cast']);
    clock.advance(DAY_MS);
    await cast('200000000000000031');
    assert.deepEqual(await loggedBy(manage), ['votes_cast', 'votes_cast']);
  });
});
