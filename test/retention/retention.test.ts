import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../src/domain/clock.ts';
import { createRetention } from '../../src/retention/retention.ts';
import type { Store } from '../../src/store/store.ts';
import { claimRequest } from '../store/claim-fixtures.ts';
import { ALL_TIME, addGuild, NOW, USER, voteOf } from '../store/fixtures.ts';
import { ANSWERED, addEndpoint, claimOne } from '../store/webhook-fixtures.ts';
import { openTemporaryStore } from '../support/sqlite.ts';

const YEAR_MS = 365 * DAY_MS;

/** No step may fail. */
const FAILS = {
  onFailure: (step: string, error: unknown) => {
    throw new Error(step, { cause: error });
  },
};

describe('retention', () => {
  let store: Store;
  let close: () => Promise<void>;
  before(async () => {
    ({ store, close } = await openTemporaryStore());
  });
  after(() => close());

  const record = (guildId: string, at: number) =>
    store.activities.record({ guildId, at, actor: null, action: 'doubling_changed' });
  const entries = async (guildId: string) => (await store.activities.recent(guildId, 200)).length;

  test('finishes the removal of a guild that was interrupted', async () => {
    const guildId = await addGuild(store);
    await store.votes.cast(voteOf(guildId));
    const interrupted = store.guilds.remove(guildId, {
      batchSize: 1,
      onProgress: () => {
        throw new Error('interrupted');
      },
    });
    await assert.rejects(interrupted, /interrupted/);
    const retain = createRetention(store, FAILS);
    for (let round = 0; round < 20; round += 1) await retain(NOW);
    assert.deepEqual(await store.guilds.unfinishedRemovals(1), []);
  });

  test('goes through all guilds in batches, then pauses for an hour', async () => {
    const guilds = await Promise.all(Array.from({ length: 120 }, () => addGuild(store)));
    for (const guildId of guilds) await record(guildId, NOW - YEAR_MS - 1);
    const retain = createRetention(store, FAILS);
    const left = async () => (await Promise.all(guilds.map(entries))).filter((count) => count > 0).length;
    await retain(NOW);
    assert.equal(await left(), 70);
    for (let i = 0; i < 3; i += 1) await retain(NOW);
    assert.equal(await left(), 0);
    const [guildId = ''] = guilds;
    await record(guildId, NOW - YEAR_MS - 1);
    await retain(NOW + HOUR_MS - 1);
    assert.equal(await entries(guildId), 1);
    await retain(NOW + HOUR_MS);
    assert.equal(await entries(guildId), 0);
  });

  test('keeps votes forever, or as many days as the operator wants', async () => {
    const guildId = await addGuild(store);
    await store.votes.cast(voteOf(guildId, { castAt: NOW - 90 * DAY_MS }));
    await store.votes.cast(voteOf(guildId, { castAt: NOW }));
    const count = async () => (await Array.fromAsync(store.votes.export(guildId, ALL_TIME))).length;
    for (let round = 0; round < 20; round += 1) await createRetention(store, FAILS)(NOW);
    assert.equal(await count(), 2);
    const retain = createRetention(store, { ...FAILS, keepVotesDays: 89 });
    for (let round = 0; round < 20; round += 1) await retain(NOW);
    assert.equal(await count(), 1);
  });

  test('keeps sign-outs until every session that they ended has expired', async () => {
    await store.users.signOut(USER, NOW);
    const retain = createRetention(store, FAILS);
    await retain(NOW + 7 * DAY_MS);
    assert.equal(await store.users.signedOutAt(USER), NOW);
    await retain(NOW + 7 * DAY_MS + HOUR_MS);
    assert.equal(await store.users.signedOutAt(USER), undefined);
  });

  test('keeps the last year of activities', async () => {
    const guildId = await addGuild(store);
    for (const age of [YEAR_MS, YEAR_MS + 1]) await record(guildId, NOW - age);
    const retain = createRetention(store, FAILS);
    for (let i = 0; i < 4; i += 1) await retain(NOW);
    assert.equal(await entries(guildId), 1);
  });

  test('keeps a limited number of webhook attempts per guild, those of its latest events', async () => {
    const guilds = await Promise.all([1, 2, 3].map(() => addGuild(store)));
    for (const guildId of guilds) {
      await addEndpoint(store, guildId);
      for (let i = 0; i < 5; i += 1) {
        await store.votes.cast(voteOf(guildId, { userId: `${USER}${i}`, castAt: NOW + i }));
        const delivery = await claimOne(store, guildId, NOW + i);
        await store.webhooks.finish(delivery, ANSWERED, { state: 'delivered' }, 'works');
      }
    }
    await createRetention(store, { ...FAILS, maxAttempts: 3 })(NOW);
    for (const guildId of guilds) {
      const log = await store.webhooks.deliveries(guildId, NOW + 5, 10);
      assert.deepEqual(
        log.map(({ lastAttempt }) => lastAttempt !== null),
        [true, true, true, false, false],
      );
    }
  });

  test('removes Idempotency-Keys after a day', async () => {
    const guildId = await addGuild(store);
    const claim = (key: string, requestHash: string, now: number) =>
      store.claims.claim(claimRequest(guildId, { userId: USER }, { now, idempotency: { key, requestHash } }));
    await claim('old', 'first', NOW - DAY_MS - 1);
    await claim('young', 'first', NOW - DAY_MS + 1);
    await createRetention(store, FAILS)(NOW);
    // At the time of their first use, so that only a deleted key counts as new.
    assert.equal((await claim('old', 'second', NOW - DAY_MS - 1)).kind, 'done');
    assert.equal((await claim('young', 'second', NOW - DAY_MS + 1)).kind, 'mismatch');
  });

  test('removes the names of users a year after their last sign-in', async () => {
    const ids = ['400000000000000021', '400000000000000022'];
    for (const [i, userId] of ids.entries())
      await store.users.remember({ userId, name: 'Sam', avatar: null }, NOW - YEAR_MS - 1 + i);
    await createRetention(store, FAILS)(NOW);
    assert.deepEqual([...(await store.users.find(ids)).keys()], ids.slice(1));
  });

  test('removes webhook events after thirty days', async () => {
    const guildId = await addGuild(store);
    await addEndpoint(store, guildId);
    for (const castAt of [NOW - 31 * DAY_MS, NOW - 29 * DAY_MS])
      await store.votes.cast(voteOf(guildId, { castAt }));
    await createRetention(store, FAILS)(NOW);
    const kept = await store.webhooks.deliveries(guildId, NOW, 10);
    assert.deepEqual(
      kept.map(({ occursAt }) => occursAt),
      [NOW - 29 * DAY_MS],
    );
  });
});
