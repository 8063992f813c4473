import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Subject } from '../../contract.ts';
import { addGuild, importAll, listedGuild, NOW, voteOf, votesOf } from '../../fixtures.ts';

const UNKNOWN = '199999999999999999';

export function guildContract(subject: Subject): void {
  test('a new guild has no key, no Premium, no sanction, no doubling, and one reward per name', async () => {
    const guildId = await addGuild(subject.store, 'Café ☕ "quoted"');
    assert.deepEqual(await subject.store.guilds.find(guildId), {
      guildId,
      name: 'Café ☕ "quoted"',
      createdAt: NOW,
      doubling: 'never',
      oneRewardPerName: true,
      playerNames: 'exact',
      listforgeConsumer: 'default',
      premiumUntil: null,
      sanction: null,
      unlistedAt: null,
      hiddenAt: null,
      rateLimit: null,
      icon: null,
      hasKey: false,
    });
  });

  test('adding an existing guild changes nothing', async () => {
    const { guilds } = subject.store;
    const guildId = await addGuild(subject.store, 'first');
    assert.equal(await guilds.add({ guildId, name: 'second', createdAt: NOW + 1 }), false);
    assert.equal((await guilds.find(guildId))?.name, 'first');
  });

  test('guilds are listed by id', async () => {
    const { guilds } = subject.store;
    for (const guildId of ['900000000000000000', '20000000000000000', '300000000000000000']) {
      assert.equal(await guilds.add({ guildId, name: guildId, createdAt: NOW }), true);
    }
    const listed = (await guilds.list()).map((guild) => guild.guildId);
    assert.deepEqual(listed, listed.toSorted());
    assert.ok(listed.indexOf('20000000000000000') < listed.indexOf('300000000000000000'));
  });

  test('of many ids, those of existing guilds are found', async () => {
    const { guilds } = subject.store;
    const ids = [await addGuild(subject.store), await addGuild(subject.store)];
    const found = await guilds.findExisting([UNKNOWN, ...ids, '']);
    assert.deepEqual(found.toSorted(), ids.toSorted());
    assert.deepEqual(await guilds.findExisting([]), []);
  });

  test('Premium, sanction, doubling and rewards per name are stored until they are changed', async () => {
    const { guilds } = subject.store;
    const guildId = await addGuild(subject.store);
    assert.equal(await guilds.setPremiumUntil(guildId, NOW + 5), true);
    assert.equal(await guilds.setSanction(guildId, { since: NOW, reason: 'bought votes' }), true);
    assert.equal(await guilds.setDoubling(guildId, 'weekends'), true);
    assert.equal(await guilds.setOneRewardPerName(guildId, false), true);
    const changed = await guilds.find(guildId);
    assert.equal(changed?.premiumUntil, NOW + 5);
    assert.deepEqual(changed?.sanction, { since: NOW, reason: 'bought votes' });
    assert.equal(changed?.doubling, 'weekends');
    assert.equal(changed?.oneRewardPerName, false);

    await guilds.setPremiumUntil(guildId, null);
    await guilds.setSanction(guildId, null);
    const lifted = await guilds.find(guildId);
    assert.equal(lifted?.premiumUntil, null);
    assert.equal(lifted?.sanction, null);
  });

  test('a sanction may have no reason', async () => {
    const guildId = await addGuild(subject.store);
    await subject.store.guilds.setSanction(guildId, { since: NOW, reason: null });
    assert.deepEqual((await subject.store.guilds.find(guildId))?.sanction, { since: NOW, reason: null });
  });

  test('removing a guild removes its key, votes and cooldowns, and nothing of other guilds', async () => {
    const { guilds, votes } = subject.store;
    const guildId = await addGuild(subject.store);
    const neighbour = await addGuild(subject.store);
    await guilds.setKey(guildId, { hash: `removed ${guildId}`, sealed: 's', createdAt: NOW });
    await importAll(subject.store, voteOf(guildId), voteOf(neighbour));
    assert.equal(await guilds.remove(guildId), true);

    assert.equal(await guilds.find(guildId), undefined);
    assert.equal(await guilds.findByKeyHash(`removed ${guildId}`), undefined);
    assert.equal((await votesOf(subject.store, neighbour)).length, 1);
    await guilds.add({ guildId, name: 'again', createdAt: NOW });
    assert.deepEqual(await votesOf(subject.store, guildId), []);
    assert.equal((await votes.cast(voteOf(guildId))).kind, 'accepted');
  });

  test('a renamed guild is found under its new name', async () => {
    const { guilds } = subject.store;
    const guildId = await addGuild(subject.store, 'Before the change');
    await guilds.setKey(guildId, { hash: `renamed ${guildId}`, sealed: 's', createdAt: NOW });
    await guilds.findByKeyHash(`renamed ${guildId}`);
    assert.equal(await guilds.rename(guildId, 'Après le changement'), true);
    assert.equal((await guilds.findByKeyHash(`renamed ${guildId}`))?.name, 'Après le changement');
    assert.equal((await listedGuild(subject.store, guildId))?.folded, 'APRES LE CHANGEMENT');
  });

  test('an unlisted guild is not in the listing, and otherwise works as before', async () => {
    const { guilds, votes } = subject.store;
    const guildId = await addGuild(subject.store, 'Out of sight');
    const isListed = async () => (await listedGuild(subject.store, guildId)) !== undefined;
    assert.equal(await isListed(), true);
    assert.equal(await guilds.setUnlisted(guildId, NOW), true);
    assert.equal(await isListed(), false);
    assert.equal((await guilds.find(guildId))?.unlistedAt, NOW);
    assert.equal((await votes.cast(voteOf(guildId))).kind, 'accepted');
    await guilds.setUnlisted(guildId, null);
    assert.equal(await isListed(), true);
  });

  test('nothing can be changed in an unknown guild', async () => {
    const { guilds } = subject.store;
    assert.equal(await guilds.find(UNKNOWN), undefined);
    assert.equal(await guilds.findKey(UNKNOWN), undefined);
    assert.equal(await guilds.remove(UNKNOWN), false);
    assert.equal(await guilds.setKey(UNKNOWN, { hash: 'h', sealed: 's', createdAt: NOW }), false);
    assert.equal(await guilds.setPremiumUntil(UNKNOWN, NOW), false);
    assert.equal(await guilds.setSanction(UNKNOWN, { since: NOW, reason: null }), false);
    assert.equal(await guilds.setDoubling(UNKNOWN, 'always'), false);
    assert.equal(await guilds.rename(UNKNOWN, 'name'), false);
    assert.equal(await guilds.setUnlisted(UNKNOWN, NOW), false);
  });

  test('guilds are listed by id, page by page, and found by a part of their name or their whole id', async () => {
    const { store } = subject;
    const ids = ['900000000000000001', '900000000000000002', '900000000000000003'];
    const names = ['Crème de la crème', 'Dogs', 'CREME BRULEE'];
    for (const [i, guildId] of ids.entries())
      await store.guilds.add({ guildId, name: names[i] ?? '', createdAt: NOW });
    const page = async (search: string, afterGuildId = '', limit = 10) => {
      const found = await store.guilds.page({ search, afterGuildId, limit });
      return found.map(({ guildId }) => guildId).filter((guildId) => ids.includes(guildId));
    };
    assert.deepEqual(await page('creme'), [ids[0], ids[2]]);
    assert.deepEqual(await page('creme', ids[0]), [ids[2]]);
    assert.deepEqual(await page('', '900000000000000000', 2), [ids[0], ids[1]]);
    assert.deepEqual(await page(ids[1] ?? ''), [ids[1]]);
    assert.deepEqual(await page('\u0000'), []);
    for (const guildId of ids) await store.guilds.remove(guildId);
  });

  test('a guild can have its own rate limit', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    assert.equal(await store.guilds.setRateLimit(guildId, 300), true);
    assert.equal((await store.guilds.find(guildId))?.rateLimit, 300);
    assert.equal(await store.guilds.setRateLimit(guildId, null), true);
    assert.equal((await store.guilds.find(guildId))?.rateLimit, null);
    assert.equal(await store.guilds.setRateLimit('999999999999999999', 1), false);
  });
}
