import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../../src/domain/clock.ts';
import { monthOf } from '../../../../src/domain/votes/period.ts';
import type { Vote } from '../../../../src/domain/votes/vote.ts';
import { type Store, UnknownGuildError } from '../../../../src/store/store.ts';
import { claimVote } from '../../claim-fixtures.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, batches, NOW, voteOf, votesOf } from '../../fixtures.ts';

const PERIOD = { from: NOW - 8 * DAY_MS + 1, to: NOW + DAY_MS + 1 };

function userNumber(i: number): string {
  return String(200_000_000_000_000_000n + BigInt(i));
}

/** Votes of a week, alternating guilds and users, so that neighbors in the list are far apart in the table. */
function history(guildIds: string[], firstUser: number): Vote[] {
  return Array.from({ length: 1500 }, (_, i) =>
    voteOf(guildIds[i % guildIds.length] ?? '', {
      castAt: NOW - ((i * 7919 * 1000) % (7 * DAY_MS)),
      userId: userNumber(firstUser + (i % 50)),
    }),
  );
}

/** Returns the votes, and starts `work` when they are about to be moved. */
async function* thenBegin(votes: Vote[], work: () => void): AsyncGenerator<Vote[]> {
  yield votes;
  work();
}

async function assertCounted(store: Store, guildId: string): Promise<void> {
  const kept = (await votesOf(store, guildId)).length;
  assert.ok(kept > 0);
  assert.equal(await store.votes.count({ guildId, userId: null, period: PERIOD }), kept);
  assert.equal(await store.votes.countInMonth(guildId, monthOf(NOW)), kept);
}

export function concurrencyContract(subject: Subject): void {
  test('imports in opposite orders and concurrent votes all complete, and everything is counted', async () => {
    const { store } = subject;
    const { votes } = store;
    const guildIds = await Promise.all(Array.from({ length: 6 }, () => addGuild(store)));
    const all = history(guildIds, 0);
    for (let round = 0; round < 3; round += 1) {
      const now = NOW + round * HOUR_MS;
      const casts = all.slice(0, 300).map((vote, i) => ({ ...vote, castAt: now, userId: userNumber(i) }));
      const casting: Promise<unknown>[] = [];
      const cast = () => casting.push(...casts.map((vote) => votes.cast(vote)));
      const lines = all.map((vote) => ({ ...vote, castAt: vote.castAt - round - 1 }));
      const others = history(guildIds, 1000 + 100 * round);
      await Promise.all([
        // The same votes, including those that are being cast, and votes of others in the same hours.
        votes.import(thenBegin([...lines, ...casts], cast), now),
        votes.import(batches([...lines, ...casts].toReversed()), now),
        votes.import(batches(others), now),
        votes.import(batches(others.map((vote) => ({ ...vote, castAt: vote.castAt - 1 })).toReversed()), now),
      ]);
      await Promise.all(casting);
    }
    for (const guildId of guildIds) await assertCounted(store, guildId);
  });

  test('a guild that is removed during casts, claims and imports rejects the rest, and nothing blocks', async () => {
    const { guilds, votes } = subject.store;
    for (let round = 0; round < 10; round += 1) {
      const guildId = await addGuild(subject.store);
      const users = Array.from({ length: 20 }, (_, i) => userNumber(i));
      // Users who voted before have a row that both the removal and their next vote lock.
      await votes.import(batches(users.map((userId) => voteOf(guildId, { userId, castAt: NOW - 10 }))), NOW);
      const later = users.map((userId) => voteOf(guildId, { userId, castAt: NOW + HOUR_MS }));
      const work: Promise<unknown>[] = later.map((vote) => votes.cast(vote));
      work.push(...users.map((userId) => claimVote(subject.store, guildId, { userId })));
      work.splice(10, 0, guilds.remove(guildId), votes.import(batches(later), NOW + HOUR_MS));
      for (const outcome of await Promise.allSettled(work)) {
        if (outcome.status === 'rejected')
          assert.ok(outcome.reason instanceof UnknownGuildError, outcome.reason);
      }
      assert.equal(await guilds.find(guildId), undefined);
      assert.deepEqual(await votesOf(subject.store, guildId), []);
    }
  });
}
