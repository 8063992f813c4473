import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Subject } from '../../contract.ts';
import { addGuild } from '../../fixtures.ts';

const BANNER = { version: 'v1', alt: 'A "castle" 🏰', bytes: Buffer.of(0, 255, 10) };

export function bannerContract(subject: Subject): void {
  test('a banner is stored byte by byte, replaced and removed', async () => {
    const { banners } = subject.store;
    const guildId = await addGuild(subject.store);
    assert.equal(await banners.find(guildId), undefined);
    assert.equal(await banners.file(guildId), undefined);
    assert.equal(await banners.setAlt(guildId, 'Nothing'), false);
    assert.equal(await banners.remove(guildId), false);
    assert.equal(await banners.set(guildId, BANNER), true);
    assert.deepEqual({ ...(await banners.find(guildId)) }, { version: 'v1', alt: BANNER.alt });
    assert.deepEqual({ ...(await banners.file(guildId)) }, { version: 'v1', bytes: BANNER.bytes });
    await banners.set(guildId, { version: 'v2', alt: '', bytes: Buffer.of(1) });
    assert.deepEqual({ ...(await banners.file(guildId)) }, { version: 'v2', bytes: Buffer.of(1) });
    assert.equal(await banners.setAlt(guildId, 'A moat'), true);
    assert.deepEqual({ ...(await banners.find(guildId)) }, { version: 'v2', alt: 'A moat' });
    assert.equal(await banners.remove(guildId), true);
    assert.equal(await banners.find(guildId), undefined);
  });

  test('a banner is removed with its guild, and an unknown guild gets none', async () => {
    const { banners, guilds } = subject.store;
    const guildId = await addGuild(subject.store);
    await banners.set(guildId, BANNER);
    await guilds.remove(guildId);
    assert.equal(await banners.file(guildId), undefined);
    assert.equal(await banners.set(guildId, BANNER), false);
  });
}
