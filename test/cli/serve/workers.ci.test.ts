import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { freePort } from '../../support/free-port.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres/postgres.ts';
import { type Served, serve } from '../../support/serve.ts';
import { assertBadUsage, assertFailed, finish, GUILD, makeHome } from '../votary.ts';

const CHECK = '/v7/vote-check?discord_id=200000000000000001';

type Line = { msg: string; pid: number; worker?: number; workers?: number };

describe('serve --workers', { timeout: 300_000 }, () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  const openHome = async (env: Record<string, string> = {}) =>
    makeHome({
      VOTARY_PORT: '0',
      VOTARY_DATABASE_URL: database.url,
      VOTARY_SECRET: 'a master secret for tests',
      VOTARY_RATE_LIMIT: '10000',
      VOTARY_LOG_LEVEL: 'info',
      ...env,
    });

  test('replaces a worker that is killed, keeps responding, adds up metrics, and exits with 0', async () => {
    const metricsPort = String(await freePort());
    const home = await openHome({ VOTARY_METRICS_PORT: metricsPort });
    await home.votary('guild', 'add', GUILD);
    const { key } = Object(await home.json('key', 'generate', GUILD));
    const served = await serve(home, '--workers', '2');
    await served.untilPrinted('all workers are listening');
    const scrape = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();

    await askTimes(served, key, 20);
    const workers = new Map(linesOf(served, 'listening').map(({ worker, pid }) => [worker, pid]));
    assert.deepEqual([...workers.keys()].sort(), [1, 2]);
    assert.equal(new Set(workers.values()).size, 2);
    const askedOf = new Set(linesOf(served, 'request').map(({ worker }) => worker));
    assert.deepEqual([...askedOf].sort(), [1, 2]);
    const before = await scrape();
    assert.match(before, /^votary_workers 2$/m);
    assert.match(before, /^votary_worker_restarts_total 0$/m);
    assert.equal(checksIn(before), 20);

    process.kill(workers.get(1) ?? 0, 'SIGKILL');
    await served.untilPrinted('a worker exited and will be restarted');
    await askTimes(served, key, 20);
    await untilLogged(served, 'listening', 3);
    await askTimes(served, key, 20);
    const after = await scrape();
    assert.match(after, /^votary_workers 2$/m);
    assert.match(after, /^votary_worker_restarts_total 1$/m);
    assert.equal(checksIn(after), 60);
    // The webhook queue is counted once, although both workers see it.
    assert.match(after, /^votary_webhook_deliveries_pending\{state="due"\} 0$/m);
    assert.match(after, /^votary_database_pool_size 20$/m);

    assert.equal(await served.stop(), 0);
    for (const pid of linesOf(served, 'listening').map((line) => line.pid))
      assert.throws(() => process.kill(pid, 0));
  });

  test('makes every worker reload the certificate on SIGHUP', async () => {
    const served = await serve(await openHome(), '--workers', '2');
    await served.untilPrinted('all workers are listening');
    served.process.kill('SIGHUP');
    await untilLogged(served, 'certificate loaded', 2);
    const loaded = linesOf(served, 'certificate loaded').map(({ worker }) => worker);
    assert.deepEqual(loaded.sort(), [1, 2]);
    assert.equal(await served.stop('SIGINT'), 0);
  });

  test('stops its workers when the primary is killed', async () => {
    const served = await serve(await openHome(), '--workers', '2');
    await served.untilPrinted('all workers are listening');
    // The workers keep stderr open as long as they run.
    const closed = once(served.process, 'close');
    served.process.kill('SIGKILL');
    assert.deepEqual(await closed, [null, 'SIGKILL']);
  });

  test('reports once, in one line, why its workers cannot start', async (t) => {
    const holder = createServer().listen(0, '127.0.0.1');
    t.after(() => holder.close());
    await once(holder, 'listening');
    const address = holder.address();
    assert.ok(address && typeof address === 'object');
    const home = await openHome({ VOTARY_PORT: String(address.port), VOTARY_LOG_LEVEL: 'warn' });
    const outcome = await finish(home.start('serve', '--workers', '3', '--json'));
    assertFailed(outcome, new RegExp(`VOTARY_PORT ${address.port} is in use`));
  });

  test('is rejected on SQLite', async () => {
    const home = await makeHome({ VOTARY_PORT: '0' });
    assertFailed(await home.votary('serve', '--workers', '2'), /--workers needs PostgreSQL/);
  });

  test('accepts a number from 1 to 128', async () => {
    const home = await openHome();
    for (const count of ['0', '-1', '1.5', 'many', '', '129', '2x']) {
      assertBadUsage(await home.votary('serve', '--workers', count), /It must be a number from 1 to 128/);
    }
  });
});

function linesOf(served: Served, message: string): Line[] {
  const whole = served.printed().split('\n').slice(0, -1);
  return whole.map((line): Line => JSON.parse(line)).filter(({ msg }) => msg === message);
}

async function untilLogged(served: Served, message: string, times: number): Promise<void> {
  const { stdout } = served.process;
  assert.ok(stdout);
  while (linesOf(served, message).length < times) await once(stdout, 'data');
}

/** One connection each. */
async function askTimes(served: Served, key: string, times: number): Promise<void> {
  for (let asked = 0; asked < times; asked += 1) assert.equal((await served.get(CHECK, key)).status, 200);
}

function checksIn(metrics: string): number {
  const [, count] =
    /^votary_http_requests_total\{route="\/v7\/vote-check",status="200"\} (\d+)$/m.exec(metrics) ?? [];
  return Number(count);
}
