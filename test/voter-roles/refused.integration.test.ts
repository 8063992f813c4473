import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/clock.ts';
import { VOTER } from '../discord/fixture.ts';
import { OTHER_ROLE, openScene, RECENT, ROLE } from './scene.ts';

describe('a voter role that Discord refuses to change', () => {
  for (const [problem, broken] of [
    ['missing_permission', { canManageRoles: false }],
    ['unknown_role', { roles: new Set<string>() }],
  ] as const)
    it(`is tried once in half an hour while there is the problem ${problem}`, async () => {
      const scene = await openScene();
      const { command, clock, worker, has, discord, discordServer, results } = scene;
      const others = ['200000000000000002', '200000000000000003'];
      for (const userId of others) discordServer.members.set(userId, new Set());
      const working = { ...discordServer };
      Object.assign(discordServer, broken);
      await command('vote');
      for (const userId of others) await command('vote', { userId });
      await worker.runDue();
      assert.equal(await scene.problem(), problem);
      assert.deepEqual(results, ['refused']);
      clock.advance(30 * MINUTE_MS - 1);
      await worker.runDue();
      assert.equal(discord.requests.length, 1);
      Object.assign(discordServer, working);
      clock.advance(1);
      await worker.runDue();
      assert.equal(await scene.problem(), undefined);
      for (const userId of [VOTER, ...others]) assert.ok(has(userId));
    });

  it('is tried at once when the role is saved again', async () => {
    const { command, worker, has, problem, discordServer, store, guildId } = await openScene();
    discordServer.canManageRoles = false;
    await command('vote');
    await worker.runDue();
    assert.equal(await problem(), 'missing_permission');
    discordServer.canManageRoles = true;
    await store.voterRoles.retry(guildId);
    await worker.runDue();
    assert.ok(has());
  });

  it('is given at once after it replaced one that Discord refused to add', async () => {
    const { command, worker, problem, set, discord, discordServer, results } = await openScene();
    discordServer.roles.add(OTHER_ROLE);
    discordServer.higherRoles.add(ROLE);
    const others = ['200000000000000002', '200000000000000003'];
    for (const userId of others) discordServer.members.set(userId, new Set());
    await command('vote');
    for (const userId of others) await command('vote', { userId });
    await worker.runDue();
    assert.deepEqual([await problem(), results], ['missing_permission', ['refused']]);
    await set({ ...RECENT, roleId: OTHER_ROLE });
    await worker.runDue();
    assert.equal(await problem(), undefined);
    for (const userId of [VOTER, ...others])
      assert.deepEqual([...(discordServer.members.get(userId) ?? [])], [OTHER_ROLE]);
    assert.equal(discord.requests.length, 4);
  });

  describe('because it was moved above the app, and then replaced', () => {
    async function replaced() {
      const scene = await openScene();
      const { command, worker, set, discordServer } = scene;
      const others = ['200000000000000002', '200000000000000003'];
      discordServer.roles.add(OTHER_ROLE);
      for (const userId of others) discordServer.members.set(userId, new Set());
      for (const userId of [VOTER, ...others]) await command('vote', { userId });
      await worker.runDue();
      discordServer.higherRoles.add(ROLE);
      await set({ ...RECENT, roleId: OTHER_ROLE });
      return {
        ...scene,
        others,
        rolesOf: (userId: string) => discordServer.members.get(userId) ?? new Set(),
      };
    }

    it('does not keep the new one from being given, and costs one request in half an hour', async () => {
      const { command, clock, worker, problem, discord, discordServer, others, rolesOf } = await replaced();
      const before = discord.requests.length;
      await worker.runDue();
      for (const userId of [VOTER, ...others]) assert.ok(rolesOf(userId).has(OTHER_ROLE));
      assert.equal(await problem(), undefined);
      assert.equal(discord.requests.length, before + 4);
      const late = '200000000000000004';
      discordServer.members.set(late, new Set());
      clock.advance(30 * MINUTE_MS - 1);
      await command('vote', { userId: late });
      await worker.runDue();
      assert.ok(rolesOf(late).has(OTHER_ROLE));
      assert.equal(discord.requests.length, before + 5);
      clock.advance(1);
      await worker.runDue();
      assert.equal(discord.requests.length, before + 6);
    });

    it('is removed once that is possible', async () => {
      const { clock, worker, discordServer, others, rolesOf } = await replaced();
      await worker.runDue();
      discordServer.higherRoles.delete(ROLE);
      clock.advance(30 * MINUTE_MS);
      await worker.runDue();
      for (const userId of [VOTER, ...others]) assert.deepEqual([...rolesOf(userId)], [OTHER_ROLE]);
    });

    it('is forgotten 30 days after the last vote of a user', async () => {
      const { clock, worker, set, discord, store, guildId } = await replaced();
      await set(null);
      for (let days = 0; days < 30; days += 1) {
        await worker.runDue();
        clock.advance(DAY_MS);
      }
      assert.equal((await store.voterRoles.due(guildId, clock(), 100)).length, 3);
      clock.advance(1);
      await worker.runDue();
      const { length } = discord.requests;
      clock.advance(DAY_MS);
      await worker.runDue();
      assert.equal(discord.requests.length, length);
    });
  });

  it('is removed if an earlier request may have added it, even if Discord refused a later one', async () => {
    const { command, clock, worker, set, has, discord, discordServer } = await openScene();
    await command('vote');
    discord.fault = () => 'lost';
    await worker.runDue();
    assert.ok(has());
    discord.fault = () => undefined;
    discordServer.canManageRoles = false;
    clock.advance(30 * SECOND_MS);
    await worker.runDue();
    discordServer.canManageRoles = true;
    await set(null);
    await worker.runDue();
    assert.ok(!has());
  });

  it('explains that the app is not in the server', async () => {
    const { command, worker, problem, discord } = await openScene();
    discord.servers.clear();
    await command('vote');
    await worker.runDue();
    assert.equal(await problem(), 'not_in_server');
  });
});
