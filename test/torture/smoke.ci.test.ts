import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { TRIALS } from '../../torture/trials.ts';

const RUNNER = fileURLToPath(new URL('../../torture/run.ts', import.meta.url));

async function torture(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [RUNNER, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = once(child, 'exit');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await exit;
  return { code, stdout, stderr };
}

describe('the torture campaign', () => {
  it('runs, scaled down, and prints one document with the results', async () => {
    const names = [
      'crash-sqlite',
      'copy',
      'rate-limit',
      'claims-once',
      'rewards-once',
      'feed-complete',
      'feed-restored',
      'goals-once',
      'key-change-sqlite',
      'farm',
      'slow-clients',
    ];
    const { code, stdout, stderr } = await torture(
      '--quick',
      '--json',
      ...names.flatMap((name) => ['--only', name]),
    );
    const { held, promises } = JSON.parse(stdout);
    assert.deepEqual({ code, held }, { code: 0, held: true }, stderr);
    assert.deepEqual(
      promises.map(({ name }: { name: string }) => name),
      names,
    );
    for (const { name, faults } of promises) assert.equal(faults, 0, name);
    const [crash, copy, rateLimit, claims, rewards, feed, restored, goals, keyChange, farm] = promises;
    assert.deepEqual([crash.rounds, crash.lost, crash.doubled], [2, 0, 0]);
    // A copy that is faster than the one it was timed by ends before its kill.
    assert.ok(copy.sqlite_to_postgres.kills >= 1 && copy.postgres_to_sqlite.kills >= 1);
    assert.deepEqual([rateLimit.requests, rateLimit.passed], [100, 30]);
    // One vote, claimed once by each of two consumers.
    assert.deepEqual([claims.requests, claims.claimed, claims.lost, claims.kills], [100, 2, 0, 1]);
    // Every vote once for each of two consumers.
    for (const { votes, rewarded, doubled } of [rewards.sqlite, rewards.postgres])
      assert.deepEqual([votes, rewarded, doubled], [100, 200, 0]);
    assert.deepEqual([feed.kills, feed.readers], [1, 4]);
    assert.deepEqual([restored.rounds, restored.readers], [3, 4]);
    assert.deepEqual([goals.sqlite_month.events, goals.postgres_month.events], [1, 1]);
    assert.deepEqual([keyChange.refused_after, keyChange.let_in_after], [48, 0]);
    assert.equal(farm['1_networks_unsolved'].passed, 4);
  });

  it('lists its promises if asked for an unknown one', async () => {
    const { code, stderr } = await torture('--only', 'eternity');
    assert.equal(code, 2);
    assert.match(stderr, /no promise named eternity; there are: crash-sqlite, /);
  });

  for (const option of ['--help', '-h']) {
    it(`shows its options and promises with ${option}`, async () => {
      const { code, stdout, stderr } = await torture(option);
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, /^Usage: npm run torture -- \[options\]\n/);
      for (const { name } of TRIALS) assert.ok(stdout.split('\n').includes(`  ${name}`), name);
    });
  }

  for (const [args, problem] of [
    [['--quik'], "Unknown option '--quik'"],
    [['crash-sqlite'], "Unexpected argument 'crash-sqlite'"],
    [['--only'], "Option '--only <value>' argument missing"],
    [['--only', '--quick'], "Option '--only' argument is ambiguous"],
  ] as const) {
    it(`rejects ${args.join(' ')} with one line`, async () => {
      const { code, stdout, stderr } = await torture(...args);
      assert.deepEqual([code, stdout, stderr], [2, '', `torture: ${problem}; see --help\n`]);
    });
  }
});
