import assert from 'node:assert/strict';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../http/support.ts';
import { ROOT, run, write } from './programs.ts';

/** Options for machines without a registry, and for short output; the commands themselves are unchanged. */
const NPM = { npm_config_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };

const PROGRAM = `
import { Votary } from '@votary/sdk';
try { new Votary({ apiKey: 'vty_', baseUrl: 'http://example.org' }); } catch (error) { console.log(error.code); }`;

test('the SDK installs from a clone into an empty project with the commands of /docs/clients', async (t) => {
  const folder = await temporaryFolder(t);
  const clone = join(folder, 'votary');
  const project = join(folder, 'my-bot');
  await mkdir(project);
  const isSource = (path: string) => !path.includes(join('sdk', 'dist')) && !path.endsWith('.tgz');
  for (const name of ['sdk', 'tsconfig.json', 'package.json']) {
    await cp(join(ROOT, name), join(clone, name), { recursive: true, filter: isSource });
  }
  await symlink(join(ROOT, 'node_modules'), join(clone, 'node_modules'), 'junction');
  for (const [commands, cwd] of [
    ['cd sdk && npm pack', clone],
    ['npm init -y && npm install ../votary/sdk/votary-sdk-*.tgz', project],
  ] as const) {
    const outcome = await run('sh', ['-ec', commands], { folder: cwd, env: NPM });
    assert.equal(outcome.code, 0, `${commands}: ${outcome.stderr}`);
  }
  await write(project, 'bot.mjs', PROGRAM);
  const { stdout, stderr } = await run(process.execPath, ['bot.mjs'], { folder: project, env: {} });
  assert.deepEqual({ stdout, stderr }, { stdout: 'INVALID_ARGUMENT\n', stderr: '' });
});
