import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openStore } from '../../../src/store/open.ts';
import { assertBadUsage, assertFailed, GUILD, makeHome, makeHomeWithGuild } from '../votary.ts';

const ROLE = '500000000000000001';

describe('guild voter-role', () => {
  it('sets, shows and turns off the role', async () => {
    const home = await makeHomeWithGuild();
    const role = (...options: string[]) => home.json('guild', 'voter-role', GUILD, ...options);
    assert.deepEqual(await role(), { guild_id: GUILD, voter_role: null });
    const recent = { role_id: ROLE, rule: 'recent', hours: 12, problem: null };
    assert.deepEqual(await role('--role', ROLE, '--hours', '12'), { guild_id: GUILD, voter_role: recent });
    assert.deepEqual(await role(), { guild_id: GUILD, voter_role: recent });
    const month = { role_id: ROLE, rule: 'month', times: 20, problem: null };
    assert.deepEqual(await role('--role', ROLE, '--times', '20'), { guild_id: GUILD, voter_role: month });
    const { stdout } = await home.votary('guild', 'voter-role', GUILD);
    assert.match(
      stdout,
      /has the voter role 500000000000000001 for members with at least 20 votes this month/,
    );
    assert.deepEqual(await role('--off'), { guild_id: GUILD, voter_role: null });
    assert.match((await home.votary('guild', 'voter-role', GUILD)).stdout, /has no voter role/);
  });

  it('is in the log of the community and in that of operators, once per change', async () => {
    const home = await makeHomeWithGuild();
    for (let time = 0; time < 2; time += 1)
      await home.votary('guild', 'voter-role', GUILD, '--role', ROLE, '--hours', '12');
    const store = await openStore({ kind: 'sqlite', path: join(home.dataDir, 'votary.db') });
    const to = { roleId: ROLE, rule: 'recent', amount: 12 };
    const logged = (await store.audit.recent(null, 10)).filter(
      ({ action }) => action === 'voter_role_changed',
    );
    assert.deepEqual(
      logged.map(({ detail }) => detail.voterRole),
      [to],
    );
    const [activity] = await store.activities.recent(GUILD, 10);
    assert.deepEqual(activity?.detail, { voterRole: { from: null, to } });
    await store.voterRoles.setProblem(GUILD, 'missing_permission', 0);
    await store.close();
    const { stdout } = await home.votary('guild', 'voter-role', GUILD);
    assert.match(stdout, /Problem since 1970-01-01T00:00:00\.000Z: .*"Manage Roles"/);
  });

  it('rejects other options, numbers and guilds', async () => {
    const home = await makeHomeWithGuild();
    const role = (...options: string[]) => home.votary('guild', 'voter-role', GUILD, ...options);
    for (const options of [
      ['--role', ROLE],
      ['--hours', '12'],
      ['--role', ROLE, '--hours', '12', '--times', '3'],
      ['--role', ROLE, '--hours', '12', '--off'],
    ])
      assertBadUsage(await role(...options), /--role with either --hours or --times, or --off alone/);
    assertBadUsage(await role('--role', 'voter', '--hours', '12'), /15 to 20 digits/);
    assertBadUsage(await role('--role', GUILD, '--hours', '12'), /every member has this role/);
    for (const amount of ['0', '1.5', 'many', '745'])
      assertBadUsage(await role('--role', ROLE, '--times', amount), /1 to 744/);
    const empty = await makeHome();
    for (const options of [[], ['--off'], ['--role', ROLE, '--hours', '12']])
      assertFailed(await empty.votary('guild', 'voter-role', GUILD, ...options), /is not listed/);
  });
});
