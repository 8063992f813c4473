/**
 * A real service over HTTPS, and everything that can reward a vote of it at the same time. A Discord bot (`bot`) receives
 * signed webhooks with the programs of the guides: each delivery twice, and it crashes between a claim and its reward. A game
 * server (`survival`) gets the same votes by Votifier, the feed, players who join and ListForge plugins.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Votary } from '../../sdk/src/index.ts';
import { VotaryManager } from '../../sdk/src/manage/index.ts';
import { GUILD, type Home, makeHome } from '../cli/votary.ts';
import { start, write } from '../guides/programs.ts';
import { unpackReceivers } from '../guides/receivers.ts';
import { environment, watch } from '../guides/services.ts';
import { portOf, temporaryFolder } from '../http/support.ts';
import { trustedCertificate } from '../sdk/support/local-service.ts';
import { freePort } from '../support/free-port.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/postgres/postgres.ts';
import { serve } from '../support/serve.ts';
import { startVotifierServer } from '../webhooks/votifier/votifier-server.ts';

const PLAYERS = Array.from({ length: 8 }, (_, i) => ({
  userId: String(330_000_000_000_000_000n + BigInt(i)),
  name: `Player${i}`,
}));
const NAMES = PLAYERS.map(({ name }) => name);
const VOTIFIER_TOKEN = 'a-long-random-token';
/** A busy receiver is asked again after so many seconds. */
const BUSY = { 'retry-after': '1' };

const field = async (home: Home, name: string, ...command: string[]): Promise<string> =>
  String(Object(await home.json(...command))[name]);

async function openSite(t: TestContext, database: TestDatabase | undefined) {
  const folder = await temporaryFolder(t);
  await write(folder, 'cert.pem', trustedCertificate.cert);
  await write(folder, 'key.pem', trustedCertificate.key);
  const home = await makeHome({
    VOTARY_PORT: '0',
    VOTARY_TLS_CERT: join(folder, 'cert.pem'),
    VOTARY_TLS_KEY: join(folder, 'key.pem'),
    VOTARY_RATE_LIMIT: '100000',
    VOTARY_MIN_ACCOUNT_AGE_DAYS: '0',
    VOTARY_WEBHOOK_ALLOW: '127.0.0.0/8',
    VOTIFIER_TOKEN,
    ...(database
      ? { VOTARY_DATABASE_URL: database.url, VOTARY_SECRET: 'the master secret of this test' }
      : {}),
  });
  await home.json('guild', 'add', GUILD);
  const key = await field(home, 'key', 'key', 'generate', GUILD);
  const token = await field(home, 'token', 'token', 'create', '--name', 'site', '--scope', 'votes:write');
  const served = await serve(home);
  t.after(async () => {
    await served.stop();
    await database?.drop();
  });
  return {
    home,
    url: served.url,
    key,
    certificate: join(folder, 'cert.pem'),
    manager: new VotaryManager({ token, baseUrl: served.url }),
    votary: new Votary({ apiKey: key, baseUrl: served.url, cacheSeconds: 0 }),
  };
}

type Site = Awaited<ReturnType<typeof openSite>>;

/** Passes every delivery on twice, one after the other; while the bot is down, it is busy. */
async function startRelay(t: TestContext, target: string): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const { host: _host, connection: _connection, ...others } = request.headers;
    const headers = Object.entries(others).map(([name, value]): [string, string] => [name, String(value)]);
    const send = () => fetch(target, { method: 'POST', headers, body });
    try {
      const statuses = [(await send()).status, (await send()).status];
      assert.deepEqual(statuses, [204, 204]);
      response.writeHead(204).end();
    } catch {
      response.writeHead(503, BUSY).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${portOf(server)}/votes`;
}

/** The receiver of the webhooks guide. Its first reward is interrupted by a crash, after the claim. */
async function openBot(t: TestContext, { home, url, key, certificate }: Site) {
  const port = await freePort();
  const relay = await startRelay(t, `http://127.0.0.1:${port}/`);
  const secret = await field(home, 'secret', 'webhook', 'add', GUILD, relay);
  const env = { ...environment(url, key, certificate), VOTARY_WEBHOOK_SECRET: secret };
  const place = await unpackReceivers(t, env);
  const source = await readFile(join(place.folder, 'rewards.mjs'), 'utf8');
  const reward = '  ledger.coins[userId] =';
  assert.ok(source.includes(reward));
  await write(place.folder, 'rewards.mjs', source.replace(reward, `  process.exit(9);\n${reward}`));
  const run = () =>
    watch(
      t,
      start(process.execPath, ['receiver.mjs'], { ...place, env: { ...place.env, PORT: String(port) } }),
    );
  const crashing = run();
  await crashing.until('Listening on');
  return {
    /** Resolves when the bot has crashed and runs again, without the fault. */
    restart: async () => {
      assert.equal(await crashing.closed(), 9);
      const { keys } = await readLedger(place.folder);
      assert.equal(Object.keys(keys).length > 0, true, 'it crashed before it stored its key');
      await write(place.folder, 'rewards.mjs', source);
      await run().until('Listening on');
    },
    coins: async () => (await readLedger(place.folder)).coins,
  };
}

