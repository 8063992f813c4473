import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '../../../../src/domain/clock.ts';
import type { Vote } from '../../../../src/domain/votes/vote.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, importAll, LAST_HOUR, NOW, OTHER_USER, USER, voteOf, votesOf } from '../../fixtures.ts';

export function castContract(subject: Subject): void {
  test('an accepted vote is stored as it was cast', async () => {
    const { votes } = subject.store;
    const guildId = await addGuild(subject.store);
    const vote = voteOf(guildId, { externalId: 'Steve', isDoubled: true });
    assert.deepEqual(await votes.cast(vote), { kind: 'accepted', vote });
    assert.deepEqual(await votes.latestOfUser(guildId, USER, LAST_HOUR), vote);
    assert.deepEqual(await votes.latestOfExternalId(guildId, 'Steve', LAST_HOUR), vote);
  });

  test('a vote is rejected one millisecond before the hour is over, and accepted at the hour', async () => {
    const { votes } = subject.store;
    const guildId = await addGuild(subject.store);
    await votes.cast(voteOf(guildId));
    const early = await votes.cast(voteOf(guildId, { castAt: NOW + HOUR_MS - 1 }));
    assert.deepEqual(early, { kind: 'cooldown', lastVoteAt: NOW });
    assert.equal((await votes.cast(voteOf(guildId, { castAt: NOW + HOUR_MS }))).kind, 'accepted');
    assert.equal((await votesOf(subject.store, guildId)).length, 2);
  });

  test('a vote with a time before the last one, from a clock that is behind, is rejected', async () => {
    const { votes } = subject.store;
    const guildId = await addGuild(subject.store);
    await votes.cast(voteOf(guildId));
    const late = await votes.cast(voteOf(guildId, { castAt: NOW - 500 }));
    assert.deepEqual(late, { kind: 'cooldown', lastVoteAt: NOW });
  });

  test('the hour is counted separately for each user and each guild', async () => {
    const { votes } = subject.store;
    const [guildId, otherGuild] = [await addGuild(subject.store), await addGuild(subject.store)];
    assert.equal((await votes.cast(voteOf(guildId))).kind, 'accepted');
    assert.equal((await votes.cast(voteOf(guildId, { userId: OTHER_USER }))).kind, 'accepted');
    assert.equal((await votes.cast(voteOf(otherGuild))).kind, 'accepted');
  });

  test('a vote for an unknown guild rejects and stores nothing', async () => {
    const guildId = '188888888888888888';
    await assert.rejects(subject.store.votes.cast(voteOf(guildId)));
    await subject.store.guilds.add({ guildId, name: 'late', createdAt: NOW });
    assert.equal((await subject.store.votes.cast(voteOf(guildId))).kind, 'accepted');
  });

  test('a vote at the same instant as an imported future vote is not stored twice', async () => {
    const { votes } = subject.store;
    const guildId = await addGuild(subject.store);
    const future = voteOf(guildId, { castAt: NOW + 5 * HOUR_MS });
    await importAll(subject.store, future);
    assert.deepEqual(await votes.cast(future), { kind: 'cooldown', lastVoteAt: future.castAt });
    assert.equal((await votesOf(subject.store, guildId)).length, 1);
  });

  test('exactly one of 200 concurrent votes by one user is accepted', async () => {
    const { votes, ping } = subject.store;
    const guildId = await addGuild(subject.store);
    // Ten concurrent calls, so that every connection is open before the race starts.
    await Promise.all(Array.from({ length: 10 }, ping));
    const outcomes = await Promise.all(votesAtOnce(guildId, 200).map((vote) => votes.cast(vote)));
    assert.equal(outcomes.filter((outcome) => outcome.kind === 'accepted').length, 1);
    assert.equal((await votesOf(subject.store, guildId)).length, 1);
  });
}

/** All in different milliseconds, so that not just the primary key of votes rejects them. */
function votesAtOnce(guildId: string, count: number): Vote[] {
  return Array.from({ length: count }, (_, i) => voteOf(guildId, { castAt: NOW + i }));
}
