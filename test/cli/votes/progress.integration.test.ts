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
    const progress = await startProgress({ stderr, wantsJson: () => json, clock: () => now }, sizeBytes);
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
