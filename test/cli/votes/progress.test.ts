import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { isWatched } from '../../../src/cli/votes.ts';
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
  it('is shown on a terminal, and never with JSON', () => {
    const watched = (isTTY: boolean, json: boolean) =>
      isWatched({ stderr: Object.assign(new PassThrough(), { isTTY }), wantsJson: () => json });
    assert.deepEqual(
      [watched(true, false), watched(true, true), watched(false, false)],
      [true, false, false],
    );
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
