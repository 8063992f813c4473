/** The plugin of clients/minecraft when the service, the network or the settings are not as they should be. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { generateApiKey } from '../../../src/domain/keys/api-key.ts';
import { startLocalService } from '../../sdk/support/local-service.ts';
import { freePort } from '../../support/free-port.ts';
import { requirement } from '../../support/requirement.ts';
import { configOf, DIAMONDS, preparePlugin, type Rewards } from './server.ts';

const NOW: Rewards = { 'vote-rewards': [{ when: 'now', commands: ['say {player} voted'] }] };

describe('the Minecraft plugin on a bad day', { skip: requirement('java') }, async () => {
  const { service, open } = await preparePlugin();

  it('continues after an outage, without losing a vote, and logs it once', async (t) => {
    const port = await freePort();
    const { serve, vote } = await open(t, DIAMONDS, { url: `https://127.0.0.1:${port}` });
    await vote('Steve_42');
    const game = serve();
    await game.until('the service cannot be reached: java.net.ConnectException');
    game.say('join Steve_42');
    // A service that restarts: its proxy accepts connections and closes them, which ends the handshake.
    const restarting = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
    for (let connections = 0; connections < 3; connections += 1) await once(restarting, 'connection');
    await restarting[Symbol.asyncDispose]();
    const proxy = createServer((socket) => forward(socket, Number(new URL(service.url).port)));
    proxy.listen(port, '127.0.0.1');
    t.after(() => proxy[Symbol.asyncDispose]());
    await game.until('Steve_42 has 1 diamonds');
    await game.stop();
    assert.equal(game.printed().match(/responds again/g)?.length, 1);
    assert.equal(game.printed().match(/ConnectException/g)?.length, 1, game.printed());
  });

  it('rewards 200 offline players who all join at once, without a request for it', async (t) => {
    const party = { every: 200, when: 'now' as const, commands: ['say {party} votes'] };
    const { play, serve, vote } = await open(t, { ...DIAMONDS, 'party-rewards': [party] });
    const players = Array.from({ length: 200 }, (_, number) => `Player_${number}`);
    const first = await play();
    for (const player of players) await vote(player);
    await first.until('console> say 200 votes');
    await first.stop();
    const second = serve();
    await second.until('enabled');
    const claims = () => service.sent().filter(({ method }) => method === 'POST').length;
    const before = claims();
    second.say(`join ${players.join(',')}`);
    for (const player of players) await second.until(`${player} has 1 diamonds\n`);
    await second.stop();
    assert.equal(claims(), before);
    assert.doesNotMatch(second.printed(), /has 2 diamonds|WARNING/);
  });

  it('waits when the rate limit is reached, logs it once, and rewards all players later', async (t) => {
    const { play, vote, commands } = await open(t, NOW, { rateLimit: 30 });
    const players = Array.from({ length: 40 }, (_, number) => `Player_${number}`);
    const game = await play();
    for (const player of players) await vote(player);
    await game.until('the rate limit is reached (status 429');
    service.clock.advance(60_000);
    for (const player of players) {
      await game.until(new RegExp(`say ${player} voted\n|(rate limit is reached[\\s\\S]*){2}`));
    }
    await game.stop();
    assert.equal(game.printed().match(/rate limit is reached/g)?.length, 1, game.printed());
    assert.deepEqual(
      (await commands()).toSorted(),
      players.map((player) => `say ${player} voted`).toSorted(),
    );
  });

  it('says what to do about a wrong key, and continues after a reload with the right one', async (t) => {
    const { serve, vote, key } = await open(t, NOW, { key: generateApiKey() });
    const game = serve();
    await game.until(/WARNING: the API key is not accepted: copy it .* \/votary reload \(status 401/);
    const settings = { 'first-start-hours': '700' };
    await writeFile(join(serve.folder, 'plugin/config.yml'), configOf(service.url, key, NOW, settings));
    game.say('votary reload');
    await vote('Steve_42');
    await game.until('console> say Steve_42 voted');
    await game.stop();
  });

  it('names the setting that is missing or wrong, and does nothing else', async (t) => {
    const { serve } = await open(t, NOW);
    const wrong: [config: string, message: RegExp][] = [
      [configOf('https://x.example', 'YOUR_API_KEY', NOW), /api-key: enter the key/],
      [configOf(service.url, 'vty_x', NOW, { consumer: 'No Spaces' }), /consumer: use up to 32/],
      [
        configOf(service.url, 'vty_x', { 'party-rewards': [{ commands: ['say'] }] }),
        /party-rewards, entry 1: every/,
      ],
    ];
    for (const [config, message] of wrong) {
      await writeFile(join(serve.folder, 'plugin/config.yml'), config);
      const game = serve();
      await game.until('enabled');
      game.say('votary status');
      game.say('join Steve_42');
      await game.until('not started, see the log');
      await game.stop();
      assert.match(game.printed(), message);
    }
  });

  it('rewards a vote once if the feed delivers it twice and restores a backup', async (t) => {
    const vote = { vote_id: 'vote_1', user_id: '2', external_id: 'Steve_42', is_doubled: false };
    const paths: string[] = [];
    const local = await startLocalService(({ url, method }) => {
      paths.push(`${method} ${url.pathname}${url.search}`);
      const page = { ok: true, guild_id: '1', next_cursor: `c${paths.length}`, has_more: false };
      if (!url.pathname.endsWith('/feed'))
        return { body: { ok: true, guild_id: '1', claimed: true, vote, remaining: 0 } };
      if (url.searchParams.get('cursor') === 'c1')
        return { status: 400, body: { ok: false, error: 'INVALID_CURSOR', message: 'restored' } };
      return paths.length > 8 ? 'silence' : { body: { ...page, votes: [vote] } };
    });
    const { serve, commands } = await open(t, NOW, { url: local.url });
    const game = serve();
    await local.untilRequested(9);
    await game.stop();
    assert.deepEqual(await commands(), ['say Steve_42 voted']);
    assert.match(game.printed(), /the feed continues at the last vote: status 400: restored/);
    assert.equal(paths.filter((path) => path.includes('/feed?from=')).length, 2, paths.join('\n'));
  });

  it('sends the consumer with every claim only if there is one', async (t) => {
    const vote = { vote_id: 'vote_1', user_id: '2', external_id: 'Steve_42', is_doubled: false };
    for (const consumer of ['', 'survival']) {
      const local = await startLocalService(({ url }) => {
        const page = { ok: true, guild_id: '1', next_cursor: 'c', has_more: false, votes: [vote] };
        if (url.searchParams.has('cursor')) return 'silence';
        if (url.pathname.endsWith('/feed')) return { body: page };
        return { body: { ok: true, guild_id: '1', claimed: true, vote, remaining: 0 } };
      });
      const { serve } = await open(t, NOW, { url: local.url, settings: { consumer } });
      const game = serve();
      await game.until('console> say Steve_42 voted');
      await game.stop();
      const claims = local.requests.filter(({ method }) => method === 'POST');
      assert.deepEqual(
        claims.map(({ url }) => url.searchParams.get('consumer')),
        [consumer || null],
      );
    }
  });

  it('gives rewards to the player whose vote it is by the rule of the community for names', async (t) => {
    const votes = ['vote_1', 'vote_2'].map((id, i) => ({
      vote_id: id,
      user_id: '2',
      external_id: ['steve', 'alex'][i],
      is_doubled: false,
    }));
    const local = await startLocalService(({ url, method }) => {
      const page = { ok: true, guild_id: '1', next_cursor: 'c', has_more: false, votes };
      if (url.searchParams.has('cursor')) return 'silence';
      if (url.pathname.endsWith('/feed')) return { body: page };
      const name = url.searchParams.get('external_id');
      // The service says that votes for steve are those of .Steve, and that votes for alex are not those of Alex.
      if (method === 'GET') return { body: { ok: true, votes: name === '.Steve' ? [votes[0]] : [] } };
      const vote = votes.find(({ external_id }) => external_id === name);
      return { body: { ok: true, guild_id: '1', claimed: true, vote, remaining: 0 } };
    });
    const { serve, ledger } = await open(t, DIAMONDS, { url: local.url });
    const game = serve();
    await local.untilRequested(4);
    game.say('join Alex');
    await local.untilRequested(5);
    game.say('join .Steve');
    await game.until('.Steve has 1 diamonds');
    await game.stop();
    assert.doesNotMatch(game.printed(), /Alex has|steve has/);
    assert.match(await ledger(), /^reward\tvote_2:vote:0:alex\t.*$/m);
    assert.match(await readFile(join(serve.folder, '.Steve.dat'), 'utf8'), /vote_1/);
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
