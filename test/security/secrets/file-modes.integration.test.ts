import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { assertDone, assertFailed, finish, GUILD, type Home, makeHome } from '../../cli/votary.ts';
import { serve } from '../../support/serve.ts';

const VOTE = `{"guild_id":"${GUILD}","user_id":"200000000000000001","timestamp":"2026-11-15T12:00:00Z"}\n`;

async function filesOf({ dataDir }: Home): Promise<string[]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function assertPrivate(home: Home, ...expected: string[]): Promise<void> {
  const files = await filesOf(home);
  for (const name of expected) assert.ok(files.includes(join(home.dataDir, name)), `${name} is missing`);
  for (const file of files) assert.equal((await stat(file)).mode & 0o777, 0o600, file);
}

/** A data directory that was created manually and that everyone can enter. */
async function makeOpenHome(): Promise<Home> {
  const home = await makeHome({ VOTARY_PORT: '0' });
  await mkdir(home.dataDir, { mode: 0o755 });
  assertDone(await home.votary('guild', 'add', GUILD));
  return home;
}

describe('files in a data directory that other users can enter', { concurrency: true }, () => {
  // Commands inherit the umask: no permissions are removed when a file is created.
  before(() => void process.umask(0));

  it('are readable by their owner only, regardless of the umask', async () => {
    const home = await makeOpenHome();
    await assertPrivate(home, 'votary.db');
    assertDone(await home.pipe(VOTE, 'votes', 'import', '-'));
    const served = await serve(home);
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
    assert.equal(await served.stop(), 0);
    assertDone(await home.votary('secret', 'rotate'));
    assertDone(await home.votary('restore', join(home.dataDir, 'copy.db')));
    await assertPrivate(home, 'votary.db', 'secret', 'copy.db');
    assert.equal((await filesOf(home)).filter((file) => file.includes('.before-')).length, 1);
  });

  it('lose permissions for others that they had before', async () => {
    const home = await makeOpenHome();
    const served = await serve(home);
    assertDone(await home.votary('key', 'generate', GUILD));
    assert.equal(await served.stop('SIGKILL'), null);
    const left = await filesOf(home);
    assert.ok(left.includes(join(home.dataDir, 'votary.db-wal')));
    for (const file of left) await chmod(file, 0o644);
    const again = await serve(home);
    await assertPrivate(home, 'votary.db', 'votary.db-wal', 'votary.db-shm', 'secret', 'tls/key.pem');
    assert.equal(await again.stop(), 0);
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
  assertFailed(await finish(home.start('guild', 'list')), /\/proc\/nope\/votary\.db cannot be opened/);
  assertFailed(await finish(home.start('serve')), /VOTARY_DATA_DIR must be a writable folder/);
});
