import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { deriveSecrets } from '../../src/domain/secrets.ts';
import { buildServer } from '../../src/server.ts';
import { chooseSignIn } from '../../src/site/sign-in/choose-sign-in.ts';
import { issueKey } from '../../src/store/keys.ts';
import { openStore } from '../../src/store/open.ts';
import { openPassportOffice, PASSPORT_TOKEN } from '../../torture/lib/passports.ts';
import { shoot } from '../../torture/lib/shoot.ts';
import { testServerDeps } from '../support/api.ts';
import { testClock } from '../support/clock.ts';
import { startFakeDiscord } from '../support/fake-discord.ts';

const REQUESTS = 2000;
const GUILD = '100000000000000001';
const ALEX = '200000000000000101';

test(`${REQUESTS} hostile requests get no 5xx, no page from the API, no stack and no hang`, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'votary-hostile-'));
  const store = await openStore({ kind: 'sqlite', path: join(folder, 'votary.db') });
  const secrets = deriveSecrets('a master secret for tests');
  const clock = testClock(new Date().toISOString());
  await store.guilds.add({ guildId: GUILD, name: 'Demo', createdAt: 0 });
  await store.guilds.setPremiumUntil(GUILD, clock() + 1e9);
  const key = await issueKey(store, secrets, GUILD, 0);
  const discord = await startFakeDiscord();
  const guilds = [{ id: GUILD, name: 'Demo', owner: true, permissions: '8' }];
  discord.tokens.set(PASSPORT_TOKEN, { id: ALEX, username: 'alex', global_name: null, guilds });
  const office = await openPassportOffice(secrets, { isDemo: false });
  const { cookie } = await office.issue(ALEX);
  const app = buildServer({
    ...testServerDeps(store, clock, secrets),
    // No limit is in the way, so that every request gets as far as it can.
    rateLimit: { requests: 1_000_000, windowMs: 60_000 },
    signIn: chooseSignIn(readConfig(discord.env), clock),
    transport: { kind: 'proxy', trusted: ['127.0.0.1'] },
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(async () => {
    await app.close();
    await store.close();
    await office.close();
    await discord.close();
    await rm(folder, { recursive: true });
  });
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const usualHeaders = (n: number) => [
    'x-forwarded-proto: https',
    'host: localhost',
    `cookie: ${cookie}`,
    ...(n % 4 === 0 ? [] : [`authorization: Bearer ${key}`]),
  ];

  const counts = await shoot({ port, isTls: false }, { usualHeaders }, { count: REQUESTS, seed: 6 });
  assert.deepEqual(counts.faults, []);
  assert.equal(counts.requests, REQUESTS);
  // The campaign reaches every part of the house: answers of many kinds, none of them a failure.
  for (const status of ['200', '303', '400', '401', '403', '404', '405', '431'])
    assert.ok(counts.statuses[status], `no answer was ${status}: ${JSON.stringify(counts.statuses)}`);
});
