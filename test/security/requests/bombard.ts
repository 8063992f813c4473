import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type DatabaseUrl, readConfig } from '../../../src/config.ts';
import { deriveSecrets } from '../../../src/domain/secrets.ts';
import { buildServer } from '../../../src/server.ts';
import { chooseSignIn } from '../../../src/site/sign-in/choose-sign-in.ts';
import { openStore } from '../../../src/store/open.ts';
import { openSessionIssuer } from '../../../torture/lib/sessions.ts';
import { ownCpu } from '../../../torture/promises/hostile/cpu-cost.ts';
import {
  operatorsAmong,
  seed,
  signInAdmins,
  withSessions,
} from '../../../torture/promises/hostile/hostile-fixture.ts';
import { type ShotCounts, shoot } from '../../../torture/promises/hostile/shoot.ts';
import { testServerDeps } from '../../support/api.ts';
import { testClock } from '../../support/clock.ts';
import { startFakeDiscord } from '../../support/discord/fake-discord.ts';

/** `stride`: see `Volley` of the torture campaign. */
type Requests = { count: number; stride?: number };

/** Asserts that hostile requests to a server on SQLite cause no fault, and that they reach every part of the server. */
export async function assertHarmless(t: TestContext, requests: Requests): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'votary-hostile-'));
  t.after(() => rm(folder, { recursive: true }));
  const counts = await bombard({ kind: 'sqlite', path: join(folder, 'votary.db') }, requests);
  assert.deepEqual(counts.faults, []);
  assert.ok(counts.requests >= requests.count);
  assert.ok(counts.whole > requests.count / 2, `only ${counts.whole} were whole requests`);
  for (const status of ['200', '201', '303', '400', '401', '403', '404', '405', '431'])
    assert.ok(counts.statuses[status], `no answer was ${status}: ${JSON.stringify(counts.statuses)}`);
  assert.notEqual(counts.formsTaken, 0);
}

/** Sends hostile requests to a server on this database. */
export async function bombard(database: DatabaseUrl, requests: Requests): Promise<ShotCounts> {
  const store = await openStore(database);
  const secrets = deriveSecrets('a master secret for tests');
  const clock = testClock(new Date().toISOString());
  const key = await seed(store, secrets, clock());
  const discord = await startFakeDiscord();
  const issuer = await openSessionIssuer(secrets);
  const sessions = await signInAdmins(discord, issuer);
  const app = buildServer({
    ...testServerDeps(store, clock, secrets),
    // Without limits, so that every request gets as far as possible.
    rateLimit: { requests: 1_000_000, windowMs: 60_000 },
    manageRateLimit: { requests: 1_000_000, windowMs: 60_000 },
    operators: new Set(operatorsAmong(sessions)),
    signIn: chooseSignIn(readConfig(discord.env), clock),
    transport: { kind: 'proxy', trusted: ['127.0.0.1'] },
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  try {
    const address = app.server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const options = withSessions(sessions, [key]);
    return await shoot({ port, isTls: false }, options, { seed: 6, cpu: ownCpu, ...requests });
  } finally {
    await app.close();
    await store.close();
    await issuer.close();
    await discord.close();
  }
}
