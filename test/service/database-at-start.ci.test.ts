import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { generateApiKey } from '../../src/domain/keys/api-key.ts';
import { assertFailed, finish, GUILD, makeHome } from '../cli/votary.ts';
import { freePort } from '../support/free-port.ts';
import { createTestDatabase, runOn, type TestDatabase } from '../support/postgres/postgres.ts';
import { type PostgresServer, startPostgresServer } from '../support/postgres/postgres-server.ts';
import { type Served, serve } from '../support/serve.ts';

const CHECK = '/v7/vote-check?discord_id=200000000000000001';
const SECRET = 'a master secret for tests';
const NOT_YET = { ok: false, reason: 'the database is not responding' };

describe('a service that starts before its PostgreSQL', { timeout: 300_000 }, () => {
  let server: PostgresServer;
  let database: TestDatabase;
  before(async () => {
    server = await startPostgresServer();
    database = await createTestDatabase(server.url);
    await server.stop();
  });
  after(() => server.remove());

  const openHome = (variables: Record<string, string> = {}) =>
    makeHome({
      VOTARY_PORT: '0',
      VOTARY_DATABASE_URL: database.url,
      VOTARY_SECRET: SECRET,
      ...variables,
    });

  async function assertWaiting(served: Served): Promise<void> {
    await served.untilPrinted('waiting for the database');
    assert.equal((await served.get('/healthz')).status, 200);
    assert.deepEqual(await served.get('/readyz'), { status: 503, body: NOT_YET });
    const check = await served.get(CHECK, generateApiKey());
    assert.deepEqual(
      [check.status, check.body.error, check.body.retry_after],
      [503, 'SERVICE_UNAVAILABLE', 5],
    );
    const page = await served.page(`/guild/${GUILD}/vote`);
    assert.deepEqual([page.status, page.retryAfter], [503, '5']);
    assert.match(page.text, /Temporarily unavailable/);
  }

  for (const options of [[], ['--workers', '2']]) {
    const name = ['serve', ...options].join(' ');

    test(`${name} listens, responds with 503, and is ready without a restart once the database runs`, async () => {
      const served = await serve(await openHome(), ...options);
      await assertWaiting(served);

      await server.start();
      await served.untilPrinted('the database is open');
      const home = await openHome();
      await home.votary('guild', 'add', GUILD);
      const { key } = Object(await home.json('key', 'generate', GUILD));
      assert.equal((await served.get(CHECK, key)).status, 200);
      assert.deepEqual(await served.get('/readyz'), { status: 200, body: { ok: true } });
      assert.equal(served.printed().split('waiting for the database').length, 2);
      assert.equal(await served.stop(), 0);
      await server.stop();
    });

    test(`${name} stops with 0 while it waits`, async () => {
      const served = await serve(await openHome(), ...options);
      await served.untilPrinted('waiting for the database');
      assert.equal(await served.stop(), 0);
    });

    test(`${name} ends with one line when the database that it waited for has another secret`, async () => {
      await server.start();
      await (await openHome()).votary('guild', 'list');
      await runOn(
        database.url,
        "INSERT INTO master_secret (id, fingerprint) VALUES (1, 'other') ON CONFLICT (id) DO UPDATE SET fingerprint = 'other'",
      );
      await server.stop();
      const served = await serve(await openHome(), ...options);
      await served.untilPrinted('waiting for the database');
      const exited = served.untilExit();
      await server.start();
      assert.equal(await exited, 1);
      const errors = served.printed().match(/^votary: .*/gm) ?? [];
      assert.equal(errors.length, 1);
      assert.match(errors[0], /^votary: VOTARY_SECRET does not match this database/);
      await runOn(database.url, 'DELETE FROM master_secret');
      await server.stop();
    });
  }

  test('commands do not wait, and name the host without the password', async () => {
    const url = `postgres://votary:hidden-password@127.0.0.1:${await freePort()}/votary`;
    const home = await openHome({ VOTARY_DATABASE_URL: url });
    for (const command of [['guild', 'list'], ['migrate'], ['serve', '--demo']]) {
      const outcome = await home.votary(...command);
      assertFailed(outcome, /127\.0\.0\.1:\d+ cannot be opened: there is no response/);
      assert.ok(!outcome.stderr.includes('hidden-password'));
    }
  });

  test('a wrong password and a missing database still end the start with one line', async () => {
    await server.start();
    const wrong = (change: Partial<URL>) => Object.assign(new URL(database.url), change).href;
    for (const [variables, expected] of [
      [{ VOTARY_DATABASE_URL: wrong({ password: 'wrong' }) }, /Correct the user or the password/],
      [{ VOTARY_DATABASE_URL: wrong({ pathname: '/nothing' }) }, /does not exist. Create it/],
    ] as const) {
      const home = await openHome({ ...variables, VOTARY_LOG_LEVEL: 'warn' });
      assertFailed(await finish(home.start('serve')), expected);
    }
    await server.stop();
  });
});
