import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '../../../src/domain/clock.ts';
import type { Vote } from '../../../src/domain/votes/vote.ts';
import type { Subject } from '../contract.ts';
import { addGuild, importAll, LAST_HOUR, NOW, OTHER_USER, USER, voteOf, votesOf } from '../fixtures.ts';
import { runInProcesses } from '../processes.ts';

export function castContract(subject: Subject): void {
  test('an accepted vote is kept as it was cast', async () => {
    const { votes } = subject.store;
    const guildId = await addGuild(subject.store);
    const vote = voteOf(guildId, { externalId: 'Steve', isDoubled: true });
    assert.deepEqual(await votes.cast(vote), { accepted: true, vote });
    assert.deepEqual(await votes.latestOfUser(guildId, USER, LAST_HOUR), vote);
    assert.deepEqual(await votes.latestOfExternalId(guildId, 'Steve', LAST_HOUR), vote);
  });

  test('one millisecond before the hour is over a vote is refused, at the hour it is accepted', async () => {
    const { votes } = subject.store;
    const guildId = await addGuild(subject.store);
    await votes.cast(voteOf(guildId));
    const early = await votes.cast(voteOf(guildId, { castAt: NOW + HOUR_MS - 1 }));
    assert.deepEqual(early, { accepted: false, lastVoteAt: NOW });
    assert.equal((await votes.cast(voteOf(guildId, { castAt: NOW + HOUR_MS }))).accepted, true);
    assert.equal((await votesOf(subject.store, guildId)).length, 2);
  });

  test('a vote stamped before the last one, by a clock that is behind, is refused', async () => {
    const { votes } = subject.store;
    const guildId = await addGuild(subject.store);
    await votes.cast(voteOf(guildId));
    const late = await votes.cast(voteOf(guildId, { castAt: NOW - 500 }));
    assert.deepEqual(late, { accepted: false, lastVoteAt: NOW });
  });

  test('the hour is counted for each user and each guild alone', async () => {
    const { votes } = subject.store;
    const [guildId, otherGuild] = [await addGuild(subject.store), await addGuild(subject.store)];
    assert.equal((await votes.cast(voteOf(guildId))).accepted, true);
    assert.equal((await votes.cast(voteOf(guildId, { userId: OTHER_USER }))).accepted, true);
    assert.equal((await votes.cast(voteOf(otherGuild))).accepted, true);
  });

  test('a vote for a guild that is not listed rejects and leaves nothing', async () => {
    const guildId = '188888888888888888';
    await assert.rejects(subject.store.votes.cast(voteOf(guildId)));
    await subject.store.guilds.add({ guildId, name: 'late', createdAt: NOW });
    assert.equal((await subject.store.votes.cast(voteOf(guildId))).accepted, true);
  });

  test('a vote that an import has put there from the future is not kept twice', async () => {
    const { votes } = subject.store;
    const guildId = await addGuild(subject.store);
    const future = voteOf(guildId, { castAt: NOW + 5 * HOUR_MS });
    await importAll(subject.store, future);
    assert.deepEqual(await votes.cast(future), { accepted: false, lastVoteAt: future.castAt });
    assert.equal((await votesOf(subject.store, guildId)).length, 1);
  });

  test('of 200 votes at once by one user exactly one is accepted', async () => {
    const { votes, ping } = subject.store;
    const guildId = await addGuild(subject.store);
    // Ten at once, so that every connection is open before the race starts.
    await Promise.all(Array.from({ length: 10 }, ping));
    const outcomes = await Promise.all(votesAtOnce(guildId, 200).map((vote) => votes.cast(vote)));
    assert.equal(outcomes.filter((outcome) => outcome.accepted).length, 1);
    assert.equal((await votesOf(subject.store, guildId)).length, 1);
  });

  test('of 200 votes at once from two processes exactly one is accepted', async () => {
    const { database, store } = subject;
    const guildId = await addGuild(store);
    const all = votesAtOnce(guildId, 200);
    const accepted = await runInProcesses(
      { kind: 'cast', database, votes: all.slice(0, 100) },
      { kind: 'cast', database, votes: all.slice(100) },
    );
    assert.deepEqual(accepted.toSorted(), [0, 1]);
    assert.equal((await votesOf(store, guildId)).length, 1);
  });
}

/** No two on one millisecond: the primary key of votes alone must not be what refuses them. */
function votesAtOnce(guildId: string, count: number): Vote[] {
  return Array.from({ length: count }, (_, i) => voteOf(guildId, { castAt: NOW + i }));
}
