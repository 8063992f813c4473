import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Subject } from '../../contract.ts';
import { addGuild, NOW } from '../../fixtures.ts';

export function keyContract(subject: Subject): void {
  test('a key identifies its guild, sanctioned or not', async () => {
    const { guilds } = subject.store;
    const guildId = await addGuild(subject.store);
    const hash = `open ${guildId}`;
    await guilds.setKey(guildId, { hash, sealed: 'sealed', createdAt: NOW });
    assert.equal((await guilds.findByKeyHash(hash))?.guildId, guildId);
    assert.equal((await guilds.find(guildId))?.hasKey, true);
    await guilds.setSanction(guildId, { since: NOW, reason: null });
    assert.equal((await guilds.findByKeyHash(hash))?.guildId, guildId);
  });

  test('a key stops working the moment it is regenerated', async () => {
    const { guilds } = subject.store;
    const guildId = await addGuild(subject.store);
    await guilds.setKey(guildId, { hash: `old ${guildId}`, sealed: 'old', createdAt: NOW });
    assert.equal(
      await guilds.setKey(guildId, { hash: `new ${guildId}`, sealed: 'new', createdAt: NOW + 1 }),
      true,
    );
    assert.equal(await guilds.findByKeyHash(`old ${guildId}`), undefined);
    assert.equal((await guilds.findByKeyHash(`new ${guildId}`))?.guildId, guildId);
    const kept = { hash: `new ${guildId}`, sealed: 'new', createdAt: NOW + 1 };
    assert.deepEqual(await guilds.findKey(guildId), kept);
  });

  test('a guild whose key is revoked has none', async () => {
    const { guilds } = subject.store;
    const guildId = await addGuild(subject.store);
    await guilds.setKey(guildId, { hash: `gone ${guildId}`, sealed: 's', createdAt: NOW });
    assert.equal(await guilds.setKey(guildId, null), true);
    assert.equal(await guilds.findKey(guildId), undefined);
    assert.equal(await guilds.findByKeyHash(`gone ${guildId}`), undefined);
    assert.equal((await guilds.find(guildId))?.hasKey, false);
  });

  test('a key never belongs to two guilds', async () => {
    const { guilds } = subject.store;
    const first = await addGuild(subject.store);
    const second = await addGuild(subject.store);
    const key = { hash: `shared ${first}`, sealed: 's', createdAt: NOW };
    await guilds.setKey(first, key);
    await assert.rejects(guilds.setKey(second, key));
    assert.equal((await guilds.findByKeyHash(key.hash))?.guildId, first);
  });
}
