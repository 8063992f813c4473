import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { HOUR_MS } from '../../../../src/domain/clock.ts';
import { recentWindow } from '../../../../src/domain/votes/vote.ts';
import { openStore } from '../../../../src/store/open.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, batches, OTHER_USER, USER, voteOf } from '../../fixtures.ts';

/** What one program writes is visible to the next request of another, whatever it caches. */
export function otherProgramsContract(subject: Subject): void {
  // The real time, because a store may cache the last hours of real time.
  const now = Date.now();
  const window = recentWindow(now);

  test('a vote that another program casts or imports is found by the next request', async () => {
    const { store, database } = subject;
    const guildId = await addGuild(store);
    const other = await openStore(database);
    try {
      assert.equal(await store.votes.latestOfUser(guildId, USER, window), undefined);
      const cast = voteOf(guildId, { castAt: now - 5, externalId: 'seen' });
      await other.votes.cast(cast);
      await nextTick();
      assert.deepEqual(await store.votes.latestOfUser(guildId, USER, window), cast);
      assert.deepEqual(await store.votes.latestOfExternalId(guildId, 'seen', window), cast);
      const imported = [
        voteOf(guildId, { castAt: now - 3, userId: OTHER_USER, externalId: 'seen' }),
        voteOf(guildId, { castAt: now - 9, userId: OTHER_USER, externalId: 'seen' }),
        voteOf(guildId, { castAt: now - 3 * HOUR_MS, userId: OTHER_USER, externalId: 'seen' }),
      ];
      await other.votes.import(batches(imported), now);
      await nextTick();
      assert.deepEqual(await store.votes.latestOfUser(guildId, OTHER_USER, window), imported[0]);
      assert.deepEqual(await store.votes.latestOfExternalId(guildId, 'seen', window), imported[0]);
    } finally {
      await other.close();
    }
  });

  test('a guild that another program removes and adds again has no votes', async () => {
    const { store, database } = subject;
    const guildId = await addGuild(store);
    await store.votes.cast(voteOf(guildId, { castAt: now }));
    assert.equal((await store.votes.latestOfUser(guildId, USER, window))?.castAt, now);
    const other = await openStore(database);
    try {
      await other.guilds.remove(guildId);
      await other.guilds.add({ guildId, name: 'Again', createdAt: now });
      await nextTick();
      assert.equal(await store.votes.latestOfUser(guildId, USER, window), undefined);
    } finally {
      await other.close();
    }
  });

  test('votes are found at any time: old ones, as time passes, and future ones when their time comes', async () => {
    const { votes } = subject.store;
    const guildId = await addGuild(subject.store);
    const times = [now - 400 * HOUR_MS, now - 90 * 60_000, now, now + 5 * HOUR_MS, now + 400 * HOUR_MS];
    await votes.import(batches(times.map((castAt) => voteOf(guildId, { castAt }))), now);
    for (const castAt of [...times, ...times.toReversed(), ...times]) {
      const then = recentWindow(castAt + HOUR_MS - 1);
      assert.equal((await votes.latestOfUser(guildId, USER, then))?.castAt, castAt);
      assert.equal(await votes.latestOfUser(guildId, USER, recentWindow(castAt + HOUR_MS)), undefined);
      await nextTick();
    }
  });
}
