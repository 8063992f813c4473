import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { assertBadUsage, assertDone, assertFailed, finish, GUILD, makeHome } from './votary.ts';

const POSTGRES = {
  VOTARY_DATABASE_URL: 'postgres://votary:hunter2hunter2@db.example/votary?sslmode=require',
  VOTARY_SECRET: 'a long secret of this test',
};

describe('votary config', () => {
  it('prints the settings that serve would use, and where they come from', async () => {
    const home = await makeHome({ VOTARY_PORT: '9443' });
    const document = Object(await home.json('config'));
    assert.deepEqual(document.VOTARY_PORT, { value: '9443', source: 'environment' });
    assert.deepEqual(document.VOTARY_HOST, { value: '127.0.0.1', source: 'default' });
    assert.deepEqual(document.VOTARY_PUBLIC_URL, { value: null, source: 'not set' });
    const database = `sqlite:${join(home.dataDir, 'votary.db')}`;
    assert.deepEqual(document.VOTARY_DATABASE_URL, { value: database, source: 'default' });
    const { stdout } = await home.votary('config');
    assert.match(stdout, /^VOTARY_PORT +9443 +environment$/m);
  });

  it('prints defaults that depend on other variables', async () => {
    const direct = Object(await (await makeHome()).json('config'));
    assert.deepEqual(direct.VOTARY_DRAIN_SECONDS, { value: '0', source: 'default' });
    assert.deepEqual(direct.VOTARY_LOG_LEVEL, { value: 'info', source: 'default' });
    assert.deepEqual(direct.VOTARY_SITE_NAME, { value: 'Votary', source: 'default' });
    assert.deepEqual(direct.VOTARY_SITE_ACCENT, { value: '#4a3fd6', source: 'default' });
    const proxied = await makeHome({ VOTARY_TRUSTED_PROXIES: '127.0.0.1' });
    assert.equal(Object(await proxied.json('config')).VOTARY_DRAIN_SECONDS.value, '5');
  });

  it('masks secrets, and only the password of the database address', async () => {
    const home = await makeHome({
      ...POSTGRES,
      VOTARY_DISCORD_CLIENT_ID: '1',
      VOTARY_DISCORD_CLIENT_SECRET: 'hunter3',
    });
    for (const args of [['config'], ['config', '--json']]) {
      const { stdout } = await home.votary(...args);
      assert.doesNotMatch(stdout, /hunter|long secret/);
      assert.match(stdout, /postgres:\/\/votary:\*{8}@db\.example\/votary\?sslmode=require/);
    }
  });

  it('rejects a wrong value with the same error as serve', async () => {
    const home = await makeHome({ VOTARY_PORT: 'x' });
    assertFailed(await home.votary('config'), /VOTARY_PORT must be a port/);
  });
});

describe('--env-file', () => {
  it('sets variables for every command; those of the environment take precedence', async () => {
    const home = await makeHome({ VOTARY_PORT: '9443' });
    const file = await home.file('env', '# a comment\nVOTARY_PORT=1\nVOTARY_HOST="127.0.0.2"\n');
    const document = Object(await home.json('config', '--env-file', file));
    assert.deepEqual(document.VOTARY_PORT, { value: '9443', source: 'environment' });
    assert.deepEqual(document.VOTARY_HOST, { value: '127.0.0.2', source: file });
    const { stdout } = await home.votary('config', '--env-file', file);
    assert.match(stdout, new RegExp(`^VOTARY_HOST +127\\.0\\.0\\.2 +${file}$`, 'm'));
    assertDone(await home.votary('--env-file', file, 'guild', 'add', GUILD));
  });

  it('is read by the program itself, not by Node', async () => {
    const home = await makeHome();
    const file = await home.file('env', 'VOTARY_HOST=127.0.0.2\n');
    const { stdout } = await finish(home.start('config', '--json', '--env-file', file));
    assert.equal(JSON.parse(stdout).VOTARY_HOST.value, '127.0.0.2');
  });

  it('is named in the error if it cannot be read', async () => {
    const home = await makeHome();
    const expected = /--env-file names a file that cannot be read: \/nowhere\/env: no such file/;
    assertBadUsage(await home.votary('config', '--env-file', '/nowhere/env'), expected);
  });

  it('does not cut a value at an unquoted #', async () => {
    const home = await makeHome();
    for (const line of ['VOTARY_SITE_ACCENT=#0b6b45', 'export VOTARY_SITE_NAME = Top#1']) {
      const file = await home.file('env', `VOTARY_PORT=1\n${line}\n`);
      assertFailed(
        await home.votary('config', '--env-file', file),
        /^votary: VOTARY_SITE_\w+ has an unquoted # in .*: quote the value$/m,
      );
    }
    const file = await home.file('env', `VOTARY_SITE_ACCENT="#0b6b45"\nVOTARY_PORT=9443 # a comment #1\n`);
    const document = Object(await home.json('config', '--env-file', file));
    assert.equal(document.VOTARY_SITE_ACCENT.value, '#0b6b45');
    assert.equal(document.VOTARY_PORT.value, '9443');
  });

  it('with a misspelled variable is rejected', async () => {
    const home = await makeHome();
    const file = await home.file('env', 'VOTARY_PROT=1\n');
    const expected = /VOTARY_PROT is not a variable of Votary: did you mean VOTARY_PORT\?/;
    assertFailed(await home.votary('guild', 'list', '--env-file', file), expected);
  });
});

describe('votary secret rotate', () => {
  it('takes the new secret from any variable, and from a file', async () => {
    const old = { VOTARY_SECRET: 'a long secret of this test' };
    const direct = await makeHome({ ...old, VOTARY_NEXT: 'another long secret of it' });
    assertDone(await direct.votary('secret', 'rotate', '--to-env', 'VOTARY_NEXT'));
    const fileHome = await makeHome();
    const file = await fileHome.file('next', 'another long secret of it\n');
    const byFile = await makeHome({ ...old, VOTARY_NEW_SECRET_FILE: file });
    assertDone(await byFile.votary('secret', 'rotate'));
  });
});
