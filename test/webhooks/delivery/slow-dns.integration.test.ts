import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openStore } from '../../../src/store/open.ts';
import { createResolver } from '../../../src/webhooks/resolve.ts';
import { DEFAULT_LIMITS } from '../../../src/webhooks/slots.ts';
import { openWithEnv, signInByDiscord } from '../../site/sign-in/support.ts';
import { addGuild } from '../../store/fixtures.ts';
import { startFakeDiscord } from '../../support/discord/fake-discord.ts';
import { startNameServer } from '../../support/name-server.ts';
import { createTestDatabase } from '../../support/postgres/postgres.ts';
import { openFixture } from '../fixture.ts';
import { startReceiver } from '../receiver.ts';

const TESTS = 8;
const LONG_MS = 60_000;

/** A Discord that is reached by name, like the real one: `fetch` resolves it in libuv's thread pool. */
async function openDiscordSite(t: TestContext) {
  const discord = await startFakeDiscord();
  t.after(() => discord.close());
  return openWithEnv(t, { ...discord.env, VOTARY_DISCORD_API: byName(discord.url) });
}

/** A database that is reached by name, which its driver resolves in the same way. */
async function openDatabaseByName(t: TestContext) {
  const { url, drop } = await createTestDatabase();
  const store = await openStore({ kind: 'postgres', url: byName(url) });
  t.after(async () => {
    await store.close();
    await drop();
  });
  return store;
}

function byName(url: string): string {
  return url.replace('127.0.0.1', 'localhost');
}

test('while name servers do not respond, sign-in, databases and other webhooks continue', async (t) => {
  const [names, receiver] = [await startNameServer(), await startReceiver()];
  t.after(() => names.close());
  const askNameServer = createResolver({ servers: [names.address], timeoutMs: LONG_MS });
  let isAnybodyAsked = false;
  const fixture = await openFixture({
    timeoutMs: LONG_MS,
    resolve: async (host, signal) => (isAnybodyAsked ? askNameServer(host, signal) : []),
  });
  const good = await fixture.addEndpoint(byName(receiver.url));
  const slow = await Promise.all(
    Array.from({ length: DEFAULT_LIMITS.total }, (_, i) => fixture.addEndpoint(`https://slow-${i}.example/`)),
  );
  isAnybodyAsked = true;
  await fixture.vote(good.guildId);
  await fixture.worker.runDue();
  assert.equal(receiver.received.length, 1);

  for (const { guildId } of slow) await fixture.vote(guildId);
  let testsEnded = 0;
  const tests = slow.slice(0, TESTS).map(async ({ guildId, endpointId }) => {
    await fixture.endpoints.sendTest(guildId, endpointId);
    testsEnded += 1;
  });
  fixture.worker.start();
  // As many as can be sent concurrently to new endpoints, each of which needs two kinds of address.
  await names.untilAsked(2 * DEFAULT_LIMITS.unproven);

  await fixture.vote(good.guildId);
  fixture.worker.wake(good.guildId);
  await receiver.untilReceived(2);
  const { visitor } = await openDiscordSite(t);
  assert.equal((await signInByDiscord(visitor())).status, 303);
  const store = await openDatabaseByName(t);
  assert.ok(await store.guilds.find(await addGuild(store)));
  assert.deepEqual([testsEnded, names.asked()], [0, 2 * DEFAULT_LIMITS.unproven]);

  names.giveUp();
  await Promise.all(tests);
});

test('an endpoint can be added if its name server does not respond in time', async (t) => {
  const names = await startNameServer();
  t.after(() => names.close());
  const fixture = await openFixture({ resolve: createResolver({ servers: [names.address], timeoutMs: 50 }) });
  assert.ok(await fixture.addEndpoint('https://slow.example/'));
  assert.equal(names.asked(), 2);
});

test('a delivery whose name is not resolved in time reports this, and is retried', async (t) => {
  const names = await startNameServer();
  t.after(() => names.close());
  const fixture = await openFixture({ resolve: createResolver({ servers: [names.address], timeoutMs: 50 }) });
  const { guildId } = await fixture.addEndpoint('https://slow.example/');
  await fixture.vote(guildId);
  await fixture.worker.runDue();
  const [record] = await fixture.log(guildId);
  assert.equal(record?.state, 'pending');
  assert.equal(record?.lastAttempt?.error, 'DNS_TIMEOUT');
});
