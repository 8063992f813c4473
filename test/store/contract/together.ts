import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../src/domain/clock.ts';
import type { Vote } from '../../../src/domain/vote.ts';
import { monthOf } from '../../../src/store/hours.ts';
import { type Store, UnknownGuildError } from '../../../src/store/store.ts';
import type { Subject } from '../contract.ts';
import { addGuild, batches, NOW, voteOf, votesOf } from '../fixtures.ts';

const PERIOD = { from: NOW - DAY_MS + 1, to: NOW + DAY_MS + 1 };

function userNumber(i: number): string {
  return String(200_000_000_000_000_000n + BigInt(i));
}

/** Votes of the last hours, several guilds and users in turn, so that neighbours in the list are far apart in the table. */
function history(guildIds: string[], length: number): Vote[] {
  return Array.from({ length }, (_, i) =>
    voteOf(guildIds[i % guildIds.length] ?? '', {
      castAt: NOW - ((i * 7919) % (5 * HOUR_MS)),
      userId: userNumber(i % 50),
    }),
  );
}

async function assertCounted(store: Store, guildId: string): Promise<void> {
  const kept = (await votesOf(store, guildId)).length;
  assert.ok(kept > 0);
  assert.equal(await store.votes.count({ guildId, userId: null, period: PERIOD }), kept);
  assert.equal(await store.votes.countInMonth(guildId, monthOf(NOW)), kept);
}

export function togetherContract(subject: Subject): void {
  test('imports of the same votes in opposite orders and votes at the same time all end, and all is counted', async () => {
    const { store } = subject;
    const { votes } = store;
    const guildIds = await Promise.all(Array.from({ length: 6 }, () => addGuild(store)));
    for (let round = 0; round < 5; round += 1) {
      const lines = history(guildIds, 3000).map((vote) => ({
        ...vote,
        castAt: vote.castAt - round * HOUR_MS,
      }));
      const casts = lines.slice(0, 60).map((vote, i) => ({
        ...vote,
        castAt: NOW + round * HOUR_MS + i,
        // Some vote as users of the import whose cooldown it starts, some as users of their own.
        userId: userNumber(i % 2 === 0 ? i : 100 + i),
      }));
      // The very votes that are being cast, too.
      const files = [lines, lines.toReversed(), [...casts, ...lines].toReversed(), [...lines, ...casts]];
      await Promise.all([
        ...files.map((file) => votes.import(batches(file), NOW + round * HOUR_MS)),
        ...casts.map((vote) => votes.cast(vote)),
      ]);
    }
    for (const guildId of guildIds) await assertCounted(store, guildId);
  });

  test('a guild that is removed while votes are cast and imported refuses what is left, and nothing gets stuck', async () => {
    const { guilds, votes } = subject.store;
    for (let round = 0; round < 10; round += 1) {
      const guildId = await addGuild(subject.store);
      const users = Array.from({ length: 20 }, (_, i) => userNumber(i));
      // Users who voted before have a row that the removal and their next vote both want.
      await votes.import(batches(users.map((userId) => voteOf(guildId, { userId, castAt: NOW - 10 }))), NOW);
      const later = users.map((userId) => voteOf(guildId, { userId, castAt: NOW + HOUR_MS }));
      const work: Promise<unknown>[] = later.map((vote) => votes.cast(vote));
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
