import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadMasterSecret, SecretFileError } from '../../src/secrets/master-secret.ts';
import { assertDone, assertFailed, finish, GUILD, makeHome } from '../cli/votary.ts';
import { serveHere } from '../support/serve.ts';

describe('the master secret', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'votary-secret-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('is the configured one, and no file is created', async () => {
    const dataDir = join(folder, 'configured');
    assert.equal(await loadMasterSecret({ secret: 'a configured secret', dataDir }), 'a configured secret');
    await assert.rejects(stat(dataDir), { code: 'ENOENT' });
  });

  it('is created once, complete, by processes that start together', async () => {
    const dataDir = join(folder, 'together');
    const starts = Array.from({ length: 20 }, () => loadMasterSecret({ secret: null, dataDir }));
    const secrets = new Set(await Promise.all(starts));
    assert.equal(secrets.size, 1);
    assert.match([...secrets].join(), /^[0-9a-f]{64}$/);
    assert.deepEqual(await readdir(dataDir), ['secret']);
    assert.equal((await stat(join(dataDir, 'secret'))).mode & 0o777, 0o600);
  });

  it('is not replaced if its file is empty', async () => {
    await writeFile(join(folder, 'secret'), '  \n');
    await assert.rejects(loadMasterSecret({ secret: null, dataDir: folder }), SecretFileError);
    assert.equal(await readFile(join(folder, 'secret'), 'utf8'), '  \n');
  });

  it('is reported with its file if the data directory cannot be created', async () => {
    const dataDir = join(folder, 'secret', 'inside-a-file');
    await assert.rejects(
      loadMasterSecret({ secret: null, dataDir }),
      /the secret file .*inside-a-file.*not a directory/,
    );
  });
});

describe('the fingerprint of the master secret', () => {
  const [FIRST, SECOND] = ['the first secret of this test', 'the second secret of this test'];

  async function makeSites() {
    const first = await makeHome({ VOTARY_SECRET: FIRST, VOTARY_PORT: '0' });
    assertDone(await first.votary('guild', 'add', GUILD));
    assertDone(await first.votary('key', 'generate', GUILD));
    const other = { VOTARY_DATA_DIR: first.dataDir, VOTARY_PORT: '0' };
    return { first, second: await makeHome({ ...other, VOTARY_SECRET: SECOND }) };
  }

  it('prevents a process with another secret from starting, and every command that would encrypt with it', async () => {
    const { second } = await makeSites();
    const expected = /VOTARY_SECRET does not match this database: .*--accept-new-secret/;
    assertFailed(await finish(second.start('serve')), expected);
    assertFailed(await finish(second.start('serve', '--demo')), expected);
    assertFailed(await second.votary('key', 'generate', GUILD), expected);
    assertFailed(await second.votary('key', 'show', GUILD), /encrypted with another VOTARY_SECRET/);
    assertFailed(await second.votary('webhook', 'add', GUILD, 'https://example.org/'), expected);
    assertDone(await second.votary('guild', 'list'));
  });

  it('is replaced by serve --accept-new-secret, once', async () => {
    const { first, second } = await makeSites();
    const served = await serveHere(second, { acceptsNewSecret: true });
    await served.stop();
    const again = await serveHere(second);
    await again.stop();
    await assert.rejects(serveHere(first), /does not match this database/);
  });

  it('prevents a start if the secret file is missing, and no new one is created', async () => {
    const home = await makeHome({ VOTARY_PORT: '0' });
    assertDone(await home.votary('guild', 'add', GUILD));
    assertDone(await home.votary('key', 'generate', GUILD));
    await rm(join(home.dataDir, 'secret'));
    await assert.rejects(serveHere(home), /the secret file .*secret is missing: restore the right one/);
    await assert.rejects(stat(join(home.dataDir, 'secret')), { code: 'ENOENT' });
  });

  it('follows a rotation, which is rejected if the current secret is wrong', async () => {
    const { first } = await makeSites();
    const given = { VOTARY_DATA_DIR: first.dataDir };
    const wrong = await makeHome({
      ...given,
      VOTARY_SECRET: SECOND,
      VOTARY_NEW_SECRET: 'yet another secret',
    });
    assertFailed(await wrong.votary('secret', 'rotate'), /does not match this database/);
    const right = await makeHome({ ...given, VOTARY_SECRET: FIRST, VOTARY_NEW_SECRET: SECOND });
    assertDone(await right.votary('secret', 'rotate'));
    const next = await makeHome({ ...given, VOTARY_SECRET: SECOND });
    assertDone(await next.votary('key', 'show', GUILD));
    assertFailed(await first.votary('key', 'generate', GUILD), /does not match this database/);
  });
});
