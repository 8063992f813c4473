import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Votary } from '../../sdk/src/index.ts';
import { GUILD } from './support/bodies.ts';
import { KEY, startLocalService } from './support/local-service.ts';

const GOAL = {
  period: 'day',
  target: 100,
  votes: 64,
  remaining: 36,
  resets_at: '2026-11-16T00:00:00.000Z',
};

describe('goal', () => {
  it('returns the goal and its progress, and is never cached', async () => {
    const service = await startLocalService(() => ({ body: { ok: true, guild_id: GUILD, goal: GOAL } }));
    const votary = new Votary({ apiKey: KEY, baseUrl: service.url });
    const { resets_at, ...goal } = GOAL;
    for (let call = 0; call < 2; call += 1)
      assert.deepEqual(await votary.goal(), {
        guildId: GUILD,
        goal: { ...goal, resetsAt: new Date(resets_at) },
      });
    assert.deepEqual(
      service.requests.map(({ url }) => url.pathname),
      ['/v7/guild/goal', '/v7/guild/goal'],
    );
  });

  it('is null for a community without one, and has no end for a vote party', async () => {
    const party = { ...GOAL, period: 'party', resets_at: null };
    const goals = [null, party];
    const service = await startLocalService(() => ({
      body: { ok: true, guild_id: GUILD, goal: goals.shift() },
    }));
    const votary = new Votary({ apiKey: KEY, baseUrl: service.url });
    assert.deepEqual(await votary.goal(), { guildId: GUILD, goal: null });
    assert.equal((await votary.goal()).goal?.resetsAt, null);
  });
});
