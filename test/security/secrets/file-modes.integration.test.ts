import assert from 'node:assert/strict';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { assertDone, assertFailed, GUILD, makeHome } from '../../cli/votary.ts';
import { serveHere } from '../../support/serve.ts';
import { assertPrivate, filesOf, makeOpenHome } from './data-directory.ts';

const VOTE = `{"guild_id":"${GUILD}","user_id":"200000000000000001","timestamp":"2026-11-15T12:00:00Z"}\n`;

describe('files in a data directory that other users can enter', { concurrency: true }, () => {
  // Commands inherit the umask: no permissions are removed when a file is created.
  const umask = process.umask();
  before(() => void process.umask(0));
  after(() => void process.umask(umask));

  it('are readable by their owner only, regardless of the umask', async () => {
    const home = await makeOpenHome();
    await assertPrivate(home, 'votary.db');
    assertDone(await home.pipe(VOTE, 'votes', 'import', '-'));
    const served = await serveHere(home);
    assertDone(await home.votary('key', 'generate', GUILD));
    assertDone(await home.votary('backup', join(home.dataDir, 'copy.db')));
    const running = [
      'votary.db',
      'votary.db-wal',
      'votary.db-shm',
      'votary.db.lock',
      'secret',
      'tls/key.pem',
      'tls/cert.pem',
    ];
    await assertPrivate(home, ...running, 'copy.db', 'copy.db.secret');
    await served.stop();
    assertDone(await home.votary('secret', 'rotate'));
    assertDone(await home.votary('restore', join(home.dataDir, 'copy.db')));
    await assertPrivate(home, 'votary.db', 'secret', 'copy.db');
    assert.equal((await filesOf(home)).filter((file) => file.includes('.before-')).length, 1);
  });

  it('lose permissions for others before an old database is moved aside', async () => {
    const home = await makeOpenHome();
    assertDone(await home.votary('backup', join(home.dataDir, 'copy.db')));
    await chmod(join(home.dataDir, 'votary.db'), 0o644);
    assertDone(await home.votary('restore', join(home.dataDir, 'copy.db')));
    await assertPrivate(home, 'votary.db', 'copy.db');
  });
});

it('a data directory that cannot be created is reported immediately', async () => {
  const home = await makeHome({ VOTARY_DATA_DIR: '/proc/nope' });
  assertFailed(await home.votary('guild', 'list'), /\/proc\/nope\/votary\.db cannot be opened/);
  await assert.rejects(serveHere(home), /VOTARY_DATA_DIR must be a writable folder/);
});
