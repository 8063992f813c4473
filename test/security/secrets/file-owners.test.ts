import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chown, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { assertDone, GUILD, makeHome } from '../../cli/votary.ts';
import { serveHere } from '../../support/serve.ts';

const isRoot = process.geteuid?.() === 0;

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
}

test('what commands of root create in the data directory belongs to the owner of the directory', {
  skip: !isRoot && 'only root can create files of other users',
}, async () => {
  const home = await makeHome({ VOTARY_PORT: '0' });
  const owner = { uid: idOf('-u'), gid: idOf('-g') };
  await mkdir(home.dataDir, { mode: 0o700 });
  await chown(home.dataDir, owner.uid, owner.gid);
  const assertOwned = async (...expected: string[]) => {
    const entries = await readdir(home.dataDir, { recursive: true, withFileTypes: true });
    const paths = entries.map(({ parentPath, name }) => join(parentPath, name));
    for (const name of expected) assert.ok(paths.includes(join(home.dataDir, name)), `${name} is missing`);
    for (const path of paths) {
      const { uid, gid } = await stat(path);
      assert.deepEqual({ uid, gid }, owner, path);
    }
  };
  assertDone(await home.votary('guild', 'add', GUILD));
  assertDone(await home.votary('key', 'generate', GUILD));
  await assertOwned('votary.db', 'secret');
  const served = await serveHere(home);
  await assertOwned('votary.db-wal', 'votary.db-shm', 'votary.db.lock', 'tls', 'tls/key.pem', 'tls/cert.pem');
  await served.stop();
  assertDone(await home.votary('secret', 'rotate'));
  const backup = join(dirname(home.dataDir), 'backup.db');
  assertDone(await home.votary('backup', backup));
  // A backup elsewhere stays with root: its folder says nothing about who may read the database.
  assert.equal((await stat(backup)).uid, 0);
  assertDone(await home.votary('restore', backup));
  await assertOwned('votary.db', 'secret');
});
