import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { isWellFormedApiKey } from '../../../src/domain/keys/api-key.ts';
import { openStore } from '../../../src/store/open.ts';
import { assertDone, assertFailed, GUILD, makeHome, makeHomeWithGuild } from '../votary.ts';

describe('votary key', { concurrency: 4 }, () => {
  it('prints a new key alone on its line, and can show it later', async () => {
    const home = await makeHomeWithGuild();
    const generated = await home.votary('key', 'generate', GUILD);
    assertDone(generated);
    const key = generated.stdout.trimEnd();
    assert.equal(generated.stdout, `${key}\n`);
    assert.ok(isWellFormedApiKey(key));
    assert.deepEqual(await home.json('key', 'show', GUILD), { guild_id: GUILD, key });
    assert.equal((await home.votary('key', 'show', GUILD)).stdout, `${key}\n`);
  });

  it('replaces the key when a new one is generated', async () => {
    const home = await makeHomeWithGuild();
    const first = await home.json('key', 'generate', GUILD);
    const second = await home.json('key', 'generate', GUILD);
    assert.notDeepEqual(first, second);
    assert.deepEqual(await home.json('key', 'show', GUILD), second);
  });

  it('revokes the key, and explains how to generate a new one when asked to show it', async () => {
    const home = await makeHomeWithGuild();
    await home.votary('key', 'generate', GUILD);
    assert.deepEqual(await home.json('key', 'revoke', GUILD), { guild_id: GUILD, revoked: true });
    assertFailed(
      await home.votary('key', 'show', GUILD),
      /has no key; generate a new one with: votary key generate/,
    );
  });

  it('creates the master secret readable by its owner only, and writes nothing else', async () => {
    const home = await makeHomeWithGuild();
    await home.votary('key', 'generate', GUILD);
    assert.equal((await stat(join(home.dataDir, 'secret'))).mode & 0o777, 0o600);
    const files = (await readdir(home.dataDir)).filter((name) => name.startsWith('secret'));
    assert.deepEqual(files, ['secret']);
  });

  it('cannot show a key that was encrypted with another secret', async () => {
    const home = await makeHomeWithGuild();
    await home.votary('key', 'generate', GUILD);
    const other = await makeHome({ VOTARY_DATA_DIR: home.dataDir, VOTARY_SECRET: 'another secret entirely' });
    assertFailed(await other.votary('key', 'show', GUILD), /encrypted with another VOTARY_SECRET/);
  });

  it('records every change of a key for the admins of the guild', async () => {
    const home = await makeHomeWithGuild();
    for (const command of ['generate', 'show', 'revoke', 'show']) await home.votary('key', command, GUILD);
    const store = await openStore({ kind: 'sqlite', path: join(home.dataDir, 'votary.db') });
    const activities = await store.activities.recent(GUILD, 10);
    await store.close();
    assert.deepEqual(
      activities.map(({ actor, action }) => [actor, action]),
      [
        [null, 'key_revoked'],
        [null, 'key_shown'],
        [null, 'key_generated'],
      ],
    );
  });

  for (const command of ['generate', 'show', 'revoke']) {
    it(`${command} fails for an unknown guild`, async () => {
      assertFailed(await (await makeHome()).votary('key', command, GUILD), /is not listed/);
    });
  }
});
