import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IDEMPOTENCY_MS, voteId } from '../../../../src/domain/votes/vote.ts';
import { claimRequest, hoursAgo } from '../../claim-fixtures.ts';
import type { Subject } from '../../contract.ts';
import { ALL_TIME, addGuild, NOW, USER, voteOf } from '../../fixtures.ts';

const user = { userId: USER };

export function idempotencyContract(subject: Subject): void {
  const withKey = (guildId: string, key: string, requestHash = 'same', now = NOW) =>
    subject.store.claims.claim(claimRequest(guildId, user, { now, idempotency: { key, requestHash } }));

  test('a repeated key returns the first body, and claims nothing more', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    for (const hours of [3, 2]) await store.votes.cast(voteOf(guildId, { castAt: hoursAgo(hours) }));
    const first = await withKey(guildId, 'a');
    assert.ok(first.kind === 'done' && first.claimed && !first.replayed);
    const again = await withKey(guildId, 'a', 'same', NOW + IDEMPOTENCY_MS - 1);
    assert.deepEqual(again, { ...first, replayed: true, claimed: false });
    const other = await withKey(guildId, 'b');
    assert.ok(other.kind === 'done' && other.body !== first.body && other.claimed);
  });

  test('a key is bound to its parameters and to its guild', async () => {
    const [guildId, other] = [await addGuild(subject.store), await addGuild(subject.store)];
    await withKey(guildId, 'a');
    assert.deepEqual(await withKey(guildId, 'a', 'different'), { kind: 'mismatch' });
    assert.equal((await withKey(other, 'a', 'different')).kind, 'done');
  });

  test('"nothing to claim" is repeated too, even if there is something to claim in the meantime', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const first = await withKey(guildId, 'a');
    await store.votes.cast(voteOf(guildId));
    const again = await withKey(guildId, 'a');
    assert.ok(first.kind === 'done' && again.kind === 'done');
    assert.deepEqual([again.body, again.replayed], [first.body, true]);
  });

  test('a key counts as new after a day, pruned or not', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await withKey(guildId, 'a');
    await withKey(guildId, 'pruned');
    await store.votes.cast(voteOf(guildId, { castAt: NOW + IDEMPOTENCY_MS }));
    const later = await withKey(guildId, 'a', 'different', NOW + IDEMPOTENCY_MS);
    assert.ok(later.kind === 'done' && later.claimed && !later.replayed);
    assert.equal((await withKey(guildId, 'a', 'different', NOW + IDEMPOTENCY_MS + 1)).kind, 'done');
    // Both keys of the first day are deleted or replaced; the new use is kept.
    while ((await store.claims.pruneKeys(NOW + 1, 1)) > 0);
    const pruned = await withKey(guildId, 'pruned', 'different');
    assert.ok(pruned.kind === 'done' && !pruned.replayed);
    assert.deepEqual(await withKey(guildId, 'a', 'same', NOW + IDEMPOTENCY_MS + 1), { kind: 'mismatch' });
  });

  test('concurrent requests with one key get one body and one vote', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    for (const hours of [3, 2]) await store.votes.cast(voteOf(guildId, { castAt: hoursAgo(hours) }));
    const results = await Promise.all(Array.from({ length: 30 }, () => withKey(guildId, 'a')));
    const bodies = results.map((result) => (result.kind === 'done' ? result.body : result.kind));
    assert.equal(new Set(bodies).size, 1);
    assert.equal(results.filter((result) => result.kind === 'done' && result.claimed).length, 1);
  });

  test('a key whose claim was released is unused: repeating it is a new claim', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const vote = voteOf(guildId, { castAt: hoursAgo(1) });
    await store.votes.cast(vote);
    const first = await withKey(guildId, 'a');
    assert.ok(first.kind === 'done' && first.claimed);
    await store.claims.release({ guildId, consumer: 'default', voteId: voteId(vote), claimedAt: NOW });
    const other = await withKey(guildId, 'b');
    assert.ok(other.kind === 'done' && other.claimed);
    // The vote belongs to the other key now, also for the first one.
    const again = await withKey(guildId, 'a');
    assert.ok(again.kind === 'done' && !again.replayed && !again.claimed && /"vote":null/.test(again.body));
    assert.deepEqual(await withKey(guildId, 'b'), { ...other, replayed: true, claimed: false });
    await store.claims.release({ guildId, consumer: 'default', voteId: voteId(vote), claimedAt: null });
    // Like any unused key, it can be used with other parameters.
    const different = await withKey(guildId, 'b', 'different');
    assert.ok(different.kind === 'done' && different.claimed && !different.replayed);
    assert.deepEqual(await withKey(guildId, 'b'), { kind: 'mismatch' });
  });

  test('the claim of a voided vote keeps its key', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await store.votes.cast(voteOf(guildId));
    const first = await withKey(guildId, 'a');
    const voided = {
      selection: user,
      period: ALL_TIME,
      batch: `void_${guildId}`,
      reason: null,
      voidedAt: NOW,
    };
    assert.equal(await store.moderation.void({ guildId, ...voided }), 1);
    assert.deepEqual(await withKey(guildId, 'a'), { ...first, replayed: true, claimed: false });
  });

  test('concurrent claims and releases leave each vote with one holder that knows it', async () => {
    const { store } = subject;
    for (let round = 0; round < 10; round += 1) {
      const guildId = await addGuild(store);
      const vote = voteOf(guildId, { castAt: hoursAgo(1), externalId: 'Steve' });
      await store.votes.cast(vote);
      const release = () =>
        store.claims.release({ guildId, consumer: 'default', voteId: voteId(vote), claimedAt: NOW });
      await withKey(guildId, 'a');
      const keys = ['a', 'b', 'a', 'c', 'a', 'b'];
      await Promise.all([release(), ...keys.map((key) => withKey(guildId, key)), release()]);
      // Repeated when nothing changes any more, exactly one key returns the claim.
      const settled = await Promise.all(['a', 'b', 'c'].map((key) => withKey(guildId, key)));
      const holders = settled.filter((result) => result.kind === 'done' && /"castAt"/.test(result.body));
      assert.equal(holders.length, 1);
    }
  });
}
