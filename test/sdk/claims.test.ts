import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type HeldClaim, Votary } from '../../sdk/src/index.ts';
import { GUILD, NOT_VOTED, rateLimited, USER, VOTED } from './support/bodies.ts';
import { KEY, type Reply, type SeenRequest, startLocalService } from './support/local-service.ts';
import { testRuntime } from './support/test-runtime.ts';

const VOTE_ID = 'vote_0123456789abcdef0123456789abcdef';
const ENTRY = {
  vote_id: VOTE_ID,
  user_id: USER,
  external_id: 'Steve_42',
  timestamp: '2026-11-15T11:30:00.000Z',
  is_doubled: true,
  total_votes: 12,
  streak_days: 3,
};
const VOTE = {
  voteId: VOTE_ID,
  userId: USER,
  externalId: 'Steve_42',
  timestamp: new Date('2026-11-15T11:30:00.000Z'),
  isDoubled: true,
  totalVotes: 12,
  streakDays: 3,
};
const CLAIMED_AT = '2026-11-15T12:00:00.000Z';
const CLAIMED = {
  ok: true,
  guild_id: GUILD,
  consumer: 'bot',
  claimed: true,
  vote: { ...ENTRY, claimed_at: CLAIMED_AT },
  remaining: 2,
};
const NOTHING = { ok: true, guild_id: GUILD, claimed: false, vote: null, remaining: 0 };

async function start(reply: (request: SeenRequest, count: number) => Reply) {
  const service = await startLocalService(reply);
  const runtime = testRuntime();
  return { service, runtime, votary: new Votary({ apiKey: KEY, baseUrl: service.url }, runtime) };
}

const sent = ({ method, url }: SeenRequest) => `${method} ${url.pathname}${url.search}`;
const keyOf = (request: SeenRequest | undefined) => request?.headers['idempotency-key'];

describe('claim', () => {
  it('says that a vote is a test, and says nothing about other votes', async () => {
    const { votary } = await start((_request, count) => ({
      body: count === 1 ? { ...CLAIMED, test: true } : CLAIMED,
    }));
    const test = await votary.claim({ discordId: USER });
    assert.ok(test.claimed && test.test);
    assert.equal('test' in (await votary.claim({ discordId: USER })), false);
  });

  it('returns the claimed vote in camelCase, with dates as Date', async () => {
    const { service, votary } = await start(() => ({ body: CLAIMED }));
    const options = { withinHours: 168, consumer: 'bot' };
    assert.deepEqual(await votary.claim({ externalId: 'Steve 42' }, options), {
      guildId: GUILD,
      consumer: 'bot',
      claimed: true,
      vote: { ...VOTE, claimedAt: new Date(CLAIMED_AT) },
      remaining: 2,
      replayed: false,
    });
    assert.deepEqual(service.requests.map(sent), [
      'POST /v7/guild/claims?external_id=Steve+42&within_hours=168&consumer=bot',
    ]);
  });

  it('reads the response of a service that knows neither consumers nor totals', async () => {
    const { total_votes: _, streak_days: __, ...entry } = ENTRY;
    const { consumer: ___, ...old } = CLAIMED;
    const { votary } = await start(() => ({
      body: { ...old, vote: { ...entry, claimed_at: CLAIMED_AT } },
    }));
    const { consumer, vote } = await votary.claim({ discordId: USER });
    assert.deepEqual([consumer, vote?.totalVotes, vote?.streakDays], ['default', 0, 0]);
  });

  it('reports that there is nothing to claim', async () => {
    const { votary } = await start(() => ({ body: NOTHING }));
    const { claimed, vote } = await votary.claim({ discordId: USER });
    assert.deepEqual([claimed, vote], [false, null]);
  });

  it('is never cached or shared: each call is a request with its own key', async () => {
    const { service, votary } = await start(() => ({ body: CLAIMED }));
    await Promise.all([votary.claim({ discordId: USER }), votary.claim({ discordId: USER })]);
    assert.equal(new Set(service.requests.map(keyOf)).size, 2);
  });

  it('sends the same key when it retries, so that a lost response claims no second vote', async () => {
    const { service, runtime, votary } = await start((_request, count) =>
      count === 1 ? 'cut' : { body: CLAIMED },
    );
    const claim = votary.claim({ discordId: USER });
    await runtime.passAfterSleep(1000);
    assert.equal((await claim).claimed, true);
    assert.match(String(keyOf(service.requests[0])), /^[0-9a-f-]{36}$/);
    assert.equal(keyOf(service.requests[0]), keyOf(service.requests[1]));
  });

  it('sends the given key, and says if the response is a replay', async () => {
    const { service, votary } = await start(() => ({
      body: CLAIMED,
      headers: { 'idempotent-replayed': 'true' },
    }));
    const { replayed } = await votary.claim({ discordId: USER }, { idempotencyKey: 'order-1' });
    assert.deepEqual([replayed, keyOf(service.requests[0])], [true, 'order-1']);
  });

  for (const idempotencyKey of ['', 'two words', 'clé', 'x'.repeat(256)]) {
    it(`rejects the key ${JSON.stringify(idempotencyKey.slice(0, 10))} without a request`, async () => {
      const { service, votary } = await start(() => ({ body: CLAIMED }));
      const claim = votary.claim({ discordId: USER }, { idempotencyKey });
      await assert.rejects(claim, { code: 'INVALID_ARGUMENT' });
      assert.equal(service.requests.length, 0);
    });
  }
});

