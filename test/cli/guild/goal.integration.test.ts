import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openStore } from '../../../src/store/open.ts';
import { assertBadUsage, assertFailed, GUILD, makeHome, makeHomeWithGuild } from '../votary.ts';

describe('guild goal', () => {
  it('sets, shows and removes a goal', async () => {
    const home = await makeHomeWithGuild();
    const goal = async (...options: string[]) => Object(await home.json('guild', 'goal', GUILD, ...options));
    assert.deepEqual(await goal(), { guild_id: GUILD, goal: null });
    const set = await goal('--every', 'party', '--votes', '50');
    const party = { period: 'party', target: 50, votes: 0, remaining: 50, resets_at: null };
    assert.deepEqual(set, { guild_id: GUILD, goal: party });
    assert.deepEqual(await goal(), set);
    for (const every of ['day', 'week', 'month']) {
      const { goal: timed } = await goal('--every', every, '--votes', '100');
      assert.deepEqual([timed.period, timed.target, timed.remaining], [every, 100, 100]);
      assert.match(timed.resets_at, /T00:00:00\.000Z$/);
    }
    assert.match(
      (await home.votary('guild', 'goal', GUILD)).stdout,
      /a goal of 100 votes per month; 0 votes so far/,
    );
    assert.deepEqual(await goal('--off'), { guild_id: GUILD, goal: null });
    assert.match((await home.votary('guild', 'goal', GUILD)).stdout, /has no goal/);
  });

  it('is in the log of the community and in that of operators, once per change', async () => {
    const home = await makeHomeWithGuild();
    for (let time = 0; time < 2; time += 1)
      await home.votary('guild', 'goal', GUILD, '--every', 'day', '--votes', '100');
    const store = await openStore({ kind: 'sqlite', path: join(home.dataDir, 'votary.db') });
    const logged = (await store.audit.recent(null, 10)).filter(({ action }) => action === 'goal_changed');
    assert.deepEqual(
      logged.map(({ detail }) => detail.goal),
      [{ period: 'day', target: 100 }],
    );
    const [activity] = await store.activities.recent(GUILD, 10);
    assert.deepEqual(activity?.detail, { goal: { from: null, to: { period: 'day', target: 100 } } });
    await store.close();
  });

  it('rejects incomplete and impossible goals, and unknown guilds', async () => {
    const home = await makeHomeWithGuild();
    const goal = (...options: string[]) => home.votary('guild', 'goal', GUILD, ...options);
    assertBadUsage(await goal('--every', 'day'), /--every and --votes together/);
    assertBadUsage(await goal('--votes', '5'), /--every and --votes together/);
    assertBadUsage(await goal('--off', '--every', 'day', '--votes', '5'), /--off alone/);
    assertBadUsage(await goal('--every', 'year', '--votes', '5'), /day, week, month, party/);
    for (const votes of ['0', '1.5', 'many', '1000000001'])
      assertBadUsage(await goal('--every', 'day', '--votes', votes), /1 to 1000000000/);
    const empty = await makeHome();
    for (const options of [[], ['--off'], ['--every', 'day', '--votes', '5']])
      assertFailed(await empty.votary('guild', 'goal', GUILD, ...options), /is not listed/);
  });
});
