import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { startLocalService } from '../../sdk/support/local-service.ts';
import { addGuild } from '../../store/fixtures.ts';
import { freePort } from '../../support/free-port.ts';
import { requirement } from '../../support/requirement.ts';
import { startClocked } from '../clocked.ts';
import { environment } from '../services.ts';
import { buildPlugin, openGame, SHORT_PAUSES } from './paper/game.ts';

const NAME = 'Steve_42';
const RATE_LIMIT = 30;
const VOTE = {
  vote_id: 'vote_1',
  user_id: '200000000000000001',
  external_id: NAME,
  is_doubled: false,
  claimed_at: '2026-11-15T12:00:00.000Z',
};

/** The code of the guides with seconds that take 10 ms. */
const QUICK: [string, string][] = [['1_000_000_000L', '10_000_000L'], ...SHORT_PAUSES];

describe('the Minecraft plugin', { skip: requirement('java') }, async () => {
  const classes = await buildPlugin(QUICK);

  async function openCommunity(t: TestContext, service: Awaited<ReturnType<typeof startClocked>>) {
    const guildId = await addGuild(service.store);
    const env = { ...(await service.environmentOf(guildId)), GUILD_ID: guildId };
    const game = (await openGame(t, classes, env))();
    await game.until('enabled');
    return {
      guildId,
      game,
      vote: async (externalId: string, number: number) => {
        const userId = String(500_000_000_000_000_000n + BigInt(number));
        const vote = { guildId, userId, castAt: service.clock(), externalId, isDoubled: false };
        assert.equal((await service.store.votes.cast(vote)).kind, 'accepted');
      },
    };
  }

  it('continues after an outage and a restart of the service, and logs it once', async (t) => {
    const port = await freePort();
    const service = await startClocked();
    const guildId = await addGuild(service.store);
    const env = { ...(await service.environmentOf(guildId)), GUILD_ID: guildId };
    const vote = {
      guildId,
      userId: VOTE.user_id,
      castAt: service.clock(),
      externalId: NAME,
      isDoubled: false,
    };
    await service.store.votes.cast(vote);
    const game = (await openGame(t, classes, { ...env, VOTARY_URL: `https://127.0.0.1:${port}` }))();
    await game.until('enabled');
    game.say(`join ${NAME}`);
    await game.until('the service cannot be reached: java.net.ConnectException');
    // A service that restarts: its proxy accepts connections and closes them, which ends the handshake.
    const restarting = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
    for (let connections = 0; connections < 3; connections += 1) await once(restarting, 'connection');
    await restarting[Symbol.asyncDispose]();
    const proxy = createServer((socket) => forward(socket, Number(new URL(service.url).port)));
    proxy.listen(port, '127.0.0.1');
    t.after(() => proxy[Symbol.asyncDispose]());
    await game.until(`${NAME} has 1 diamonds`);
    await game.until('the service responds again');
    await game.stop();
    assert.doesNotMatch(game.printed(), /certificate/);
    assert.equal(game.printed().match(/responds again/g)?.length, 1);
    assert.equal(game.printed().match(/ConnectException/g)?.length, 1, game.printed());
  });

  it('rewards 12 of 200 players who join at once, within the rate limit', async (t) => {
    const service = await startClocked();
    const { game, vote } = await openCommunity(t, service);
    const players = Array.from({ length: 200 }, (_, number) => `Player_${number}`);
    const voters = players.filter((_, number) => number % 17 === 0);
    for (const [number, player] of voters.entries()) await vote(player, number);
    game.say(`join ${players.join(',')}`);
    for (const player of voters) await game.until(new RegExp(`^(${player} has 1 diamonds|WARNING.+)$`, 'm'));
    await game.stop();
    assert.doesNotMatch(game.printed(), /WARNING|has 2 diamonds/);
    assert.ok(service.sent().length <= RATE_LIMIT, JSON.stringify(service.sent()));
    assert.ok(service.sent().every(({ status }) => status === 200));
  });

  it('waits with all claims when the rate limit is reached, logs it once, and continues', async (t) => {
    const service = await startClocked();
    const { game, vote } = await openCommunity(t, service);
    const players = Array.from({ length: 40 }, (_, number) => `Player_${number}`);
    for (const [number, player] of players.entries()) await vote(player, number);
    game.say(`join ${players.join(',')}`);
    await game.until('status 429');
    const rewarded = () => game.printed().match(/has 1 diamonds/g)?.length ?? 0;
    assert.ok(rewarded() < RATE_LIMIT, game.printed());
    service.clock.advance(60_000);
    for (const player of players) await game.until(`${player} has 1 diamonds\n`);
    await game.stop();
    assert.equal(game.printed().match(/status 429/g)?.length, 1, game.printed());
    assert.doesNotMatch(game.printed(), /has 2 diamonds/);
  });

  it('repeats the same claim after a response that takes too long', async (t) => {
    const keys: unknown[] = [];
    const service = await startLocalService(({ method, url, headers }) => {
      if (url.pathname.endsWith('/feed')) return 'silence';
      assert.deepEqual([method, url.pathname], ['POST', '/v7/guild/claims']);
      keys.push(headers['idempotency-key']);
      if (keys.length === 1) return 'silence';
      return { body: { ok: true, guild_id: '1', claimed: true, vote: VOTE, remaining: 0 } };
    });
    const clocked = await startClocked();
    const env = { ...environment(service.url, 'vty_x', clocked.certificate), GUILD_ID: '1' };
    const impatient = await buildPlugin([['Duration.ofSeconds(10)', 'Duration.ofSeconds(1)'], ...QUICK]);
    const game = (await openGame(t, impatient, env))();
    await game.until('enabled');
    game.say(`join ${NAME}`);
    await game.until(`${NAME} has 1 diamonds\n`);
    await game.stop();
    assert.equal(new Set(keys).size, 1);
    assert.match(game.printed(), /timed out/);
    assert.doesNotMatch(game.printed(), /has 2 diamonds/);
  });
});

function forward(socket: Socket, port: number): void {
  const target = connect(port, '127.0.0.1');
  for (const [from, to] of [
    [socket, target],
    [target, socket],
  ] as const) {
    from.on('error', () => to.destroy());
    from.pipe(to);
  }
}
