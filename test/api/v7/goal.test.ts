import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '../../../src/domain/clock.ts';
import { ago, assertError, OTHER_USER, onAnyDatabase, USER } from '../../support/api.ts';

onAnyDatabase('GET /v7/guild/goal', (open) => {
  test('is null for a community without a goal', async () => {
    const api = await open();
    assert.deepEqual((await api.get('/v7/guild/goal')).body, { ok: true, guild_id: api.guildId, goal: null });
  });

  test('contains the votes of the period, what remains, and when it ends', async () => {
    const api = await open();
    await api.vote(
      { userId: USER, at: ago(HOUR_MS), isDoubled: true },
      { userId: OTHER_USER, at: ago(HOUR_MS) },
    );
    const goal = async (period: 'day' | 'week' | 'month', target: number) => {
      await api.store.goals.set(api.guildId, { period, target }, api.clock());
      return Object((await api.get('/v7/guild/goal')).body).goal;
    };
    const counted = { votes: 2, remaining: 1 };
    assert.deepEqual(await goal('day', 3), {
      ...{ period: 'day', target: 3, ...counted, resets_at: '2026-11-16T00:00:00.000Z' },
    });
    assert.deepEqual(await goal('week', 3), {
      ...{ period: 'week', target: 3, ...counted, resets_at: '2026-11-16T00:00:00.000Z' },
    });
    assert.deepEqual(await goal('month', 1), {
      ...{ period: 'month', target: 1, votes: 2, remaining: 0, resets_at: '2026-12-01T00:00:00.000Z' },
    });
  });

  test('of a vote party has no end', async () => {
    const api = await open();
    await api.store.goals.set(api.guildId, { period: 'party', target: 5 }, api.clock());
    const { body } = await api.get('/v7/guild/goal');
    assert.deepEqual(Object(body).goal, {
      ...{ period: 'party', target: 5, votes: 0, remaining: 5, resets_at: null },
    });
  });

  test('requires a key, and counts as a request', async () => {
    const api = await open();
    assertError(await api.get('/v7/guild/goal', { key: null }), 401, 'API_NOT_SET');
    const { headers } = await api.get('/v7/guild/goal');
    assert.match(String(headers.ratelimit), /"default";r=29/);
  });
});
