import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HOUR_MS, MINUTE_MS } from '../../../../src/domain/clock.ts';
import { claimWindow } from '../../../../src/domain/votes/vote.ts';
import { claimAll, claimRequest, claimVote, hoursAgo } from '../../claim-fixtures.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, importAll, NOW, OTHER_USER, USER, voteOf } from '../../fixtures.ts';

const THIRD = '200000000000000003';
const steve = { externalId: 'Steve' };

/** The simplest implementation of the rule, over all votes of one name. */
function claimableTimes(times: readonly number[], claimed: ReadonlySet<number>, after: number): number[] {
  const rewarded = [...claimed];
  for (const time of times.filter((at) => at > after).toSorted((a, b) => a - b))
    if (rewarded.every((other) => Math.abs(other - time) >= HOUR_MS)) rewarded.push(time);
  return rewarded.slice(claimed.size);
}

/** One reward per name per hour. */
export function claimNameContract(subject: Subject): void {
  test('if users vote under one name within an hour, only the first vote can be claimed by that name', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const at = (minutes: number) => hoursAgo(5) + minutes * MINUTE_MS;
    const cast = (userId: string, minutes: number) =>
      store.votes.cast(voteOf(guildId, { userId, castAt: at(minutes), externalId: 'Steve' }));
    await cast(USER, 0);
    await cast(OTHER_USER, 30);
    await cast(THIRD, 59);
    await cast(USER, 60);
    const overview = await store.claims.ofIdentity(claimRequest(guildId, steve));
    assert.deepEqual([overview.claimable, overview.claimed], [2, 0]);
    assert.deepEqual(
      overview.votes.map(({ castAt }) => castAt),
      [at(0), at(60)],
    );
    assert.equal((await claimVote(store, guildId, steve)).remaining, 1);
    assert.deepEqual(await claimAll(store, guildId, steve), [at(60)]);
    // Users can still claim their own votes, whatever name they voted under.
    assert.deepEqual(await claimAll(store, guildId, { userId: OTHER_USER }), [at(30)]);
  });

  test('a vote claimed by its user counts for the name, an hour before and after', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const times = [hoursAgo(4), hoursAgo(3) - 1, hoursAgo(3), hoursAgo(2) - 1, hoursAgo(2)];
    const votes = times.map((castAt) =>
      voteOf(guildId, { castAt, userId: castAt === hoursAgo(3) ? USER : OTHER_USER, externalId: 'Steve' }),
    );
    await importAll(store, ...votes);
    assert.equal((await claimVote(store, guildId, { userId: USER })).vote?.castAt, hoursAgo(3));
    assert.deepEqual(await claimAll(store, guildId, steve), [hoursAgo(4), hoursAgo(2)]);
  });

  test('a claimed vote just before the window counts too', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const times = [hoursAgo(3), hoursAgo(2.5)];
    await importAll(store, ...times.map((castAt) => voteOf(guildId, { castAt, externalId: 'Steve' })));
    await claimVote(store, guildId, steve);
    const window = claimWindow(NOW, 2.75);
    assert.deepEqual(await claimAll(store, guildId, steve, { window }), []);
  });

  test('concurrent claims with different windows result in one reward', async () => {
    const { store } = subject;
    for (let round = 0; round < 10; round += 1) {
      const guildId = await addGuild(store);
      // Each claim sees another vote as the oldest.
      for (const [i, hours] of [1.2, 0.5].entries()) {
        const vote = { castAt: hoursAgo(hours), userId: i === 0 ? USER : OTHER_USER };
        await importAll(store, voteOf(guildId, { ...vote, externalId: 'Steve' }));
      }
      const claims = [24, 1].map((hours) =>
        claimVote(store, guildId, steve, { window: claimWindow(NOW, hours) }),
      );
      const claimed = (await Promise.all(claims)).filter(({ vote }) => vote !== null);
      assert.equal(claimed.length, 1);
    }
  });

  test('with the rule off, every vote under the name can be claimed', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const users = [USER, OTHER_USER, THIRD];
    await importAll(store, ...users.map((userId) => voteOf(guildId, { userId, externalId: 'Steve' })));
    const given = { oneRewardPerName: false };
    assert.equal((await store.claims.ofIdentity(claimRequest(guildId, steve, given))).claimable, 3);
    assert.equal((await claimAll(store, guildId, steve, given)).length, 3);
  });

  test('names are compared exactly, or case-insensitively on request', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const names = ['Steve', 'STEVE', 'Ｓteve', 'Stève'];
    const votes = names.map((externalId, i) =>
      voteOf(guildId, { castAt: hoursAgo(10 - i), userId: `20000000000000000${i}`, externalId }),
    );
    await importAll(store, ...votes);
    const folded = { foldedName: 'STEVE' };
    assert.equal((await store.claims.ofIdentity(claimRequest(guildId, folded))).claimable, 3);
    assert.deepEqual(await claimAll(store, guildId, { externalId: 'STEVE' }), [hoursAgo(9)]);
    assert.deepEqual(await claimAll(store, guildId, { externalId: 'steve' }), []);
    assert.deepEqual(await claimAll(store, guildId, folded), [hoursAgo(10), hoursAgo(8)]);
  });

  test('names that no vote can have, and the longest valid name, are handled', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    for (const name of ['a\0b', '\ud800', 'x'.repeat(192), ''])
      for (const identity of [{ externalId: name }, { foldedName: name }])
        assert.equal((await claimVote(store, guildId, identity)).vote, null);
    // Folded, this is eighteen times as long.
    const longest = '\ufdfa'.repeat(191);
    await store.votes.cast(voteOf(guildId, { castAt: NOW, externalId: longest }));
    const window = { after: NOW - 1, until: NOW };
    assert.equal((await store.votes.latestOfExternalId(guildId, longest, window))?.castAt, NOW);
    assert.equal((await claimVote(store, guildId, { externalId: longest })).vote?.castAt, NOW);
  });

  test('the rule holds for any history of votes and claims under a name', async () => {
    const { store } = subject;
    const minutes = fc.integer({ min: 0, max: 12 * 60 });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(minutes, { maxLength: 40 }),
        fc.array(fc.nat(), { maxLength: 8 }),
        fc.constantFrom(3, 8, 24),
        async (ages, picks, hours) => {
          const guildId = await addGuild(store);
          const times = ages.map((age) => NOW - age * MINUTE_MS);
          const userOf = (at: number) => String(300_000_000_000_000_000n + BigInt((NOW - at) / MINUTE_MS));
          const votes = times.map((castAt) => voteOf(guildId, { castAt, userId: userOf(castAt), ...steve }));
          await importAll(store, ...votes);
          const claimed = new Set(picks.flatMap((pick) => times[pick % times.length] ?? []));
          for (const at of claimed) await claimVote(store, guildId, { userId: userOf(at) });
          const window = claimWindow(NOW, hours);
          const expected = claimableTimes(times, claimed, window.after);
          const { claimable } = await store.claims.ofIdentity(claimRequest(guildId, steve, { window }));
          assert.equal(claimable, expected.length);
          assert.deepEqual(await claimAll(store, guildId, steve, { window }), expected);
        },
      ),
      { numRuns: 15 },
    );
  });
}
