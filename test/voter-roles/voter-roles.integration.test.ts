import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDiscordRest } from '../../src/discord/rest.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/clock.ts';
import { ALL_TIME, wholeMonth } from '../../src/domain/votes/period.ts';
import { USER_AGENT, VOTER } from '../discord/fixture.ts';
import { OTHER_ROLE, openScene, RECENT, ROLE, workerOf } from './scene.ts';

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
