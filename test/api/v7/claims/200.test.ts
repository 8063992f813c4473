import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Api, NOW, OTHER_USER, onEachDatabase, USER } from '../../../support/api.ts';

const CLAIMS = '/v7/guild/claims';

async function claim(api: Api, query: string, headers: Record<string, string> = {}) {
  const response = await api.send('POST', `${CLAIMS}?${query}`, { headers });
  assert.equal(response.status, 200, response.text);
  return response;
}

onEachDatabase('POST /v7/guild/claims', (open) => {
  test('claims the oldest vote first, each vote once, and returns the number of remaining votes', async () => {
    const api = await open();
    await api.vote(
      { at: '2026-11-15T09:00:00.000Z' },
      { at: '2026-11-15T11:00:00.000Z', externalId: 'Steve' },
    );
    const first = await claim(api, `discord_id=${USER}`);
    assert.deepEqual(first.body, {
      ok: true,
      guild_id: api.guildId,
      consumer: 'default',
      claimed: true,
      vote: {
        vote_id: (first.body.vote as { vote_id: string }).vote_id,
        user_id: USER,
        external_id: null,
        timestamp: '2026-11-15T09:00:00.000Z',
        is_doubled: false,
        total_votes: 1,
        streak_days: 1,
        claimed_at: NOW,
      },
      remaining: 1,
    });
    assert.match(first.text, /"vote_id":"vote_[0-9a-f]{32}"/);
    const second = await claim(api, 'external_id=Steve');
    assert.equal(second.body.remaining, 0);
    const third = await claim(api, `discord_id=${USER}`);
    assert.deepEqual(third.body, {
      ok: true,
      guild_id: api.guildId,
      consumer: 'default',
      claimed: false,
      vote: null,
      remaining: 0,
    });
  });

  test('votes outside the window cannot be claimed', async () => {
    const api = await open();
    await api.vote({ at: '2026-11-14T10:00:00.000Z' });
    assert.equal((await claim(api, `discord_id=${USER}`)).body.claimed, false);
    assert.equal((await claim(api, `discord_id=${USER}&within_hours=48`)).body.claimed, true);
  });

  test('if several users vote under one name within an hour, only the first vote can be claimed by that name', async () => {
    const api = await open();
    await api.vote(
      { at: '2026-11-15T11:00:00.000Z', externalId: 'Steve' },
      { at: '2026-11-15T11:30:00.000Z', externalId: 'Steve', userId: OTHER_USER },
    );
    assert.equal((await claim(api, 'external_id=Steve')).body.remaining, 0);
    assert.equal((await claim(api, 'external_id=Steve')).body.claimed, false);
    assert.equal((await claim(api, `discord_id=${OTHER_USER}`)).body.claimed, true);
  });

  test('a repeated Idempotency-Key returns the identical body and claims nothing more', async () => {
    const api = await open();
    await api.vote({ at: '2026-11-15T09:00:00.000Z' }, { at: '2026-11-15T11:00:00.000Z' });
    const headers = { 'idempotency-key': 'reward-1' };
    const first = await claim(api, `discord_id=${USER}`, headers);
    assert.equal(first.headers['idempotent-replayed'], undefined);
    const again = await claim(api, `discord_id=${USER}`, headers);
    assert.equal(again.text, first.text);
    assert.equal(again.headers['idempotent-replayed'], 'true');
    assert.equal(again.headers['content-type'], 'application/json; charset=utf-8');
    assert.equal((await claim(api, `discord_id=${USER}`)).body.remaining, 0);
    api.clock.advance(24 * 60 * 60 * 1000);
    assert.equal((await claim(api, `discord_id=${USER}`, headers)).body.claimed, false);
  });
});

