import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadMasterSecret, SecretFileError } from '../../src/secrets/master-secret.ts';

describe('the master secret', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'votary-secret-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('is the configured one, and then no file is made', async () => {
    const dataDir = join(folder, 'configured');
    assert.equal(await loadMasterSecret({ secret: 'a configured secret', dataDir }), 'a configured secret');
    await assert.rejects(stat(dataDir), { code: 'ENOENT' });
  });

  it('is made once, whole, by processes that start together', async () => {
    const dataDir = join(folder, 'together');
    const starts = Array.from({ length: 20 }, () => loadMasterSecret({ secret: null, dataDir }));
    const secrets = new Set(await Promise.all(starts));
    assert.equal(secrets.size, 1);
    assert.match([...secrets].join(), /^[0-9a-f]{64}$/);
    assert.deepEqual(await readdir(dataDir), ['secret']);
    assert.equal((await stat(join(dataDir, 'secret'))).mode & 0o777, 0o600);
  });

  it('is not replaced when its file is empty', async () => {
    await writeFile(join(folder, 'secret'), '  \n');
    await assert.rejects(loadMasterSecret({ secret: null, dataDir: folder }), SecretFileError);
    assert.equal(await readFile(join(folder, 'secret'), 'utf8'), '  \n');
  });

  it('names its file when the data directory cannot be made', async () => {
    const dataDir = join(folder, 'secret', 'inside-a-file');
    await assert.rejects(
      loadMasterSecret({ secret: null, dataDir }),
      /the secret file .*inside-a-file.*not a directory/,
    );
  });
});
