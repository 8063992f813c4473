/** The examples of the Developer & API page, run as an admin would paste them. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { examplesOf } from '../../../src/site/dashboard/key/examples.ts';
import { startLive } from '../../clients/live.ts';
import { temporaryFolder } from '../../http/support.ts';
import { requirement } from '../../support/requirement.ts';

const USER = '200000000000000001';
const NAME = 'Steve_42';
const run = promisify(execFile);

describe('the examples', async () => {
  const live = await startLive();
  const programs: [id: string, file: string, command: string, skip: string | false][] = [
    ['curl', 'claim.sh', 'sh', requirement('curl')],
    ['node', 'claim.mjs', process.execPath, false],
    ['php', 'claim.php', 'php', requirement('php')],
    ['python', 'claim.py', 'python3', requirement('python')],
  ];
  for (const [id, file, command, skip] of programs) {
    it(`claim a vote once with ${id}`, { skip }, async (t) => {
      const community = await live.addCommunity();
      await community.cast({ externalId: NAME });
      const claim = await unpack(t, file, { id, key: community.key });
      assert.match(await claim(command), new RegExp(`Reward ${USER} for vote_|"claimed":true`));
      assert.match(await claim(command), /No vote to reward|"claimed":false/);
      assert.deepEqual(await community.claims(NAME), { claimable: 0, claimed: 1 });
    });
  }

  async function unpack(t: TestContext, file: string, { id, key }: { id: string; key: string }) {
    const folder = await temporaryFolder(t);
    const example = examplesOf({ site: live.url, userId: USER, key }).find((one) => one.id === id);
    await writeFile(join(folder, file), example?.code ?? '');
    const env = { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' };
    return async (command: string) => (await run(command, [file], { cwd: folder, env })).stdout;
  }
});

describe('the examples for a public site', () => {
  const examples = examplesOf({ site: 'https://votes.example.org', userId: USER, key: 'vty_x' });
  const codeOf = (id: string) => examples.find((example) => example.id === id)?.code ?? '';

  it('are valid PHP', { skip: requirement('php') }, async () => {
    await run('php', ['-r', 'token_get_all($argv[1], TOKEN_PARSE);', codeOf('php')]);
  });

  it('are valid Python', { skip: requirement('python') }, async () => {
    await run('python3', ['-c', 'import ast, sys; ast.parse(sys.argv[1])', codeOf('python')]);
  });

  it('are valid Java', { skip: requirement('java') }, async (t) => {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, 'Claim.java'), codeOf('java'));
    await run('javac', ['Claim.java'], { cwd: folder });
  });
});
