import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../../../support/api.ts';
import { openDashboard } from '../open-dashboard.ts';

onSqlite('the goal of a community', (open) => {
  test('is saved, shown, recorded and removed', async (t) => {
    const { alex, path, store, guildId, activities } = await openDashboard(t, await open());
    const page = await alex.get(path('/settings'));
    assert.match(page.text, /<option value="none" selected>No goal</);
    const save = (form: Record<string, string>) => alex.submit(page, path('/settings/goal'), form);
    const answer = await save({ goal_period: 'day', goal_votes: '250' });
    assert.deepEqual([answer.status, answer.location], [303, path('/settings?done=saved')]);
    assert.deepEqual(await store.goals.find(guildId), { period: 'day', target: 250 });
    const { text } = await alex.get(path('/settings'));
    assert.match(text, /<option value="day" selected>/);
    assert.match(text, /name="goal_votes" min="1" max="1000000000" value="250"/);
    assert.match(text, /<progress max="250" value="0"/);
    assert.match(text, /badge\.svg\?locale=en&#38;show=goal/);
    await save({ goal_period: 'day', goal_votes: '250' });
    assert.deepEqual(await activities(), [['Alex', 'goal_changed']]);
    await save({ goal_period: 'party', goal_votes: '1000' });
    await save({ goal_period: 'none', goal_votes: '' });
    assert.equal(await store.goals.find(guildId), null);
    const log = (await alex.get(path('/activity'))).text;
    for (const change of [
      /no goal → 250 per day/,
      /250 per day → vote party every 1,000/,
      /vote party every 1,000 → no goal/,
    ])
      assert.match(log, change);
  });

  test('is rejected without a number of votes, or with another period', async (t) => {
    const { alex, path, store, guildId } = await openDashboard(t, await open());
    const page = await alex.get(path('/settings'));
    for (const form of [
      { goal_period: 'day', goal_votes: '0' },
      { goal_period: 'day', goal_votes: '' },
      { goal_period: 'day', goal_votes: '1e3' },
      { goal_period: 'day', goal_votes: '1000000001' },
      { goal_period: 'day' },
      { goal_period: 'year', goal_votes: '5' },
      { goal_votes: '5' },
    ])
      assert.equal((await alex.submit(page, path('/settings/goal'), form)).status, 400);
    assert.equal(await store.goals.find(guildId), null);
  });
});
