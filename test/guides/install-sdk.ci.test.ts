import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { VERSION } from '../../sdk/src/version.ts';
import { temporaryFolder } from '../http/support.ts';
import { requirement } from '../support/requirement.ts';
import { type Place, run, write } from './programs.ts';
import { startDemo } from './services.ts';

/** Options for machines without a registry, and for short output; the commands themselves are unchanged. */
const NPM = { npm_config_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };

const PROGRAM = `
import { Votary } from '@votary/sdk';
try { new Votary({ apiKey: 'vty_', baseUrl: 'http://example.org' }); } catch (error) { console.log(error.code); }`;

async function succeed(place: Place, ...command: string[]): Promise<string> {
  const { code, stdout, stderr } = await run('sh', ['-ec', command.join('\n')], place);
  assert.equal(code, 0, stderr);
  return stdout;
}

describe('a service that runs from a clone', { skip: requirement('curl') }, async () => {
  const { url, env } = await startDemo();

  async function openProject(t: TestContext): Promise<Place> {
    return { folder: await temporaryFolder(t), env: { ...env, ...NPM } };
  }

  it('offers the SDK, which installs into an empty project with the commands of /docs/clients', async (t) => {
    const place = await openProject(t);
    await succeed(
      place,
      'npm init -y',
      `curl -fsSO ${url}/docs/files/votary-sdk.tgz`,
      'npm install ./votary-sdk.tgz',
    );
    await write(place.folder, 'bot.mjs', PROGRAM);
    const { stdout, stderr } = await run(process.execPath, ['bot.mjs'], place);
    assert.deepEqual({ stdout, stderr }, { stdout: 'INVALID_ARGUMENT\n', stderr: '' });
    const types = 'node_modules/@votary/sdk/dist/manage/index.d.ts';
    assert.match(await readFile(join(place.folder, types), 'utf8'), /VotaryManager/);
  });

  it('offers the SDK to npm by its address', async (t) => {
    const place = await openProject(t);
    const online = { ...place, env: { ...place.env, npm_config_offline: 'false' } };
    const trust = `--cafile="${env.NODE_EXTRA_CA_CERTS}"`;
    await succeed(online, 'npm init -y', `npm install ${trust} ${url}/docs/files/votary-sdk.tgz`);
    await write(place.folder, 'bot.mjs', PROGRAM);
    assert.equal((await run(process.execPath, ['bot.mjs'], place)).stdout, 'INVALID_ARGUMENT\n');
  });

  it('lists the checksum of the SDK and of the wheel', async (t) => {
    const place = await openProject(t);
    const wheel = `votary-${VERSION}-py3-none-any.whl`;
    for (const name of ['votary-sdk.tgz', wheel, 'SHA256SUMS'])
      await succeed(place, `curl -fsSO ${url}/docs/files/${name}`);
    const sums = await readFile(join(place.folder, 'SHA256SUMS'), 'utf8');
    const page = await succeed(place, `curl -fsS ${url}/docs/clients`);
    for (const name of ['votary-sdk.tgz', wheel]) {
      const body = await readFile(join(place.folder, name));
      const sum = createHash('sha256').update(body).digest('hex');
      assert.ok(sums.includes(`${sum}  ${name}\n`), name);
      assert.ok(page.includes(sum), name);
    }
    assert.ok(page.replaceAll(/<[^<>]*>/g, '').includes(`pip install ${url}/docs/files/${wheel}`));
  });
});
