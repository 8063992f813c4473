import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { assertFailed, GUILD, type Home, makeHome } from '../cli/votary.ts';
import { createTestDatabase, runOn, type TestDatabase } from '../support/postgres/postgres.ts';
import { type PostgresServer, startPostgresServer } from '../support/postgres/postgres-server.ts';
import { serve } from '../support/serve.ts';

const CHECK = '/v7/vote-check?discord_id=200000000000000001';
const SECRET = 'a master secret for tests';

describe('the service on PostgreSQL', () => {
  let server: PostgresServer;
  let database: TestDatabase;

  before(async () => {
    server = await startPostgresServer();
    database = await createTestDatabase(server.url);
  });
  after(() => server.remove());

  const openHome = () =>
    makeHome({ VOTARY_PORT: '0', VOTARY_DATABASE_URL: database.url, VOTARY_SECRET: SECRET });

  async function openKey(home: Home): Promise<string> {
    await home.votary('guild', 'add', GUILD);
    return Object(await home.json('key', 'generate', GUILD)).key;
  }

  test('processes share one rate limit: two of them allow thirty requests in total', async () => {
    const home = await openHome();
    const key = await openKey(home);
    const processes = await Promise.all([serve(home), serve(home)]);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => processes[index % 2]?.get(CHECK, key)),
    );
    const passed = answers.filter((answer) => answer?.status === 200);
    const limited = answers.filter((answer) => answer?.body.error === 'RATE_LIMITED');
    assert.deepEqual([passed.length, limited.length], [30, 20]);
    assert.deepEqual(await Promise.all(processes.map((served) => served.stop())), [0, 0]);
  });

  test('an unavailable database results in 503 and not ready, and the service recovers by itself', async () => {
    const home = await openHome();
    const key = await openKey(home);
    const served = await serve(home);
    assert.equal((await served.get(CHECK, key)).status, 200);

    await server.stop();
    const lost = await served.get(CHECK, key);
    assert.deepEqual([lost.status, lost.body.error, lost.body.retry_after], [503, 'SERVICE_UNAVAILABLE', 5]);
    assert.equal((await served.get('/readyz')).status, 503);
    assert.equal((await served.get('/healthz')).status, 200);

    await server.start();
    assert.equal((await served.get('/readyz')).status, 200);
    assert.equal((await served.get(CHECK, key)).status, 200);
    assert.equal(await served.stop(), 0);
  });

  test('the documented roles work: one migrates its own schema, the other serves and cannot change tables', async () => {
    const { url } = await createTestDatabase(server.url);
    const guide = await readFile(new URL('../../docs/operating.md', import.meta.url), 'utf8');
    const statements = /```sql\n(CREATE ROLE votary_owner[\s\S]*?)```/.exec(guide)?.[1] ?? '';
    await runOn(url, statements);
    const homeOf = (role: string, password: string) => {
      const address = new URL(url);
      Object.assign(address, { username: role, password, search: '?options=-csearch_path%3Dvotary' });
      return makeHome({ VOTARY_PORT: '0', VOTARY_DATABASE_URL: address.href, VOTARY_SECRET: SECRET });
    };
    const app = await homeOf('votary_app', 'APP-PASSWORD');
    assertFailed(await app.votary('migrate'), /run "votary migrate" as the owner/);
    const owner = await homeOf('votary_owner', 'OWNER-PASSWORD');
    assert.equal((await owner.votary('migrate')).code, 0);

    const key = await openKey(app);
    const line = { guild_id: GUILD, user_id: '200000000000000001', timestamp: new Date().toISOString() };
    assert.equal((await app.pipe(JSON.stringify(line), 'votes', 'import', '-')).code, 0);
    const served = await serve(app);
    const { status, body } = await served.get(CHECK, key);
    assert.deepEqual([status, body.has_voted], [200, true]);
    assert.equal((await served.get('/readyz')).status, 200);
    assert.equal(await served.stop(), 0);
    const [votes] = await runOn(
      url,
      "SELECT tableowner, schemaname FROM pg_tables WHERE tablename = 'votes'",
    );
    assert.deepEqual(votes, { tableowner: 'votary_owner', schemaname: 'votary' });
    await assert.rejects(runOn(url, 'SET ROLE votary_app; DROP TABLE votary.votes'), /must be owner/);
  });

  test('an open request gets its response before the process stops', async () => {
    const home = await openHome();
    const key = await openKey(home);
    const served = await serve(home);
    const blocker = new pg.Client({ connectionString: database.url });
    await blocker.connect();
    await blocker.query('BEGIN; LOCK TABLE votes');
    const answer = served.get(CHECK, key);
    await untilSomebodyWaits(blocker);

    const exit = once(served.process, 'exit');
    served.process.kill('SIGTERM');
    await served.untilPrinted('"stopping"');
    await blocker.query('COMMIT');
    await blocker.end();
    assert.equal((await answer).status, 200);
    assert.deepEqual(await exit, [0, null]);
  });
});

async function untilSomebodyWaits(client: pg.Client): Promise<void> {
  for (;;) {
    const { rowCount } = await client.query('SELECT FROM pg_locks WHERE NOT granted');
    if (rowCount) return;
  }
}
