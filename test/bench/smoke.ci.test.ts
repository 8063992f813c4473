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
  'vote_check_tls_vs_bare_https',
  'vote_check_pg_vs_one_read',
  'list_growth',
  'list_1000_vs_raw',
  'import_vs_raw',
  'rss_mb_10m',
  'start_ms_10m',
  'claims_vs_plain_write',
  'claims_pg_vs_plain_write',
  'checks_with_1000_waiting_vs_idle',
  'rss_mb_1000_waiting',
  'pages_median_ms',
];

const folder = await mkdtemp(join(tmpdir(), 'votary-bench-'));
// PostgreSQL does not run as root, and its user must be able to enter the folder.
await chmod(folder, 0o755);
after(() => rm(folder, { recursive: true, force: true }));

test('the benchmark completes and prints every figure', async () => {
  const child = spawn(process.execPath, [RUN, '--smoke', '--json', '--data', folder]);
  const exit = new Promise((resolve) => child.once('exit', resolve));
  const [code, out, err] = await Promise.all([exit, text(child.stdout), text(child.stderr)]);
  assert.equal(code, 0, err);
  const figures: Record<string, unknown> = JSON.parse(out.trimEnd().split('\n').at(-1) ?? '');
  assert.deepEqual(Object.keys(figures), KEYS);
  for (const [key, value] of Object.entries(figures)) {
    assert.ok(typeof value === 'number' && Number.isFinite(value) && value > 0, `${key} is ${value}`);
  }
});

test('an unknown option is reported together with the known ones', async () => {
  const child = spawn(process.execPath, [RUN, '--quik']);
  const exit = new Promise((resolve) => child.once('exit', resolve));
  const [code, err] = await Promise.all([exit, text(child.stderr)]);
  assert.equal(code, 2);
  assert.match(err, /--quick --json/);
});
