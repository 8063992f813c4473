import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRoleChanger } from '../../src/discord/member-role.ts';
import { createDiscordRest } from '../../src/discord/rest.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/clock.ts';
import { ALL_TIME, wholeMonth } from '../../src/domain/votes/period.ts';
import type { RoleResult, VoterRole } from '../../src/domain/votes/voter-role.ts';
import { VoterRoleWorker } from '../../src/voter-roles/worker.ts';
import { type App, openApp, USER_AGENT, VOTER } from '../discord/fixture.ts';
import { type FakeServer, fakeServer } from '../support/discord/discord-rest.ts';

const QUIET = { info: () => undefined, error: () => undefined };
const ROLE = '500000000000000001';
const OTHER_ROLE = '500000000000000002';
const RECENT: VoterRole = { roleId: ROLE, rule: 'recent', amount: 12 };

type Scene = App & {
  worker: VoterRoleWorker;
  discordServer: FakeServer;
  results: RoleResult[];
  set(role: VoterRole | null): Promise<boolean>;
  has(userId?: string): boolean;
  problem(): Promise<string | undefined>;
};

function workerOf({ store, clock, rest }: Pick<App, 'store' | 'clock' | 'rest'>, results: RoleResult[] = []) {
  const onResult = (result: RoleResult) => void results.push(result);
  return new VoterRoleWorker({ store, clock, change: createRoleChanger(rest), logger: QUIET, onResult });
}

async function openScene(role: VoterRole | null = RECENT): Promise<Scene> {
  const app = await openApp();
  const discordServer = fakeServer(ROLE, [VOTER]);
  app.discord.servers.set(app.guildId, discordServer);
  const results: RoleResult[] = [];
  const set = (wanted: VoterRole | null) => app.store.voterRoles.set(app.guildId, wanted, app.clock());
  if (role) await set(role);
  return {
    ...app,
    ...{ discordServer, results, set },
    worker: workerOf(app, results),
    has: (userId = VOTER) => discordServer.members.get(userId)?.has(ROLE) ?? false,
    problem: async () => (await app.store.voterRoles.find(app.guildId))?.problem?.kind,
  };
}

