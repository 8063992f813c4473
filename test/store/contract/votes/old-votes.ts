import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../../src/domain/clock.ts';
import { FIRST_OLD_VOTES } from '../../../../src/store/votes/old-votes.ts';
import { claimVote } from '../../claim-fixtures.ts';
import type { Subject } from '../../contract.ts';
import { ALL_TIME, addGuild, importAll, NOW, OTHER_USER, USER, voteOf, votesOf } from '../../fixtures.ts';

const BEFORE = NOW - 62 * DAY_MS;

export function oldVoteContract(subject: Subject): void {
  /** Calls `prune` until nothing is left, as retention does. Returns what each call has dropped. */
  async function pruneAll(limit: number): Promise<number[]> {
    const dropped: number[] = [];
    for (let position = FIRST_OLD_VOTES; ; ) {
      const pruned = await subject.store.oldVotes.prune(BEFORE, position, limit);
      if (!pruned) return dropped;
      if (pruned.dropped > 0) dropped.push(pruned.dropped);
      position = pruned.next;
    }
  }

  const rowsOf = async (table: string, guildId: string) =>
    (await subject.query(`SELECT 1 AS one FROM ${table} WHERE guild_id = '${guildId}'`)).length;

  test('old votes are deleted in batches with their claims and cooldowns; counts stay', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const old = Array.from({ length: 5 }, (_, i) =>
      voteOf(guildId, { castAt: BEFORE - i * HOUR_MS - 1, userId: OTHER_USER }),
    );
    const kept = [voteOf(guildId, { castAt: BEFORE }), voteOf(guildId, { castAt: NOW })];
    await importAll(store, ...old, ...kept);
    const window = { after: 0, until: NOW };
    await claimVote(store, guildId, { userId: OTHER_USER }, { window });
    await claimVote(store, guildId, { userId: USER }, { window });
    const voidedAt = { from: BEFORE - HOUR_MS - 1, to: BEFORE - HOUR_MS };
    const selection = { userId: OTHER_USER };
    const batch = { batch: `void_${guildId}`, voidedAt: NOW, reason: null };
    await store.moderation.void({ guildId, ...batch, selection, period: voidedAt });
    const count = () => store.votes.count({ guildId, userId: null, period: ALL_TIME });
    const counted = await count();
    assert.deepEqual(await pruneAll(2), [2, 2]);
    assert.deepEqual(
      (await votesOf(store, guildId)).map(({ castAt }) => castAt),
      [BEFORE, NOW],
    );
    assert.equal(await count(), counted);
    assert.equal(await rowsOf('voided_votes', guildId), 0);
    assert.equal(await rowsOf('vote_claims', guildId), 1);
    assert.equal(await rowsOf('cooldowns', guildId), 1);
  });

  test('a batch continues where the one before ended, and passes nothing that was deleted', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const ages = [9, 8, 7, 6, 5];
    const add = (age: number) => importAll(store, voteOf(guildId, { castAt: BEFORE - age * HOUR_MS }));
    for (const age of ages) await add(age);
    const first = await store.oldVotes.prune(BEFORE, FIRST_OLD_VOTES, 2);
    assert.equal(first?.dropped, 2);
    await add(10);
    const second = await store.oldVotes.prune(BEFORE, first.next, 2);
    assert.equal(second?.dropped, 2);
    const third = await store.oldVotes.prune(BEFORE, second.next, 2);
    assert.deepEqual(third, { next: { after: guildId, within: null }, dropped: 1 });
    assert.deepEqual(await pruneAll(2), [1]);
    assert.deepEqual(await votesOf(store, guildId), []);
  });

  test('claims and voided votes without votes are deleted too', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await importAll(store, voteOf(guildId, { castAt: BEFORE - 1 }));
    for (const consumer of ['default', 'bot'])
      await claimVote(store, guildId, { userId: USER }, { consumer, window: { after: 0, until: NOW } });
    const batch = { batch: `void_${guildId}`, voidedAt: NOW, reason: null };
    await store.moderation.void({ guildId, ...batch, selection: { userId: USER }, period: ALL_TIME });
    assert.deepEqual(await pruneAll(10), [1]);
    assert.equal(await store.moderation.restore(batch.batch, NOW), 0);
    assert.equal(await rowsOf('vote_claims', guildId), 0);
    assert.equal(await rowsOf('consumer_claims', guildId), 0);
  });

  test('a feed cursor from before continues with the first vote that is kept', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await store.votes.cast(voteOf(guildId, { castAt: BEFORE - 2 * HOUR_MS }));
    await store.votes.cast(voteOf(guildId, { castAt: BEFORE - HOUR_MS }));
    await store.votes.cast(voteOf(guildId, { castAt: NOW }));
    const first = await store.feed.read(guildId, 0, 0, 1);
    const seq = first.votes[0]?.seq ?? 0;
    await pruneAll(10);
    const { votes, history } = await store.feed.read(guildId, seq, 0, 10);
    assert.deepEqual(
      votes.map(({ castAt }) => castAt),
      [NOW],
    );
    assert.equal(history.castAt, null);
  });
}
