import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { makeHomeWithGuild } from './votary.ts';

describe('users who were erased after a backup was made', () => {
  it('are counted when it is restored', async () => {
    const home = await makeHomeWithGuild();
    const file = join(dirname(home.dataDir), 'backup.db');
    const [first, second] = ['200000000000000011', '200000000000000012'] as const;
    for (const user of [first, second]) await home.votary('voter', 'ban', user);
    await home.votary('user', 'erase', first, '--yes');
    await home.votary('backup', file);
    await home.votary('user', 'erase', second, '--yes');
    const { stdout } = await home.votary('restore', file);
    assert.match(stdout, /1 user was erased after this backup/);
    assert.match(stdout, /votary user erase --from FILE/);
    assert.equal(Object(await home.json('restore', file)).erased_since, 0);
  });

  it('are not known if the previous database is that of another program', async () => {
    const home = await makeHomeWithGuild();
    const file = join(dirname(home.dataDir), 'backup.db');
    await home.votary('backup', file);
    const path = join(home.dataDir, 'votary.db');
    await rm(path);
    const other = new Database(path);
    other.exec('CREATE TABLE operator_actions (note TEXT)');
    other.close();
    assert.equal(Object(await home.json('restore', file)).erased_since, null);
  });
});
