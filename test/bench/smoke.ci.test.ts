import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';

const RUN = join(import.meta.dirname, '../../bench/run.ts');

const KEYS = [
  'vote_check_vs_bare_http',
  'vote_check_vs_express',
  'p99_ratio_at_80',
  'vote_check_tls_vs_bare_https',
  'vote_check_pg_vs_one_read',
  'workers_scaling',
  'list_growth',
  'list_1000_vs_raw',
  'import_vs_raw',
  'rss_mb_10m',
  'start_ms_10m',
  'cast_vs_raw_sqlite',
  'cast_vs_raw_postgres',
  'claims_vs_plain_write',
  'claims_pg_vs_plain_write',
  'checks_with_1000_waiting_vs_idle',
  'rss_mb_1000_waiting',
  'webhooks_vs_fetch',
  'pages_median_ms',
  'machine_slowdown',
];

const folder = await mkdtemp(join(tmpdir(), 'votary-bench-'));
// PostgreSQL does not run as root, and its user must be able to enter the folder.
await chmod(folder, 0o755);
after(() => rm(folder, { recursive: true, force: true }));

async function run(...args: string[]) {
  const child = spawn(process.execPath, [RUN, ...args]);
  const exit = new Promise((resolve) => child.once('exit', resolve));
  const [code, out, err] = await Promise.all([exit, text(child.stdout), text(child.stderr)]);
  return { code, out, err };
}

test('the benchmark completes and prints every figure', async () => {
  const { code, out, err } = await run('--smoke', '--json', '--data', folder);
  assert.equal(code, 0, err);
  const last: Record<string, unknown> = JSON.parse(out.trimEnd().split('\n').at(-1) ?? '');
  const { commit, machine_stolen: stolen, ...figures } = last;
  assert.match(String(commit), /^[0-9a-f]+\+?$/);
  assert.ok(stolen === null || (typeof stolen === 'number' && stolen >= 0 && stolen < 1), `${stolen}`);
  assert.deepEqual(Object.keys(figures), KEYS);
  for (const [key, value] of Object.entries(figures)) {
    assert.ok(typeof value === 'number' && Number.isFinite(value) && value > 0, `${key} is ${value}`);
  }
});

test('another commit is measured beside this one', async () => {
  const args = ['--smoke', '--json', '--data', folder, '--only', 'http', '--against', 'HEAD'];
  const { code, out, err } = await run(...args);
  assert.equal(code, 0, err);
  const { commit, against } = JSON.parse(out);
  assert.equal(against.commit, commit.replace('+', ''));
  assert.ok(against.http.requests > 0 && against.http.cpu > 0, out);
});

test('an unknown option is reported together with the known ones', async () => {
  const { code, err } = await run('--quik');
  assert.equal(code, 2);
  assert.match(err, /--quick --json/);
});
