import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOW, onSqlite } from '../../../support/api.ts';
import { openDashboard } from '../open-dashboard.ts';

const NOW_MS = Date.parse(NOW);
const ROLE = '500000000000000001';

onSqlite('the voter role of a community', (open) => {
  test('is saved, shown, recorded and turned off', async (t) => {
    const { alex, path, store, guildId, activities } = await openDashboard(t, await open());
    const page = await alex.get(path('/settings'));
    assert.match(page.text, /<option value="none" selected>No voter role</);
    assert.match(page.text, /no Discord app that can change roles yet/);
    const save = (form: Record<string, string>) => alex.submit(page, path('/settings/voter-role'), form);
    const answer = await save({ role_rule: 'recent', role_id: ` ${ROLE} `, role_amount: '12' });
    assert.deepEqual([answer.status, answer.location], [303, path('/settings?done=saved')]);
    const recent = { roleId: ROLE, rule: 'recent', amount: 12, problem: null };
    assert.deepEqual(await store.voterRoles.find(guildId), recent);
    const { text } = await alex.get(path('/settings'));
    assert.match(text, /<option value="recent" selected>/);
    assert.match(text, new RegExp(`name="role_id"[^>]* value="${ROLE}"`));
    assert.match(text, /name="role_amount" min="1" max="744" value="12"/);
    await save({ role_rule: 'recent', role_id: ROLE, role_amount: '12' });
    assert.deepEqual(await activities(), [['Alex', 'voter_role_changed']]);
    await save({ role_rule: 'month', role_id: ROLE, role_amount: '20' });
    await save({ role_rule: 'none', role_id: '', role_amount: '' });
    assert.equal(await store.voterRoles.find(guildId), null);
    const log = (await alex.get(path('/activity'))).text;
    for (const change of [
      /no voter role → role 500000000000000001, voted in the last 12 h/,
      /voted in the last 12 h → role 500000000000000001, 20 votes this month/,
      /20 votes this month → no voter role/,
    ])
      assert.match(log, change);
  });

  test('is rejected with another rule, number or id', async (t) => {
    const { alex, path, store, guildId } = await openDashboard(t, await open());
    const page = await alex.get(path('/settings'));
    const right = { role_rule: 'recent', role_id: ROLE, role_amount: '12' };
    for (const wrong of [
      { role_amount: '0' },
      { role_amount: '745' },
      { role_amount: '' },
      { role_amount: '1.5' },
      { role_rule: 'always' },
      { role_rule: '' },
      { role_id: '' },
      { role_id: 'voter' },
      { role_id: '<@&500000000000000001>' },
      // The role that everybody has.
      { role_id: guildId },
    ])
      assert.equal(
        (await alex.submit(page, path('/settings/voter-role'), { ...right, ...wrong })).status,
        400,
        JSON.stringify(wrong),
      );
    assert.equal(await store.voterRoles.find(guildId), null);
  });

  test('has an explanation when Discord refuses it, until it is saved again', async (t) => {
    const { alex, path, store, guildId } = await openDashboard(t, await open());
    await store.voterRoles.set(guildId, { roleId: ROLE, rule: 'recent', amount: 12 }, NOW_MS);
    const shown = async () => (await alex.get(path('/settings'))).text;
    assert.doesNotMatch(await shown(), /Roles have not been changed since/);
    for (const [problem, explanation] of [
      ['missing_permission', /“Manage Roles” for the role of the app, and drag that role above/],
      ['not_in_server', /The app is not in your Discord server/],
      ['unknown_role', /Copy the ID of the role again/],
      ['rejected', /which is in the log of this site/],
    ] as const) {
      await store.voterRoles.setProblem(guildId, problem, NOW_MS);
      const text = await shown();
      assert.match(text, /Roles have not been changed since/);
      assert.match(text, explanation);
    }
    const page = await alex.get(path('/settings'));
    await alex.submit(page, path('/settings/voter-role'), {
      ...{ role_rule: 'recent', role_id: ROLE, role_amount: '12' },
    });
    assert.doesNotMatch(await shown(), /Roles have not been changed since/);
  });
});