describe('claims', () => {
  it('returns claimed and claimable votes, and is never cached', async () => {
    const votes = [
      { ...ENTRY, claimed_at: CLAIMED_AT },
      { ...ENTRY, external_id: null, claimed_at: null },
    ];
    const { service, votary } = await start(() => ({
      body: { ok: true, guild_id: GUILD, claimable: 1, claimed: 1, votes },
    }));
    await votary.claims({ discordId: USER });
    assert.deepEqual(await votary.claims({ discordId: USER }), {
      guildId: GUILD,
      consumer: 'default',
      claimable: 1,
      claimed: 1,
      votes: [
        { ...VOTE, claimedAt: new Date(CLAIMED_AT) },
        { ...VOTE, externalId: null, claimedAt: null },
      ],
    });
    assert.equal(service.requests.length, 2);
  });
});

describe('release', () => {
  it('deletes the claim and says whether there was one', async () => {
    const { service, votary } = await start((_request, count) => ({
      body: { ok: true, guild_id: GUILD, released: count === 1 },
    }));
    assert.deepEqual([await votary.release(VOTE_ID), await votary.release(VOTE_ID)], [true, false]);
    assert.equal(service.requests.map(sent)[0], `DELETE /v7/guild/claims/${VOTE_ID}`);
  });

  it('waits for the rate limit', async () => {
    const { runtime, votary } = await start((_request, count) =>
      count === 1 ? rateLimited(2) : { body: { ok: true, guild_id: GUILD, released: true } },
    );
    const released = votary.release(VOTE_ID);
    await runtime.passAfterSleep(2000);
    assert.equal(await released, true);
  });

  it('releases only the given claim, and retries after a lost response', async () => {
    const { service, runtime, votary } = await start((_request, count) =>
      count === 1 ? 'cut' : { body: { ok: true, guild_id: GUILD, released: count === 2 } },
    );
    const released = votary.release({ ...VOTE, claimedAt: new Date(CLAIMED_AT) });
    await runtime.passAfterSleep(1000);
    assert.equal(await released, true);
    assert.equal(await votary.release(VOTE_ID, { claimedAt: CLAIMED_AT }), false);
    const expected = `DELETE /v7/guild/claims/${VOTE_ID}?claimed_at=2026-11-15T12%3A00%3A00.000Z`;
    assert.deepEqual(service.requests.map(sent), [expected, expected, expected]);
  });

  it('rejects a vote that is not claimed, and a time that is no date, without a request', async () => {
    const { service, votary } = await start(() => ({ body: {} }));
    const unclaimed: Partial<HeldClaim> = { voteId: VOTE_ID };
    // @ts-expect-error The vote has no claimedAt.
    await assert.rejects(votary.release(unclaimed), { code: 'INVALID_ARGUMENT' });
    await assert.rejects(votary.release(VOTE_ID, { claimedAt: 'now' }), { code: 'INVALID_DATE' });
    assert.equal(service.requests.length, 0);
  });

  it('is not retried after a lost response without claimedAt, because the vote may have been claimed again', async () => {
    const { service, votary } = await start(() => 'cut');
    await assert.rejects(votary.release(VOTE_ID), { code: 'NETWORK_ERROR' });
    assert.equal(service.requests.length, 1);
  });

  for (const voteId of ['', '..', '../votes', 'a/b', 'a?b']) {
    it(`rejects the id ${JSON.stringify(voteId)} without a request`, async () => {
      const { service, votary } = await start(() => ({ body: {} }));
      await assert.rejects(votary.release(voteId), { code: 'INVALID_VOTE_ID' });
      assert.equal(service.requests.length, 0);
    });
  }
});

