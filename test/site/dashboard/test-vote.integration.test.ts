import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS } from '../../../src/domain/clock.ts';
import { TEST_VOTE_MS, TEST_VOTER } from '../../../src/domain/votes/test-vote.ts';
import { type Api, assertError, onAnyDatabase } from '../../support/api.ts';
import { type Dashboard, openDashboard } from './open-dashboard.ts';

const BY_USER = `discord_id=${TEST_VOTER.userId}`;
const BY_NAME = `external_id=${TEST_VOTER.externalId}`;

async function sendTestVote({ alex, path }: Dashboard, platform = 'python') {
  const page = await alex.get(path(`/key?platform=${platform}`));
  const answer = await alex.submit(page, path('/key/test-vote'), { platform });
  assert.deepEqual([answer.status, answer.location], [303, path(`/key?platform=${platform}#test-vote`)]);
}

const claim = ({ send }: Api, query: string, headers: Record<string, string> = {}) =>
  send('POST', `/v7/guild/claims?${query}`, { headers });

async function stateIn({ alex, path }: Dashboard, language = 'en'): Promise<string> {
  const { text } = await alex.get(path('/key'), { 'accept-language': language });
  return /id="test-vote-state"[^>]*>([\s\S]*?)<\/div>/.exec(text)?.[1] ?? '';
}

onAnyDatabase('a test vote', (open) => {
  test('is claimed once, marked as a test, and the page shows it', async (t) => {
    const dashboard = await openDashboard(t, await open());
    const { alex, path, guildId, clock } = dashboard;
    assert.match(await stateIn(dashboard), /No test vote has been sent yet/);
    await sendTestVote(dashboard);
    assert.match(await stateIn(dashboard), /Waiting for the claim/);
    assert.match(await stateIn(dashboard, 'fr'), /En attente de la réclamation/);
    const { text } = await alex.get(path('/key?platform=python'));
    assert.match(text, new RegExp(`<code id="python">[^<]*/v7/guild/claims\\?${BY_USER}`));
    const at = new Date(clock()).toISOString();
    const { body } = await claim(dashboard, `${BY_NAME}&consumer=bot`);
    const { vote_id, ...vote } = body.vote as Record<string, unknown>;
    assert.match(String(vote_id), /^vote_[0-9a-f]{32}$/);
    assert.deepEqual(
      { ...body, vote },
      {
        ok: true,
        guild_id: guildId,
        consumer: 'bot',
        claimed: true,
        vote: {
          user_id: TEST_VOTER.userId,
          external_id: TEST_VOTER.externalId,
          timestamp: at,
          is_doubled: false,
          total_votes: 1,
          streak_days: 1,
          claimed_at: at,
        },
        remaining: 0,
        test: true,
      },
    );
    for (const again of [BY_NAME, BY_USER, `${BY_NAME}&consumer=bot`]) {
      const { body } = await claim(dashboard, again);
      assert.deepEqual([body.claimed, 'test' in body], [false, false], again);
    }
    assert.match(await stateIn(dashboard), /Claimed by the consumer bot on <time/);
    assert.match(await stateIn(dashboard, 'fr'), /Réclamé par le consommateur bot le <time/);
    await sendTestVote(dashboard);
    assert.match(await stateIn(dashboard), /Waiting for the claim/);
    const next = (await claim(dashboard, BY_USER)).body.vote as Record<string, unknown>;
    assert.notEqual(next.vote_id, vote_id);
  });

  test('is in the activity log, with the admin who sent it', async (t) => {
    const dashboard = await openDashboard(t, await open());
    const { alex, path, activities } = dashboard;
    await sendTestVote(dashboard);
    assert.deepEqual(await activities(), [['Alex', 'test_vote_sent']]);
    for (const [language, text] of [
      ['en', 'Sent a test vote'],
      ['fr', 'Vote de test envoyé'],
    ] as const)
      assert.ok((await alex.get(path('/activity'), { 'accept-language': language })).text.includes(text));
  });

  test('is claimed once by concurrent requests', async (t) => {
    const dashboard = await openDashboard(t, await open());
    await sendTestVote(dashboard);
    const answers = await Promise.all(
      [BY_USER, BY_NAME, BY_USER, BY_NAME, BY_USER].map((query) => claim(dashboard, query)),
    );
    assert.equal(answers.filter(({ body }) => body.claimed === true).length, 1);
  });

  test('counts nowhere', async (t) => {
    const dashboard = await openDashboard(t, await open());
    const { store, guildId, get, clock, grantPremium } = dashboard;
    await grantPremium();
    const read = async () => ({
      check: (await get(`/v7/vote-check?${BY_USER}`)).body,
      feed: (await get('/v7/guild/feed?from=2026-11-01T00:00:00Z')).body.votes,
      pending: (await get('/v7/guild/claims/pending')).body,
      claims: (await get(`/v7/guild/claims?${BY_USER}`)).body,
      recent: await store.votes.recent(guildId, null, null, 10),
      head: (await store.feed.heads([guildId])).get(guildId),
      consumers: await store.consumers.list(guildId),
    });
    const before = await read();
    assert.equal(before.check.has_voted, false);
    assert.deepEqual([before.feed, before.pending.votes, before.claims.votes], [[], [], []]);
    await store.goals.set(guildId, { period: 'party', target: 1 }, clock());
    const goal = await store.goals.progress(guildId, clock());
    await sendTestVote(dashboard);
    await claim(dashboard, `${BY_USER}&consumer=bot`);
    assert.deepEqual(await read(), before);
    assert.deepEqual(await store.goals.progress(guildId, clock()), goal);
    assert.equal((await store.milestones.find(guildId)).hasClaims, false);
  });

  test('returns the same response for the same Idempotency-Key, and rejects other parameters', async (t) => {
    const dashboard = await openDashboard(t, await open());
    await sendTestVote(dashboard);
    const key = { 'idempotency-key': 'test-1' };
    const first = await claim(dashboard, BY_USER, key);
    const again = await claim(dashboard, BY_USER, key);
    assert.equal(again.text, first.text);
    assert.equal(again.headers['idempotent-replayed'], 'true');
    assertError(await claim(dashboard, BY_NAME, key), 400, 'IDEMPOTENCY_MISMATCH');
  });

  test('expires, and real votes of the same user are claimed as always', async (t) => {
    const dashboard = await openDashboard(t, await open());
    const { clock, vote } = dashboard;
    await sendTestVote(dashboard);
    clock.advance(TEST_VOTE_MS);
    assert.match(await stateIn(dashboard), /Nobody claimed the last test vote in time/);
    assert.equal((await claim(dashboard, BY_USER)).body.claimed, false);
    await vote({ at: new Date(clock() - MINUTE_MS).toISOString() });
    const { body } = await claim(dashboard, BY_USER);
    assert.deepEqual([body.claimed, 'test' in body], [true, false]);
  });

  test('belongs to one community, requires the form token, and is limited', async (t) => {
    const dashboard = await openDashboard(t, await open());
    const { alex, path, store, otherGuildId } = dashboard;
    assert.equal((await alex.post(path('/key/test-vote'), {})).status, 403);
    assert.match(await stateIn(dashboard), /No test vote/);
    const page = await alex.get(path('/key'));
    for (let i = 0; i < 30; i += 1) await alex.submit(page, path('/key/test-vote'));
    assert.equal((await alex.submit(page, path('/key/test-vote'))).status, 429);
    assert.equal(await store.testVotes.find(otherGuildId), null);
    assert.equal(await store.testVotes.send(otherGuildId, 0), false);
  });
});