async function readLedger(folder: string): Promise<{ coins: Record<string, number>; keys: object }> {
  return JSON.parse(
    await readFile(join(folder, 'rewards.json'), 'utf8').catch(() => '{"coins":{},"keys":{}}'),
  );
}

/** The rewards of the game server, by the name of the player; each player has one vote. */
function openGameServer({ votary, url, key }: Site) {
  const rewards: string[] = [];
  const join = async (name: string) => {
    const { claimed } = await votary.claim({ externalId: name }, { consumer: 'survival' });
    if (claimed) rewards.push(name);
  };
  return {
    rewards,
    join,
    /** Reads the feed from the cursor until it has seen all votes. */
    follow: async (cursor: string) => {
      const seen = new Set<string>();
      for await (const page of votary.feed({ cursor })) {
        for (const { externalId } of page.votes) {
          assert.ok(externalId && !seen.has(externalId), `${externalId} was in the feed twice`);
          seen.add(externalId);
          await join(externalId);
        }
        if (seen.size === PLAYERS.length) return;
      }
    },
    askListforge: async (name: string) => {
      const query = new URLSearchParams({
        key,
        username: name,
        action: 'custom',
        object: 'plugin',
        element: 'reward',
      });
      const response = await fetch(`${url}/compat/listforge/api/?${query}`);
      assert.equal(response.status, 200);
      if ((await response.text()) === '1') rewards.push(name);
    },
  };
}

async function until(isReached: () => Promise<boolean>): Promise<void> {
  while (!(await isReached())) await pause(50);
}

async function isDelivered(home: Home): Promise<boolean> {
  const log = await home.json('webhook', 'log', GUILD);
  assert.ok(Array.isArray(log));
  const states = log.map(({ state }) => state);
  // While a vote is sent to a Votifier server, its delivery is uncertain.
  assert.ok(
    states.every((state) => ['pending', 'uncertain', 'delivered', 'skipped'].includes(state)),
    `${states}`,
  );
  // Both endpoints have every vote.
  return (
    states.length >= 2 * PLAYERS.length &&
    states.every((state) => state === 'delivered' || state === 'skipped')
  );
}

describe('a vote that is delivered as webhook, Votifier, feed and claim for two consumers', () => {
  for (const [name, createDatabase] of [
    ['SQLite', async () => undefined],
    ['PostgreSQL', createMigratedDatabase],
  ] as const) {
    it(`is rewarded exactly once per consumer, on ${name}`, { timeout: 120_000 }, async (t) => {
      const site = await openSite(t, await createDatabase());
      const { home, manager, votary } = site;
      const votifier = await startVotifierServer({ token: VOTIFIER_TOKEN });
      await home.json(
        ...['webhook', 'add', GUILD, '--votifier', votifier.address, '--token-env', 'VOTIFIER_TOKEN'],
        ...['--consumer', 'survival'],
      );
      await home.json('guild', 'listforge-consumer', GUILD, 'survival');
      const bot = await openBot(t, site);
      const game = openGameServer(site);
      const [first] = await firstPage(votary);
      assert.ok(first);

      const since = new Date(Date.now() - 1000).toISOString();
      const following = game.follow(first);
      const restarted = bot.restart();
      await Promise.all(
        PLAYERS.map(async ({ userId, name }, i) => {
          await manager.castVote({ guildId: GUILD, userId, externalId: name });
          // Players who join at once, ask with an old plugin, or are left to Votifier and the feed.
          if (i % 3 === 0) await game.join(name);
          if (i % 3 === 1) await game.askListforge(name);
        }),
      );
      await Promise.all([following, restarted]);
      await until(() => isDelivered(home));
      // Everything arrives once more: replayed events, a feed whose cursor was lost, players who join again.
      await home.json('webhook', 'replay', GUILD, '--since', since);
      await Promise.all([game.follow(first), ...NAMES.map(game.join), ...NAMES.map(game.askListforge)]);
      await until(() => isDelivered(home));

      const rewarded = [...game.rewards, ...votifier.votes.map(({ username }) => username)];
      assert.deepEqual(rewarded.toSorted(), NAMES);
      assert.deepEqual(await bot.coins(), Object.fromEntries(PLAYERS.map(({ userId }) => [userId, 10])));
      for (const consumer of ['bot', 'survival']) {
        const left = await votary.claimable({ externalIds: NAMES }, { consumer });
        assert.deepEqual(
          left.map(({ claimable }) => claimable),
          NAMES.map(() => 0),
        );
      }
    });
  }
});

/** The cursor of an empty feed. */
async function firstPage(votary: Votary): Promise<string[]> {
  for await (const { cursor } of votary.feed()) return [cursor];
  return [];
}