describe('pendingClaims', () => {
  it('iterates over all pages', async () => {
    const page = (next: string | null) => ({
      body: {
        ok: true,
        guild_id: GUILD,
        votes: [{ ...ENTRY, claimed_at: null }],
        pagination: { limit: 1, has_more: next !== null, next_cursor: next },
      },
    });
    const { service, votary } = await start((_request, count) => page(count === 1 ? 'next' : null));
    const found = await Array.fromAsync(votary.pendingClaims({ withinHours: 48, pageSize: 1 }));
    assert.deepEqual(found, [
      { ...VOTE, claimedAt: null },
      { ...VOTE, claimedAt: null },
    ]);
    assert.deepEqual(service.requests.map(sent), [
      'GET /v7/guild/claims/pending?within_hours=48&limit=1',
      'GET /v7/guild/claims/pending?within_hours=48&limit=1&cursor=next',
    ]);
  });
});

describe('claimable', () => {
  it('counts the claimable votes of many users, one request per 50, never cached', async () => {
    const { service, votary } = await start(({ url }) => {
      const ids = url.searchParams.getAll('external_id');
      const results = ids.map((external_id, i) => ({ external_id, claimable: i % 3 }));
      return { body: { ok: true, guild_id: GUILD, results } };
    });
    const externalIds = Array.from({ length: 60 }, (_, i) => `Player ${i}`);
    const counts = await votary.claimable({ externalIds }, { withinHours: 168 });
    assert.deepEqual(counts[50], { externalId: 'Player 50', claimable: 0 });
    assert.deepEqual(counts[59], { externalId: 'Player 59', claimable: 0 });
    assert.deepEqual(counts[1], { externalId: 'Player 1', claimable: 1 });
    assert.equal(counts.length, 60);
    await votary.claimable({ externalIds }, { withinHours: 168 });
    assert.equal(service.requests.length, 4);
    assert.equal(service.requests[0]?.url.searchParams.get('within_hours'), '168');
  });

  it('sends no request for an empty list', async () => {
    const { service, votary } = await start(() => 'cut');
    assert.deepEqual(await votary.claimable({ discordIds: [] }), []);
    assert.equal(service.requests.length, 0);
  });
});

describe('checkVotes', () => {
  const { ok, guild_id, ...voted } = VOTED;
  const { ok: _, guild_id: __, ...notVoted } = NOT_VOTED;

  it('checks many users with one request, in the given order', async () => {
    const results = [
      { external_id: 'Steve', ...voted },
      { external_id: 'Élodie & Co', ...notVoted },
    ];
    const { service, votary } = await start(() => ({ body: { ok, guild_id, results } }));
    const checks = await votary.checkVotes({ externalIds: ['Steve', 'Élodie & Co'] });
    assert.deepEqual(
      checks.map(({ externalId, hasVoted, guildId }) => [externalId, hasVoted, guildId]),
      [
        ['Steve', true, GUILD],
        ['Élodie & Co', false, GUILD],
      ],
    );
    assert.deepEqual(service.requests[0]?.url.searchParams.getAll('external_id'), ['Steve', 'Élodie & Co']);
  });

  it('splits more than 50 users into several requests', async () => {
    const { service, votary } = await start(({ url }) => {
      const ids = url.searchParams.getAll('discord_id');
      return { body: { ok, guild_id, results: ids.map((discord_id) => ({ discord_id, ...voted })) } };
    });
    const discordIds = Array.from({ length: 120 }, (_, i) => `2000000000000001${String(i).padStart(2, '0')}`);
    const checks = await votary.checkVotes({ discordIds });
    assert.deepEqual(
      checks.map(({ discordId }) => discordId),
      discordIds,
    );
    assert.equal(service.requests.length, 3);
  });

  it('sends no request for an empty list', async () => {
    const { service, votary } = await start(() => 'cut');
    assert.deepEqual(await votary.checkVotes({ discordIds: [] }), []);
    assert.equal(service.requests.length, 0);
  });
});