onEachDatabase('GET and DELETE /v7/guild/claims', (open) => {
  test('the overview counts claimed and claimable votes and changes nothing', async () => {
    const api = await open();
    await api.vote({ at: '2026-11-15T08:00:00.000Z' }, { at: '2026-11-15T10:00:00.000Z' });
    await claim(api, `discord_id=${USER}`);
    for (let i = 0; i < 2; i += 1) {
      const { body } = await api.get(`${CLAIMS}?discord_id=${USER}`);
      const votes = body.votes as { timestamp: string; claimed_at: string | null }[];
      assert.deepEqual(
        [body.claimable, body.claimed, votes.map((vote) => [vote.timestamp, vote.claimed_at])],
        [
          1,
          1,
          [
            ['2026-11-15T08:00:00.000Z', NOW],
            ['2026-11-15T10:00:00.000Z', null],
          ],
        ],
      );
    }
  });

  test('a released claim can be claimed again', async () => {
    const api = await open();
    await api.vote({ at: '2026-11-15T11:00:00.000Z' });
    const { vote_id } = (await claim(api, `discord_id=${USER}`)).body.vote as { vote_id: string };
    const release = () => api.send('DELETE', `${CLAIMS}/${vote_id}`);
    assert.deepEqual((await release()).body, { ok: true, guild_id: api.guildId, released: true });
    assert.deepEqual((await release()).body, { ok: true, guild_id: api.guildId, released: false });
    assert.equal((await claim(api, `discord_id=${USER}`)).body.claimed, true);
  });

  test('a release with claimed_at does not touch the claim of another server', async () => {
    const api = await open();
    await api.vote({ at: '2026-11-15T11:00:00.000Z' });
    type Vote = { vote_id: string; claimed_at: string };
    const claimWith = async (key: string) =>
      (await claim(api, `discord_id=${USER}`, { 'idempotency-key': key })).body.vote as Vote | null;
    const release = async ({ vote_id, claimed_at }: Vote) =>
      (await api.send('DELETE', `${CLAIMS}/${vote_id}?claimed_at=${encodeURIComponent(claimed_at)}`)).body
        .released;
    const first = await claimWith('first');
    assert.ok(first);
    assert.equal(await release({ ...first, claimed_at: '2026-11-15T11:59:59.999Z' }), false);
    // Any format of a date that the API reads.
    assert.equal(await release({ ...first, claimed_at: '2026-11-15T13:00:00.000000+01:00' }), true);
    const second = await claimWith('second');
    assert.ok(second);
    assert.equal(await release(first), false);
    // The first server repeats its claim: the vote is the second one's.
    assert.equal(await claimWith('first'), null);
    assert.deepEqual(await claimWith('second'), second);
    assert.equal(await release(second), true);
  });

  test('a key is claimed anew after a release, through ListForge too', async () => {
    const api = await open();
    await api.vote({ at: '2026-11-15T11:00:00.000Z', externalId: 'Steve' });
    const set = async (key: string) => {
      const query = `object=votes&element=claim&action=post&username=steve&key=${api.key}`;
      const headers = { 'idempotency-key': key };
      return (await api.send('POST', `/compat/listforge/api/?${query}`, { headers })).text;
    };
    assert.deepEqual([await set('a'), await set('a')], ['1', '1']);
    const { body } = await api.get(`${CLAIMS}?external_id=Steve`);
    const [vote] = body.votes as { vote_id: string }[];
    await api.send('DELETE', `${CLAIMS}/${vote?.vote_id}`);
    assert.deepEqual([await set('b'), await set('a'), await set('b')], ['1', '0', '1']);
  });

  test('pending lists every unclaimed vote of the guild, page by page', async () => {
    const api = await open();
    await api.grantPremium();
    await api.vote(
      { at: '2026-11-15T08:00:00.000Z' },
      { at: '2026-11-15T09:00:00.000Z', userId: OTHER_USER },
      { at: '2026-11-15T10:00:00.000Z' },
    );
    await claim(api, `discord_id=${OTHER_USER}`);
    const times: unknown[] = [];
    let cursor = '';
    do {
      const { body } = await api.get(`${CLAIMS}/pending?limit=1&cursor=${cursor}`);
      times.push(...(body.votes as { timestamp: string }[]).map((vote) => vote.timestamp));
      cursor = (body.pagination as { next_cursor: string | null }).next_cursor ?? '';
    } while (cursor);
    assert.deepEqual(times, ['2026-11-15T08:00:00.000Z', '2026-11-15T10:00:00.000Z']);
  });
});
