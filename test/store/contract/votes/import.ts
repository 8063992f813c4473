import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '../../../../src/domain/clock.ts';
import { voteId } from '../../../../src/domain/votes/vote.ts';
import { UnknownGuildError } from '../../../../src/store/store.ts';
import { claimAll, claimedAts } from '../../claim-fixtures.ts';
import type { Subject } from '../../contract.ts';
import { ALL_TIME, addGuild, batches, importAll, NOW, OTHER_USER, voteOf, votesOf } from '../../fixtures.ts';

export function importContract(subject: Subject): void {
  test('an import accepts votes less than an hour apart', async () => {
    const guildId = await addGuild(subject.store);
    const history = [1, 2, 3].map((castAt) => voteOf(guildId, { castAt, externalId: 'x', isDoubled: true }));
    const result = await subject.store.votes.import(batches(history.slice(0, 1), [], history.slice(1)), NOW);
    assert.deepEqual(result, { imported: 3, skipped: 0 });
    assert.deepEqual(await votesOf(subject.store, guildId), history);
  });

  test('a vote that was claimed before its import cannot be claimed again', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const [claimed, open] = [2, 1].map((hours) =>
      voteOf(guildId, { castAt: NOW - hours * HOUR_MS, externalId: 'Steve' }),
    );
    assert.ok(claimed && open);
    const imported = [{ ...claimed, claimedAt: NOW - 5, claims: { bot: NOW - 4 } }, open];
    assert.deepEqual(await store.votes.import(batches(imported), NOW), { imported: 2, skipped: 0 });
    assert.deepEqual(await claimedAts(store, guildId, imported), [NOW - 5, null]);
    for (const consumer of ['default', 'bot'])
      assert.deepEqual(await claimAll(store, guildId, { externalId: 'Steve' }, { consumer }), [open.castAt]);
    // It can be released like any other.
    assert.equal(
      await store.claims.release({
        guildId,
        consumer: 'default',
        voteId: voteId(claimed),
        claimedAt: NOW - 5,
      }),
      true,
    );
    assert.deepEqual(await claimAll(store, guildId, { userId: claimed.userId }), [claimed.castAt]);
  });

  test('an import adds a claim to a vote that exists, and never changes one', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const vote = voteOf(guildId, { castAt: NOW - 5, externalId: 'Steve' });
    await importAll(store, vote);
    // The stored name counts, as for the vote itself.
    const again = { ...vote, externalId: 'other', claimedAt: NOW - 1 };
    const repeated = { ...again, claimedAt: NOW };
    assert.deepEqual(await store.votes.import(batches([again, repeated]), NOW), { imported: 0, skipped: 2 });
    assert.deepEqual(await claimedAts(store, guildId, [vote]), [NOW - 1]);
    assert.deepEqual(await store.votes.import(batches([repeated, vote]), NOW), { imported: 0, skipped: 2 });
    assert.deepEqual(await claimedAts(store, guildId, [vote]), [NOW - 1]);
    const later = voteOf(guildId, { castAt: NOW - 4, userId: OTHER_USER, externalId: 'Steve' });
    await importAll(store, later);
    assert.deepEqual(await claimAll(store, guildId, { externalId: 'Steve' }), []);
  });

  test('the claim of a voided vote is imported too, and counts when the vote is restored', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const vote = voteOf(guildId, { castAt: NOW - 5 });
    await importAll(store, vote);
    const batch = `imported_${guildId}`;
    const voided = { selection: { userId: vote.userId }, period: ALL_TIME, reason: null, voidedAt: NOW };
    await store.moderation.void({ guildId, batch, ...voided });
    const claimed = { ...vote, claimedAt: NOW - 1 };
    assert.deepEqual(await store.votes.import(batches([claimed]), NOW), { imported: 0, skipped: 1 });
    await store.moderation.restore(batch, NOW);
    assert.deepEqual(await claimAll(store, guildId, { userId: vote.userId }), []);
  });

  test('an import of nothing imports nothing', async () => {
    assert.deepEqual(await subject.store.votes.import(batches(), NOW), { imported: 0, skipped: 0 });
  });

  test('a second import skips existing votes, and the first line of a repeated vote is kept', async () => {
    const guildId = await addGuild(subject.store);
    const first = voteOf(guildId, { castAt: 1, externalId: 'first' });
    const again = voteOf(guildId, { castAt: 1, externalId: 'again' });
    const { votes } = subject.store;
    assert.deepEqual(await votes.import(batches([first, again]), NOW), { imported: 1, skipped: 1 });
    const more = voteOf(guildId, { castAt: 2 });
    assert.deepEqual(await votes.import(batches([again, more]), NOW), { imported: 1, skipped: 1 });
    assert.deepEqual(await votesOf(subject.store, guildId), [first, more]);
  });

  test('an imported vote of the last hour starts a cooldown, an older or future one does not', async () => {
    const { votes } = subject.store;
    const guildId = await addGuild(subject.store);
    const times = [NOW - HOUR_MS - 5, NOW - 10, NOW - 20, NOW + 9 * HOUR_MS];
    await importAll(subject.store, ...times.map((castAt) => voteOf(guildId, { castAt })));
    const refused = await votes.cast(voteOf(guildId, { castAt: NOW }));
    assert.deepEqual(refused, { kind: 'cooldown', lastVoteAt: NOW - 10 });
    await importAll(subject.store, voteOf(guildId, { castAt: NOW - HOUR_MS, userId: OTHER_USER }));
    assert.equal((await votes.cast(voteOf(guildId, { userId: OTHER_USER }))).kind, 'accepted');
  });

  test('an import never shortens a cooldown', async () => {
    const { votes } = subject.store;
    const guildId = await addGuild(subject.store);
    await votes.cast(voteOf(guildId, { castAt: NOW }));
    await importAll(subject.store, voteOf(guildId, { castAt: NOW - 30 * 60_000 }));
    const refused = await votes.cast(voteOf(guildId, { castAt: NOW + 40 * 60_000 }));
    assert.deepEqual(refused, { kind: 'cooldown', lastVoteAt: NOW });
  });

  test('an import that cannot be read completely writes nothing, not even a cooldown', async () => {
    const guildId = await addGuild(subject.store);
    async function* broken() {
      yield [voteOf(guildId)];
      yield [voteOf(guildId, { userId: OTHER_USER })];
      throw new Error('line 3 is wrong');
    }
    await assert.rejects(subject.store.votes.import(broken(), NOW), /line 3 is wrong/);
    assert.deepEqual(await votesOf(subject.store, guildId), []);
    assert.equal((await subject.store.votes.cast(voteOf(guildId))).kind, 'accepted');
  });

  test('an import with an unknown guild writes nothing and reports the guild', async () => {
    const guildId = await addGuild(subject.store);
    const stranger = voteOf('177777777777777777');
    await assert.rejects(
      subject.store.votes.import(batches([voteOf(guildId)], [stranger]), NOW),
      (error) => error instanceof UnknownGuildError && error.guildId === stranger.guildId,
    );
    assert.deepEqual(await votesOf(subject.store, guildId), []);
  });

  test('votes can be cast, keys changed and lists read while an import is being read', async () => {
    const { guilds, votes } = subject.store;
    const guildId = await addGuild(subject.store);
    async function* slow() {
      yield [voteOf(guildId, { castAt: 1 })];
      assert.equal((await votes.cast(voteOf(guildId))).kind, 'accepted');
      assert.equal(
        await guilds.setKey(guildId, { hash: `busy ${guildId}`, sealed: 's', createdAt: NOW }),
        true,
      );
      assert.equal((await votesOf(subject.store, guildId)).length, 1);
      yield [voteOf(guildId, { castAt: 2 })];
    }
    assert.deepEqual(await votes.import(slow(), NOW), { imported: 2, skipped: 0 });
    assert.equal((await votesOf(subject.store, guildId)).length, 3);
  });
}
