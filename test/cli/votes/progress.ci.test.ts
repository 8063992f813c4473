import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { startProgress } from '../../../src/cli/progress.ts';
import { finish, LAUNCHER, makeHomeWithGuild, voteLine } from '../votary.ts';

/** `script` of util-linux runs a command on a pseudo-terminal; other machines may lack it. */
const script = spawnSync('script', ['--version'], { encoding: 'utf8' });
const skip = !script.stdout?.includes('util-linux') && 'no util-linux script on this machine';

/** Both outputs of a command that runs on a terminal. */
async function onTerminal(dataDir: string, args: string): Promise<string> {
  const command = `${process.execPath} ${LAUNCHER} ${args}`;
  const env = { VOTARY_DATA_DIR: dataDir, TERM: 'xterm', SHELL: '/bin/sh', PATH: '/usr/bin:/bin' };
  const child = spawn('script', ['-qec', command, '/dev/null'], { env });
  return (await finish(child)).stdout;
}

describe('the progress of an import', { concurrency: 2 }, () => {
  /** What is written while 5 of 8 bytes are read in twenty-five seconds, without a terminal. */
  async function linesOf(sizeBytes: number | null, json = false): Promise<string> {
    const stderr = new PassThrough();
    let now = 0;
    const progress = startProgress({ stderr, wantsJson: () => json, clock: () => now }, sizeBytes);
    for (const second of [1, 9, 10, 11, 25]) {
      now = second * 1000;
      progress.bytes(1);
      progress.votes(second * 1000);
    }
    progress.stop();
    stderr.end();
    return text(stderr);
  }

  it('is a line every ten seconds without a terminal, as in the log of a job', async () => {
    assert.equal(await linesOf(8), '10,000 votes read (37%)\n25,000 votes read (62%)\n');
    assert.equal(await linesOf(null), '10,000 votes read\n25,000 votes read\n');
  });

  /** The lines that a terminal shows one after the other. Each step: the second, bytes read in it, votes read so far. */
  async function drawn(sizeBytes: number | null, steps: [number, number, number][]): Promise<string[]> {
    const stderr = Object.assign(new PassThrough(), { isTTY: true as const });
    let now = 0;
    const progress = startProgress({ stderr, wantsJson: () => false, clock: () => now }, sizeBytes);
    for (const [second, bytes, votes] of steps) {
      now = second * 1000;
      progress.votes(votes);
      progress.bytes(bytes);
    }
    progress.stop();
    stderr.end();
    return (await text(stderr)).split('\r\x1b[K').slice(1);
  }

  it('is a bar with the share that was read, the number of votes and the time left', async () => {
    assert.deepEqual(
      await drawn(1000, [
        [0, 100, 10],
        [10, 150, 2000],
        [30, 250, 4500],
        [40, 500, 9000],
      ]),
      [
        `[${'-'.repeat(30)}] 0% | 10 votes | ? left`,
        `[===${'-'.repeat(27)}] 10% | 2,000 votes | 1m30s left`,
        `[========${'-'.repeat(22)}] 25% | 4,500 votes | 1m30s left`,
        `[===============${'-'.repeat(15)}] 50% | 9,000 votes | 40s left`,
        `[${'='.repeat(30)}] 100% | 9,000 votes | 0s left`,
        '',
      ],
    );
  });

  it('is drawn at most ten times a second', async () => {
    const steps = Array.from({ length: 1000 }, (_, i): [number, number, number] => [i / 1000, 1, i]);
    assert.equal((await drawn(1000, steps)).length, 10 + 2);
  });

  it('is complete for an empty file, and for one that grows while it is read', async () => {
    assert.deepEqual(await drawn(0, []), [`[${'='.repeat(30)}] 100% | 0 votes | 0s left`, '']);
    const lines = await drawn(10, [[1, 20, 3]]);
    assert.equal(lines.at(-2), `[${'='.repeat(30)}] 100% | 3 votes | 0s left`);
  });

  it('shows long waits in hours', async () => {
    const lines = await drawn(1000, [
      [100, 10, 1],
      [101, 0, 1],
    ]);
    assert.match(String(lines.at(-2)), /\| 2h46m left$/);
  });

  it('is a number of votes if the size is unknown', async () => {
    assert.deepEqual(await drawn(null, [[1, 5, 1234]]), ['1,234 votes read', '1,234 votes read', '']);
  });

  it('is not written with JSON', async () => {
    assert.equal(await linesOf(8, true), '');
  });

  it('is a bar for a file and a counter for standard input', { skip }, async () => {
    const home = await makeHomeWithGuild();
    const file = await home.file('votes.ndjson', `${voteLine()}\n`);
    assert.match(
      await onTerminal(home.dataDir, `votes import ${file}`),
      /\[=+\] 100% \| 1 votes .*1 vote imported/s,
    );
    assert.match(
      await onTerminal(home.dataDir, `votes import - < ${file}`),
      /1 votes read.*0 votes imported, 1 already existed/s,
    );
    assert.equal(
      (await onTerminal(home.dataDir, `votes import --json ${file}`)).trim(),
      '{"imported":0,"skipped":1}',
    );
  });
});
