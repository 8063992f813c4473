import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { assertDone, assertFailed, finish, GUILD, LAUNCHER, makeHome } from './votary.ts';

/** Commands in an empty folder, without any variable. */
async function makeWorkFolder() {
  const folder = join(dirname((await makeHome()).dataDir), 'work');
  await mkdir(folder);
  const votary = (...args: string[]) =>
    finish(spawn(process.execPath, [LAUNCHER, ...args], { cwd: folder, env: {} }));
  const envFile = async (text: string): Promise<string> => {
    await writeFile(join(folder, 'env'), text);
    return join(folder, 'env');
  };
  return { folder, database: join(folder, 'data/votary.db'), votary, envFile };
}

describe('a database that does not exist', { concurrency: 2 }, () => {
  it('is not created by a command whose file of variables names no database', async () => {
    const { database, votary, envFile } = await makeWorkFolder();
    const file = await envFile('VOTARY_PORT=8443\n');
    const expected =
      /there is no database at .*\/data\/votary\.db, and .*\/env names no other: set VOTARY_DATABASE_URL or VOTARY_DATA_DIR/;
    for (const command of [
      ['guild', 'add', GUILD],
      ['key', 'generate', GUILD],
      ['secret', 'rotate'],
      ['restore', 'backup.db'],
    ]) {
      assertFailed(await votary('--env-file', file, ...command), expected);
    }
    assert.ok(!existsSync(database));
    assertDone(await votary('--env-file', file, 'migrate'));
    assertDone(await votary('--env-file', file, 'guild', 'add', GUILD));
  });

  it('is created where the file of variables says', async () => {
    const { folder, database, votary, envFile } = await makeWorkFolder();
    const file = await envFile(`VOTARY_DATA_DIR=${folder}/here\n`);
    assertDone(await votary('--env-file', file, 'guild', 'add', GUILD));
    assert.ok(existsSync(join(folder, 'here/votary.db')) && !existsSync(database));
  });

  it('is created and named by a command without variables', async () => {
    const { database, votary } = await makeWorkFolder();
    const { code, stderr } = await votary('guild', 'add', GUILD, '--json');
    assert.deepEqual([code, stderr], [0, `votary: creating the database ${database}\n`]);
    assertDone(await votary('guild', 'list'));
  });
});
