import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { hashApiKey, isWellFormedApiKey } from '../../src/domain/keys/api-key.ts';
import { deriveSecrets } from '../../src/domain/secrets.ts';
import { issueKey, revealKey } from '../../src/store/guilds/guilds.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';

const GUILD = '123456789012345678';
const OTHER_GUILD = '123456789012345679';
const SECRETS = deriveSecrets('a master secret for tests');

describe("a guild's key", () => {
  let folder: string;
  let store: Store;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'votary-keys-'));
    store = await openStore({ kind: 'sqlite', path: join(folder, 'votary.db') });
    await store.guilds.add({ guildId: GUILD, name: 'One', createdAt: 0 });
    await store.guilds.add({ guildId: OTHER_GUILD, name: 'Two', createdAt: 0 });
  });
  after(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  it('identifies its guild, can be shown again, and stops working when the next is issued', async () => {
    const first = await issueKey(store, SECRETS, GUILD, 1);
    assert.ok(first && isWellFormedApiKey(first));
    assert.equal((await store.guilds.findByKeyHash(hashApiKey(first)))?.guildId, GUILD);
    assert.deepEqual(await revealKey(store, SECRETS, GUILD), { shown: true, key: first });
    await issueKey(store, SECRETS, GUILD, 2);
    assert.equal(await store.guilds.findByKeyHash(hashApiKey(first)), undefined);
  });

  it('is not stored in plain text', async () => {
    const key = await issueKey(store, SECRETS, GUILD, 1, () => 7);
    const stored = await store.guilds.findKey(GUILD);
    assert.ok(key && stored && !JSON.stringify(stored).includes(key.slice(4)));
  });

  it('cannot be decrypted with another secret, or from the row of another guild', async () => {
    await issueKey(store, SECRETS, GUILD, 1);
    const sealed = { shown: false, reason: 'other-secret' };
    assert.deepEqual(await revealKey(store, deriveSecrets('another master secret'), GUILD), sealed);
    const stored = await store.guilds.findKey(GUILD);
    assert.ok(stored);
    await store.guilds.setKey(OTHER_GUILD, { ...stored, hash: 'another' });
    assert.deepEqual(await revealKey(store, SECRETS, OTHER_GUILD), sealed);
  });

  it('is not issued to an unknown guild', async () => {
    assert.equal(await issueKey(store, SECRETS, '999999999999999999', 1), undefined);
    assert.deepEqual(await revealKey(store, SECRETS, '999999999999999999'), {
      shown: false,
      reason: 'no-key',
    });
  });
});
