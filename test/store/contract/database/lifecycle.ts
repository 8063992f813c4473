import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '../../../../src/domain/clock.ts';
import { openStore } from '../../../../src/store/open.ts';
import { addGuild, type Databases, NOW, OTHER_USER, voteOf, votesOf } from '../../fixtures.ts';
import { addEndpoint, claimOne } from '../../webhook-fixtures.ts';

export function lifecycleContract(createMigrated: Databases['createMigrated']): void {
  test('a change is seen immediately by another store on the same database, and after opening it again', async () => {
    const fresh = await createMigrated();
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
    assert.equal((await again.votes.cast(voteOf(guildId, { castAt: NOW + 1 }))).kind, 'cooldown');
    await again.close();
    await fresh.drop();
  });

  test('the first fingerprint of a master secret is kept until it is replaced', async () => {
    const fresh = await createMigrated();
    const store = await openStore(fresh.database);
    assert.equal(await store.fingerprint.find(), undefined);
    assert.equal(await store.fingerprint.keep('first'), 'first');
    assert.equal(await store.fingerprint.keep('second'), 'first');
    await store.fingerprint.replace('second');
    assert.equal(await store.fingerprint.find(), 'second');
    await store.close();
    await fresh.drop();
  });

  test('the webhook backlog counts due, scheduled and held deliveries, and the age of the oldest due one', async () => {
    const fresh = await createMigrated();
    const store = await openStore(fresh.database);
    assert.deepEqual(await store.webhooks.backlog(NOW), { due: 0, scheduled: 0, held: 0, dueSince: null });
    const guildId = await addGuild(store);
    const endpoint = await addEndpoint(store, guildId, { events: ['vote_received', 'vote_available'] });
    await store.votes.cast(voteOf(guildId, { castAt: NOW - 5000 }));
    await store.votes.cast(voteOf(guildId, { userId: OTHER_USER, castAt: NOW - 2000 }));
    const waiting = { due: 2, scheduled: 2, held: 0, dueSince: NOW - 5000 };
    assert.deepEqual(await store.webhooks.backlog(NOW), waiting);
    assert.deepEqual(await store.webhooks.backlog(NOW - 5001 + HOUR_MS), {
      ...waiting,
      dueSince: NOW - 5000,
    });

    await claimOne(store, guildId);
    const claimed = { due: 1, scheduled: 3, held: 0, dueSince: NOW - 2000 };
    assert.deepEqual(await store.webhooks.backlog(NOW), claimed);
    const held = { due: 0, scheduled: 0, held: 4, dueSince: null };
    await store.webhooks.setPaused(guildId, endpoint.endpointId, NOW);
    assert.deepEqual(await store.webhooks.backlog(NOW), held);
    await store.webhooks.setPaused(guildId, endpoint.endpointId, null);
    await store.guilds.setSanction(guildId, { since: NOW, reason: null });
    assert.deepEqual(await store.webhooks.backlog(NOW), held);
    await store.close();
    await fresh.drop();
  });

  test('every write is reported with its time and whether it failed, and nothing is pending afterwards', async () => {
    const fresh = await createMigrated();
    const seen: { kind: string; hasFailed: boolean }[] = [];
    const store = await openStore(fresh.database, {
      onQuery: (kind, durationMs, hasFailed) => {
        assert.ok(durationMs >= 0);
        seen.push({ kind, hasFailed });
      },
    });
    const guildId = await addGuild(store);
    seen.length = 0;
    await store.votes.cast(voteOf(guildId));
    assert.deepEqual(seen, [{ kind: 'transaction', hasFailed: false }]);
    const pool = fresh.database.kind === 'sqlite' ? null : { size: 10, used: 0, idle: 1 };
    assert.deepEqual(store.load(), { waiting: 0, pool });
    await assert.rejects(store.votes.cast(voteOf('177777777777777777')));
    assert.deepEqual(seen.at(-1), { kind: 'transaction', hasFailed: true });
    await store.close();
    await fresh.drop();
  });

  test('closing waits for work in progress, and later calls fail', async () => {
    const fresh = await createMigrated();
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
