import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '../../../../src/domain/clock.ts';
import { ago, NOW, OTHER_USER, onAnyDatabase, USER } from '../../../support/api.ts';

onAnyDatabase('GET /v7/guild/votes/users/{user_id} answers 200', (open) => {
  test('the list contains only the votes of this user, and the user id', async () => {
    const api = await open();
    await api.grantPremium();
    await api.vote(
      { at: ago(2 * HOUR_MS) },
      { at: ago(HOUR_MS), isDoubled: true },
      { userId: OTHER_USER, at: ago(HOUR_MS) },
    );
    const { status, body } = await api.get(`/v7/guild/votes/users/${USER}`);
    assert.equal(status, 200);
    assert.deepEqual(body, {
      ok: true,
      guild_id: api.guildId,
      user_id: USER,
      votes: [
        { user_id: USER, timestamp: ago(2 * HOUR_MS), is_doubled: false },
        { user_id: USER, timestamp: ago(HOUR_MS), is_doubled: true },
      ],
      total: 2,
      pagination: { limit: 100, has_more: false, next_cursor: null },
      period: { from: '2026-11-01T00:00:00.000Z', to: NOW },
    });
  });

  test('a user who never voted has an empty list', async () => {
    const api = await open();
    await api.grantPremium();
    const { status, body } = await api.get(`/v7/guild/votes/users/${'9'.repeat(20)}`);
    assert.deepEqual([status, body.votes, body.total], [200, [], 0]);
  });

  test('walking the pages of one user returns each vote once', async () => {
    const api = await open();
    await api.grantPremium();
    const hours = [1, 2, 3, 4, 5, 6, 7];
    await api.vote(
      ...hours.flatMap((hour) => [
        { at: ago(hour * HOUR_MS) },
        { userId: OTHER_USER, at: ago(hour * HOUR_MS) },
      ]),
    );
    const seen: unknown[] = [];
    let query = '?limit=3';
    while (query) {
      const { body } = await api.get(`/v7/guild/votes/users/${USER}${query}`);
      assert.equal(body.total, 7);
      seen.push(...Object(body.votes).map((vote: { timestamp: string }) => vote.timestamp));
      const { next_cursor: next } = Object(body.pagination);
      query = next ? `?limit=3&cursor=${encodeURIComponent(next)}` : '';
    }
    assert.deepEqual(seen, hours.map((hour) => ago(hour * HOUR_MS)).reverse());
  });
});
