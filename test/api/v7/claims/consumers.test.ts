import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Api, onAnyDatabase, USER } from '../../../support/api.ts';

const CLAIMS = '/v7/guild/claims';

type Vote = {
  vote_id: string;
  claimed_at: string;
  timestamp: string;
  total_votes: number;
  streak_days: number;
};

async function claim(api: Api, query: string, headers: Record<string, string> = {}) {
  const { status, body, text } = await api.send('POST', `${CLAIMS}?${query}`, { headers });
  assert.equal(status, 200, text);
  return body as { consumer: string; claimed: boolean; vote: Vote | null; remaining: number };
}

onAnyDatabase('claims of consumers', (open) => {
  test('each consumer claims a vote once, and every claims endpoint tells them apart', async () => {
    const api = await open();
    await api.grantPremium();
    await api.vote({ at: '2026-11-15T11:00:00.000Z', externalId: 'Steve' });
    for (const consumer of ['default', 'bot', 'survival-2']) {
      const query = `external_id=Steve&consumer=${consumer}`;
      const first = await claim(api, query);
      assert.deepEqual([first.consumer, first.claimed], [consumer, true]);
      assert.equal((await claim(api, query)).claimed, false);
      const { body } = await api.get(`${CLAIMS}?${query}`);
      assert.deepEqual([body.consumer, body.claimable, body.claimed], [consumer, 0, 1]);
      const pending = await api.get(`${CLAIMS}/pending?consumer=${consumer}`);
      assert.deepEqual(pending.body.votes, []);
      const counts = await api.get(`/v7/guild/claimable?${query}`);
      assert.deepEqual(counts.body.results, [{ external_id: 'Steve', claimable: 0 }]);
    }
    const { vote } = await claim(api, `discord_id=${USER}&consumer=last`);
    const release = (query: string) => api.send('DELETE', `${CLAIMS}/${vote?.vote_id}?${query}`);
    assert.equal((await release('consumer=nobody')).body.released, false);
    assert.equal((await release(`consumer=last&claimed_at=${vote?.claimed_at}`)).body.released, true);
    assert.equal((await claim(api, `discord_id=${USER}&consumer=last`)).claimed, true);
    assert.equal((await claim(api, `discord_id=${USER}`)).claimed, false);
  });

  test('an Idempotency-Key belongs to its consumer', async () => {
    const api = await open();
    await api.vote({ at: '2026-11-15T11:00:00.000Z' });
    const headers = { 'idempotency-key': 'reward-1' };
    const first = await claim(api, `discord_id=${USER}&consumer=bot`, headers);
    assert.deepEqual(await claim(api, `discord_id=${USER}&consumer=bot`, headers), first);
    const other = await api.send('POST', `${CLAIMS}?discord_id=${USER}`, { headers });
    assert.deepEqual([other.status, other.body.error], [400, 'IDEMPOTENCY_MISMATCH']);
  });

  test('a page of pending votes continues for its consumer', async () => {
    const api = await open();
    await api.grantPremium();
    await api.vote({ at: '2026-11-15T09:00:00.000Z' }, { at: '2026-11-15T11:00:00.000Z' });
    await claim(api, `discord_id=${USER}`);
    const first = await api.get(`${CLAIMS}/pending?consumer=bot&limit=1`);
    const cursor = (first.body.pagination as { next_cursor: string }).next_cursor;
    const second = await api.get(`${CLAIMS}/pending?cursor=${cursor}&limit=1`);
    const votes = [first, second].flatMap(({ body }) => body.votes as Vote[]);
    assert.deepEqual(
      votes.map((vote) => [vote.timestamp, vote.total_votes, vote.streak_days]),
      [
        ['2026-11-15T09:00:00.000Z', 1, 1],
        ['2026-11-15T11:00:00.000Z', 2, 1],
      ],
    );
    const other = await api.get(`${CLAIMS}/pending?cursor=${cursor}&consumer=default`);
    assert.deepEqual([other.status, other.body.error], [400, 'INVALID_CURSOR']);
  });

  test('a name of a consumer is 1 to 32 lower-case letters, digits and hyphens', async () => {
    const api = await open();
    await api.grantPremium();
    const id = `vote_${'0'.repeat(32)}`;
    for (const consumer of ['Bot', 'a_b', 'é', 'a b', 'x'.repeat(33)])
      for (const [method, path] of [
        ['POST', `${CLAIMS}?discord_id=${USER}`],
        ['GET', `${CLAIMS}?discord_id=${USER}`],
        ['GET', `/v7/guild/claimable?discord_id=${USER}`],
        ['GET', `${CLAIMS}/pending?limit=1`],
        ['DELETE', `${CLAIMS}/${id}?locale=en`],
      ] as const) {
        const { status, body } = await api.send(method, `${path}&consumer=${encodeURIComponent(consumer)}`);
        const errors = body.errors as { rule: string; field: string }[];
        const faults = errors?.map(({ rule, field }) => [rule, field]);
        assert.deepEqual([status, faults], [400, [['regex', 'consumer']]], `${method} ${path} ${consumer}`);
      }
  });

  test('an eleventh consumer is refused in both languages, and the others keep working', async () => {
    const api = await open();
    for (let i = 0; i < 10; i += 1) await claim(api, `discord_id=${USER}&consumer=server-${i}`);
    const query = `${CLAIMS}?discord_id=${USER}&consumer=server-10`;
    const texts = [];
    for (const locale of ['en', 'fr']) {
      const { status, body } = await api.send('POST', `${query}&locale=${locale}`);
      assert.deepEqual([status, body.ok, body.error], [400, false, 'TOO_MANY_CONSUMERS']);
      texts.push(body.message);
    }
    assert.notEqual(texts[0], texts[1]);
    await claim(api, `discord_id=${USER}&consumer=server-9`);
    await claim(api, `discord_id=${USER}`);
    // Reading adds none.
    assert.equal((await api.get(query)).status, 200);
  });
});

onAnyDatabase('totals of votes', (open) => {
  test('votes in the feed and in claims have the totals of their voter at that time', async () => {
    const api = await open();
    for (const at of ['13T11:00', '14T11:00', '15T09:00', '15T11:00'])
      await api.store.votes.cast({
        ...{ guildId: api.guildId, userId: USER, externalId: null, isDoubled: false },
        castAt: Date.parse(`2026-11-${at}:00.000Z`),
      });
    const totals = (votes: unknown) =>
      (votes as Vote[]).map((vote) => [vote.timestamp.slice(8, 13), vote.total_votes, vote.streak_days]);
    const expected = [
      ['13T11', 1, 1],
      ['14T11', 2, 2],
      ['15T09', 3, 3],
      ['15T11', 4, 3],
    ];
    const overview = await api.get(`${CLAIMS}?discord_id=${USER}&within_hours=72`);
    assert.deepEqual(totals(overview.body.votes), expected);
    const { vote } = await claim(api, `discord_id=${USER}`);
    assert.deepEqual(totals([vote]), expected.slice(2, 3));
    const feed = await api.get('/v7/guild/feed?from=2026-11-13');
    assert.deepEqual(totals(feed.body.votes), expected);
  });
});
