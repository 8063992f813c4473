import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/clock.ts';
import { openStore } from '../../src/store/open.ts';
import { GUILD, makeHome } from '../cli/votary.ts';
import { type FakeDiscordApp, startDiscord } from '../support/discord/discord-app.ts';
import { fakeServer } from '../support/discord/discord-rest.ts';
import { serve } from '../support/serve.ts';

const ROLE = '500000000000000001';
const USERS = ['200000000000000001', '200000000000000002', '200000000000000003'];

test('a service that is killed and restarted sends each reminder once, and then stops promptly', async () => {
  const discord = await startDiscord();
  after(() => discord.close());
  const home = await makeHome({
    ...discord.env,
    VOTARY_PORT: '0',
    VOTARY_PUBLIC_URL: 'https://votes.example.org',
  });
  await home.votary('guild', 'add', GUILD);
  await makeDue(join(home.dataDir, 'votary.db'));

  // The first message arrives, but its response is lost.
  const { promise: isSent, resolve: sent } = Promise.withResolvers<void>();
  discord.fault = (request) => {
    if (request.startsWith('POST /channels')) setImmediate(sent);
    return request.startsWith('POST /channels') ? 'lost' : undefined;
  };
  const first = await serve(home);
  await isSent;
  first.process.kill('SIGKILL');
  await once(first.process, 'exit');
  discord.fault = () => undefined;

  // As if a minute had passed, so that the claims expire.
  await expireClaims(join(home.dataDir, 'votary.db'));
  const second = await serve(home);
  await untilQuiet(discord);
  const stopping = Date.now();
  assert.equal(await second.stop(), 0);
  assert.ok(Date.now() - stopping < 20 * SECOND_MS);
  assert.deepEqual(discord.messages.map(({ userId }) => userId).toSorted(), USERS);
});

test('a service that is killed while it adds voter roles forgets none of them', async () => {
  const discord = await startDiscord();
  after(() => discord.close());
  const home = await makeHome({ ...discord.env, VOTARY_PORT: '0' });
  const database = join(home.dataDir, 'votary.db');
  await home.votary('guild', 'add', GUILD);
  await makeDue(database);
  const server = fakeServer(ROLE, USERS);
  discord.servers.set(GUILD, server);
  const holders = () => USERS.filter((userId) => server.members.get(userId)?.has(ROLE));
  await home.votary('guild', 'voter-role', GUILD, '--role', ROLE, '--hours', '12');

  // The first role is added, but the response is lost.
  const { promise: isSent, resolve: sent } = Promise.withResolvers<void>();
  discord.fault = () => {
    setImmediate(sent);
    return 'lost';
  };
  const first = await serve(home);
  await isSent;
  first.process.kill('SIGKILL');
  await once(first.process, 'exit');
  discord.fault = () => undefined;
  assert.equal(holders().length, 1);

  // As if the claim had expired.
  const store = await openStore({ kind: 'sqlite', path: database });
  await store.voterRoles.retry(GUILD);
  await store.close();
  const second = await serve(home);
  await untilQuiet(discord);
  assert.deepEqual(holders(), USERS);
  await home.votary('guild', 'voter-role', GUILD, '--off');
  await untilQuiet(discord);
  assert.deepEqual(holders(), []);
  assert.equal(await second.stop(), 0);
});

async function makeDue(path: string): Promise<void> {
  const store = await openStore({ kind: 'sqlite', path });
  const castAt = Date.now() - HOUR_MS - SECOND_MS;
  for (const userId of USERS) {
    await store.reminders.enable({ guildId: GUILD, userId, locale: 'en', now: castAt });
    await store.votes.cast({ guildId: GUILD, userId, castAt, externalId: null, isDoubled: false });
  }
  await store.close();
}

async function expireClaims(path: string): Promise<void> {
  const store = await openStore({ kind: 'sqlite', path });
  await store.reminders.claim({ now: Date.now() + 2 * MINUTE_MS, until: Date.now(), limit: 10 });
  await store.close();
}

/** Until Discord got a request, and three seconds longer, in case another one arrives. */
async function untilQuiet(discord: FakeDiscordApp): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let last: NodeJS.Timeout | undefined;
  discord.fault = () => {
    clearTimeout(last);
    last = setTimeout(resolve, 3 * SECOND_MS);
    return undefined;
  };
  await promise;
}
