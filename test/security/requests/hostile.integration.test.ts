import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type DatabaseUrl, readConfig } from '../../../src/config.ts';
import { deriveSecrets } from '../../../src/domain/secrets.ts';
import { buildServer } from '../../../src/server.ts';
import { chooseSignIn } from '../../../src/service.ts';
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
import { createTestDatabase } from '../../support/postgres/postgres.ts';

/** A prime, so that other places are left out for each run. */
const STRIDE = 17;
const REQUESTS = { sqlite: 2000, postgres: 1000 };

test(`${REQUESTS.sqlite} hostile requests cause no 5xx, no HTML from the API, no stack trace, no hang and no CPU time above 50 ms`, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'votary-hostile-'));
  t.after(() => rm(folder, { recursive: true }));
  const database = { kind: 'sqlite', path: join(folder, 'votary.db') } as const;
  const counts = await bombard(database, { count: REQUESTS.sqlite, stride: STRIDE });
  assert.deepEqual(counts.faults, []);
  assert.ok(counts.requests > REQUESTS.sqlite);
  assert.ok(counts.whole > REQUESTS.sqlite / 2, `only ${counts.whole} were whole requests`);
  // The requests reach every part of the server: many kinds of responses, and no failures.
  for (const status of ['200', '303', '400', '401', '403', '404', '405', '431'])
    assert.ok(counts.statuses[status], `no answer was ${status}: ${JSON.stringify(counts.statuses)}`);
  assert.notEqual(counts.formsTaken, 0);
});

test(`${REQUESTS.postgres} hostile requests cause no error on PostgreSQL, which does not accept NUL`, async (t) => {
  const { url, drop } = await createTestDatabase();
  t.after(drop);
  const counts = await bombard({ kind: 'postgres', url }, { count: REQUESTS.postgres });
  assert.deepEqual(counts.faults, []);
  assert.notEqual(counts.formsTaken, 0);
});

async function bombard(
  database: DatabaseUrl,
  volley: { count: number; stride?: number },
): Promise<ShotCounts> {
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
    operators: new Set(operatorsAmong(sessions)),
    signIn: chooseSignIn(readConfig(discord.env), clock),
    transport: { kind: 'proxy', trusted: ['127.0.0.1'] },
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  try {
    const address = app.server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const options = withSessions(sessions, [key]);
    return await shoot({ port, isTls: false }, options, { seed: 6, cpu: ownCpu, ...volley });
  } finally {
    await app.close();
    await store.close();
    await issuer.close();
    await discord.close();
  }
}
