import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../../../src/store/open.ts';
import { addGuild, type FreshDatabase, NOW, voteOf, votesOf } from '../fixtures.ts';

export function lifeContract(createDatabase: () => Promise<FreshDatabase>): void {
  test('a change is seen at once by another store on the same database, and after opening it again', async () => {
    const fresh = await createDatabase();
    const first = await openStore(fresh.database);
    const second = await openStore(fresh.database);
    const guildId = await addGuild(first);
    await first.guilds.setKey(guildId, { hash: 'seen', sealed: 's', createdAt: NOW });
    assert.equal((await second.guilds.findByKeyHash('seen'))?.guildId, guildId);
    await second.guilds.setKey(guildId, null);
    assert.equal(await first.guilds.findByKeyHash('seen'), undefined);
    await first.votes.cast(voteOf(guildId));
    await Promise.all([first.close(), second.close()]);

    const again = await openStore(fresh.database);
    assert.deepEqual(await votesOf(again, guildId), [voteOf(guildId)]);
    assert.equal((await again.votes.cast(voteOf(guildId, { castAt: NOW + 1 }))).accepted, false);
    await again.close();
    await fresh.drop();
  });

  test('the first fingerprint of a master secret is kept until it is replaced', async () => {
    const fresh = await createDatabase();
    const store = await openStore(fresh.database);
    assert.equal(await store.fingerprint.find(), undefined);
    assert.equal(await store.fingerprint.keep('first'), 'first');
    assert.equal(await store.fingerprint.keep('second'), 'first');
    await store.fingerprint.replace('second');
    assert.equal(await store.fingerprint.find(), 'second');
    await store.close();
    await fresh.drop();
  });

  test('closing waits for work in progress, and later calls fail', async () => {
    const fresh = await createDatabase();
    const store = await openStore(fresh.database);
    await store.ping();
    const guildId = await addGuild(store);
    async function* slow() {
      yield [voteOf(guildId, { castAt: 1 })];
      await new Promise(setImmediate);
      yield [voteOf(guildId, { castAt: 2 })];
    }
    const under = [
      store.votes.import(slow(), NOW),
      ...Array.from({ length: 50 }, () => store.guilds.find(guildId)),
    ];
    let isImported = false;
    under[0]?.then(() => {
      isImported = true;
    });
    await store.close();
    assert.equal(isImported, true);
    const [imported, ...found] = await Promise.all(under);
    assert.deepEqual(imported, { imported: 2, skipped: 0 });
    assert.equal(
      found.every((guild) => guild !== undefined),
      true,
    );
    await assert.rejects(store.ping());
    await assert.rejects(store.guilds.find(guildId));
    await fresh.drop();
  });
}