describe('a voter role', () => {
  it('is added after a vote and removed when the last vote is too old', async () => {
    const { command, clock, worker, has, discord, results } = await openScene();
    await command('vote');
    await worker.runDue();
    assert.ok(has());
    clock.advance(11 * HOUR_MS);
    await command('vote');
    await worker.runDue();
    clock.advance(12 * HOUR_MS - 1);
    await worker.runDue();
    assert.ok(has());
    assert.equal(discord.requests.length, 1);
    clock.advance(1);
    await worker.runDue();
    assert.ok(!has());
    clock.advance(48 * HOUR_MS);
    await worker.runDue();
    assert.deepEqual(results, ['added', 'removed']);
    assert.equal(discord.requests.length, 2);
  });

  it('is added with the last vote that a month needs, and removed when the month ends', async () => {
    const { command, clock, worker, has, discord } = await openScene({ ...RECENT, rule: 'month', amount: 3 });
    for (const votes of [1, 2, 3]) {
      await command('vote');
      await worker.runDue();
      assert.equal(has(), votes === 3);
      clock.advance(HOUR_MS);
    }
    assert.equal(discord.requests.length, 1);
    clock.advance(wholeMonth(clock()).to - clock() - 1);
    await worker.runDue();
    assert.ok(has());
    clock.advance(1);
    await worker.runDue();
    assert.ok(!has());
  });

  it('costs no request in servers without one', async () => {
    const { command, worker, discord } = await openScene(null);
    await command('vote');
    await worker.runDue();
    assert.deepEqual(discord.requests, []);
  });

  it('is given at once to those who voted before it was set', async () => {
    const { command, worker, set, has } = await openScene(null);
    await command('vote');
    await set(RECENT);
    await worker.runDue();
    assert.ok(has());
  });

  it('is removed when it is turned off, replaced, or the vote is voided', async () => {
    const { command, clock, worker, set, has, discordServer, store, guildId } = await openScene();
    discordServer.roles.add(OTHER_ROLE);
    await command('vote');
    await worker.runDue();
    await set({ ...RECENT, roleId: OTHER_ROLE });
    await worker.runDue();
    assert.deepEqual([...(discordServer.members.get(VOTER) ?? [])], [OTHER_ROLE]);
    await set(RECENT);
    await worker.runDue();
    assert.deepEqual([...(discordServer.members.get(VOTER) ?? [])], [ROLE]);
    await set(null);
    await worker.runDue();
    assert.ok(!has());
    await set(RECENT);
    await worker.runDue();
    assert.ok(has());
    const selection = { userId: VOTER };
    await store.moderation.void({
      ...{ guildId, selection, period: ALL_TIME, batch: 'void_1', reason: null, voidedAt: clock() },
    });
    await worker.runDue();
    assert.ok(!has());
  });

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

  it('explains that the app is not in the server', async () => {
    const { command, worker, problem, discord } = await openScene();
    discord.servers.clear();
    await command('vote');
    await worker.runDue();
    assert.equal(await problem(), 'not_in_server');
  });

  it('is not given to voters who are not in the server, nor tried again before their next vote', async () => {
    const { command, clock, worker, has, results, discord, discordServer } = await openScene();
    const stranger = '200000000000000009';
    await command('vote', { userId: stranger });
    await worker.runDue();
    clock.advance(HOUR_MS);
    await worker.runDue();
    assert.deepEqual([results, discord.requests.length], [['absent'], 1]);
    discordServer.members.set(stranger, new Set());
    await command('vote', { userId: stranger });
    await worker.runDue();
    assert.ok(has(stranger));
  });

  it('respects the limit of a server: no request is sent that Discord would refuse', async () => {
    const { command, clock, worker, has, discord, discordServer, results } = await openScene();
    discordServer.limit = { requests: 4, windowMs: 10 * SECOND_MS };
    const voters = Array.from({ length: 10 }, (_, i) => String(200000000000000100n + BigInt(i)));
    for (const userId of voters) {
      discordServer.members.set(userId, new Set());
      await command('vote', { userId });
    }
    for (const expected of [4, 8, 10]) {
      await worker.runDue();
      await worker.runDue();
      assert.equal(voters.filter((userId) => has(userId)).length, expected);
      assert.equal(discord.requests.length, expected);
      clock.advance(10 * SECOND_MS);
    }
    assert.deepEqual(results.filter((result) => result === 'limited').length, 2);
  });

  it('waits as long as a 429 asks', async () => {
    const { command, clock, worker, has, discord } = await openScene();
    discord.retryAfterSeconds = 7;
    discord.fault = () => 'limited';
    await command('vote');
    await worker.runDue();
    discord.fault = () => undefined;
    clock.advance(7 * SECOND_MS - 1);
    await worker.runDue();
    assert.equal(discord.requests.length, 1);
    clock.advance(1);
    await worker.runDue();
    assert.ok(has());
  });

  it('is removed even if the response to adding it was lost and the process died', async () => {
    const scene = await openScene({ ...RECENT, amount: 1 });
    const { command, clock, worker, has, discord } = scene;
    discord.fault = () => 'lost';
    await command('vote');
    await worker.runDue();
    assert.ok(has());
    discord.fault = () => undefined;
    clock.advance(HOUR_MS);
    await workerOf(scene).runDue();
    assert.ok(!has());
  });

  it('is retried if Discord fails, is unreachable or a proxy refuses', async () => {
    const { command, clock, worker, has, discord, results } = await openScene();
    await command('vote');
    for (const fault of ['error', 'down', 'forbidden-by-proxy'] as const) {
      discord.fault = () => fault;
      await worker.runDue();
      clock.advance(30 * SECOND_MS);
    }
    discord.fault = () => undefined;
    await worker.runDue();
    assert.ok(has());
    assert.deepEqual(results, ['retried', 'retried', 'retried', 'added']);
  });

  it('waits while the bot token is rejected', async () => {
    const scene = await openScene();
    const { command, clock, store, has, discord, worker, problem } = scene;
    await command('vote');
    const wrong = { api: discord.url, botToken: 'a.wrong.token', userAgent: USER_AGENT, clock };
    await workerOf({ store, clock, rest: createDiscordRest(wrong) }).runDue();
    assert.equal(await problem(), undefined);
    await worker.runDue();
    assert.equal(discord.requests.length, 1);
    clock.advance(5 * MINUTE_MS);
    await worker.runDue();
    assert.ok(has());
  });

  it('is changed once when several workers run', async () => {
    const scene = await openScene();
    await scene.command('vote');
    await Promise.all([scene.worker, workerOf(scene), workerOf(scene)].map((worker) => worker.runDue()));
    assert.ok(scene.has());
    assert.equal(scene.discord.requests.length, 1);
  });
});
