import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, formatInstant, HOUR_MS, type Instant } from '../../../../src/domain/clock.ts';
import { ALL_TIME } from '../../../../src/domain/votes/period.ts';
import { MAX_RANKED_VOTES } from '../../../../src/store/votes/votes.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, batches, importAll, NOW, OTHER_USER, USER, voteOf } from '../../fixtures.ts';
import { addEndpoint } from '../../webhook-fixtures.ts';

const MIDNIGHT = Date.parse('2026-11-15T00:00:00.000Z');

export function standingContract(subject: Subject): void {
  /** The totals in the stored `vote_received` events, by user and time. */
  async function readTotals(guildId: string): Promise<Map<string, [number, number]>> {
    const sql = `SELECT body FROM webhook_events WHERE guild_id = '${guildId}' AND type = 'vote_received'`;
    const events = (await subject.query(sql)).map((row) => JSON.parse(String(row.body)).data);
    return new Map(
      events.map((data) => [`${data.user_id} ${data.timestamp}`, [data.total_votes, data.streak_days]]),
    );
  }

  async function castAndRead(guildId: string, castAt: Instant, userId = USER) {
    assert.equal((await subject.store.votes.cast(voteOf(guildId, { castAt, userId }))).kind, 'accepted');
    return (await readTotals(guildId)).get(`${userId} ${formatInstant(castAt)}`);
  }

  test('a user without votes has no total, no streak and no rank', async () => {
    const guildId = await addGuild(subject.store);
    await importAll(subject.store, voteOf(guildId, { userId: OTHER_USER }));
    const none = {
      totalVotes: 0,
      streakDays: 0,
      votesThisMonth: 0,
      rank: null,
      rankBefore: null,
      next: null,
    };
    assert.deepEqual(await subject.store.votes.standing(guildId, USER, NOW), none);
  });

  test('the event of a vote contains the total and the streak of its voter, including this vote', async () => {
    const guildId = await addGuild(subject.store);
    await addEndpoint(subject.store, guildId);
    assert.deepEqual(await castAndRead(guildId, MIDNIGHT - 1), [1, 1]);
    assert.deepEqual(await castAndRead(guildId, MIDNIGHT - 1 + HOUR_MS), [2, 2]);
    assert.deepEqual(await castAndRead(guildId, NOW), [3, 2]);
    assert.deepEqual(await castAndRead(guildId, NOW, OTHER_USER), [1, 1]);
    assert.deepEqual(await castAndRead(guildId, NOW + DAY_MS), [4, 3]);
    assert.deepEqual(await castAndRead(guildId, NOW + 3 * DAY_MS), [5, 1]);
  });

  test('a doubled vote counts once, imported votes count, and votes of other guilds do not', async () => {
    const { store } = subject;
    const [guildId, otherGuild] = [await addGuild(store), await addGuild(store)];
    await addEndpoint(store, guildId);
    const history = [1, 2, 4].map((days) =>
      voteOf(guildId, { castAt: NOW - days * DAY_MS, isDoubled: true }),
    );
    await importAll(store, ...history, voteOf(otherGuild, { castAt: NOW - 3 * DAY_MS }));
    assert.deepEqual(await castAndRead(guildId, NOW), [4, 3]);
  });

  test('the totals of many votes are those at the time of each, in any order', async () => {
    const { store } = subject;
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(fc.constantFrom(USER, OTHER_USER), fc.integer({ min: 0, max: 240 })), {
          maxLength: 60,
          selector: ([userId, hours]) => `${userId} ${hours}`,
        }),
        fc.array(fc.nat(), { maxLength: 80 }),
        async (history, picks) => {
          const guildId = await addGuild(store);
          const votes = history.map(([userId, hours]) =>
            voteOf(guildId, { userId, castAt: NOW - hours * 3 * HOUR_MS }),
          );
          await importAll(store, ...votes);
          const asked = picks.flatMap((pick) => votes[pick % votes.length] ?? []);
          const totals = await store.votes.totalsOf(asked);
          for (const [i, { userId, castAt }] of asked.entries()) {
            const { totalVotes, streakDays } = await store.votes.standing(guildId, userId, castAt);
            assert.deepEqual(totals[i], { totalVotes, streakDays });
          }
        },
      ),
      { numRuns: 8 },
    );
    assert.deepEqual(await store.votes.totalsOf([]), []);
  });

  test('the totals of some votes include the others in between, of the day before too', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const at = (days: number, hours: number) =>
      voteOf(guildId, { castAt: MIDNIGHT + days * DAY_MS + hours * HOUR_MS });
    const [first, morning, evening, next] = [at(0, 9), at(1, 9), at(1, 18), at(2, 9)];
    const [later, last] = [at(3, 9), at(4, 9)];
    await importAll(store, first, morning, evening, next, later, last);
    assert.deepEqual(await store.votes.totalsOf([morning, next, last]), [
      { totalVotes: 2, streakDays: 2 },
      { totalVotes: 4, streakDays: 3 },
      { totalVotes: 6, streakDays: 5 },
    ]);
  });

  test('a streak without a vote today lasts until the day is over', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await importAll(
      store,
      voteOf(guildId, { castAt: NOW - DAY_MS }),
      voteOf(guildId, { castAt: NOW - 2 * DAY_MS }),
    );
    const streakAt = async (now: Instant) => (await store.votes.standing(guildId, USER, now)).streakDays;
    assert.equal(await streakAt(MIDNIGHT + DAY_MS - 1), 2);
    assert.equal(await streakAt(MIDNIGHT + DAY_MS), 0);
  });

  test('voided votes are removed from totals, streaks and ranks, and restored ones return', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await addEndpoint(store, guildId);
    const days = [0, 1, 2].map((day) => voteOf(guildId, { castAt: NOW - day * DAY_MS }));
    await importAll(store, ...days, voteOf(guildId, { userId: OTHER_USER }));
    const before = await store.votes.standing(guildId, USER, NOW);
    const ranks = { rank: 1, rankBefore: 1, next: null };
    assert.deepEqual(before, { totalVotes: 3, streakDays: 3, votesThisMonth: 3, ...ranks });
    const batch = `void_standing_${guildId}`;
    const period = { from: MIDNIGHT - DAY_MS, to: MIDNIGHT };
    await store.moderation.void({
      guildId,
      selection: { userId: USER },
      period,
      batch,
      reason: null,
      voidedAt: NOW,
    });
    const voided = { totalVotes: 2, streakDays: 1, votesThisMonth: 2, ...ranks };
    assert.deepEqual(await store.votes.standing(guildId, USER, NOW), voided);
    await store.moderation.restore(batch, NOW);
    assert.deepEqual(await store.votes.standing(guildId, USER, NOW), before);
    assert.deepEqual(await castAndRead(guildId, NOW + HOUR_MS), [4, 3]);
  });

  test('totals and streaks match a count over all votes, whatever was imported and voided', async () => {
    const { store } = subject;
    const anyHours = fc.uniqueArray(fc.integer({ min: 1, max: 24 * 8 }), { maxLength: 12 });
    let run = 0;
    const property = fc.asyncProperty(anyHours, fc.nat(8), async (hours, voidedDay) => {
      run += 1;
      const guildId = await addGuild(store);
      await addEndpoint(store, guildId);
      const votes = hours.map((hour) => voteOf(guildId, { castAt: NOW - hour * HOUR_MS }));
      await store.votes.import(batches(votes), NOW - 2 * HOUR_MS);
      const period = { from: MIDNIGHT - voidedDay * DAY_MS, to: MIDNIGHT - (voidedDay - 1) * DAY_MS };
      const batch = `void_any_${run}_${guildId}`;
      await store.moderation.void({
        guildId,
        selection: { userId: USER },
        period,
        batch,
        reason: null,
        voidedAt: NOW,
      });
      const left = votes.map(({ castAt }) => castAt).filter((at) => at < period.from || at >= period.to);
      const days = new Set([NOW, ...left].map((at) => Math.floor(at / DAY_MS)));
      let streak = 0;
      while (days.has(Math.floor(NOW / DAY_MS) - streak)) streak += 1;
      assert.deepEqual(await castAndRead(guildId, NOW), [left.length + 1, streak]);
    });
    await fc.assert(property, { numRuns: 20 });
  });

  test('the event of each of many concurrent votes counts the first vote of its own voter', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    await addEndpoint(store, guildId);
    const voters = Array.from({ length: 8 }, (_, i) => String(300_000_000_000_000_000n + BigInt(i)));
    const casts = voters.flatMap((userId) =>
      [0, 1, 2].map((ms) => store.votes.cast(voteOf(guildId, { userId, castAt: NOW + ms }))),
    );
    await Promise.all(casts);
    const totals = [...(await readTotals(guildId)).values()];
    assert.deepEqual(
      totals,
      voters.map(() => [1, 1]),
    );
  });

  test('a rank is the position among the top voters of the month', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const voters = [USER, OTHER_USER, '99999999999999999', '200000000000000009'];
    const cast = (userId: string, hours: number) =>
      voteOf(guildId, { userId, castAt: NOW - hours * HOUR_MS });
    const lastMonth = [21, 22, 23].map((days) => cast('200000000000000009', days * 24));
    const thisMonth = [cast(USER, 1), cast(OTHER_USER, 1), cast(OTHER_USER, 3), cast('99999999999999999', 2)];
    await importAll(store, ...lastMonth, ...thisMonth, cast('200000000000000009', 5), cast(USER, -5));
    const month = { from: Date.parse('2026-11-01'), to: NOW + 1 };
    const top = (await store.votes.topVoters(guildId, month, 10)).map(({ userId }) => userId);
    const ranks = await Promise.all(voters.map((userId) => store.votes.standing(guildId, userId, NOW)));
    assert.deepEqual(
      ranks.map(({ rank }) => rank),
      voters.map((userId) => top.indexOf(userId) + 1),
    );
  });

  test('the previous rank is the position without the newest vote', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const voters = [USER, '200000000000000003', '200000000000000004'];
    const history = voters.flatMap((userId, i) =>
      [1, 2, 3].slice(i).map((hours) => voteOf(guildId, { userId, castAt: NOW - hours * HOUR_MS })),
    );
    await importAll(store, ...history);
    const ranksOf = async (userId: string) => {
      const { rank, rankBefore } = await store.votes.standing(guildId, userId, NOW);
      return [rank, rankBefore];
    };
    assert.deepEqual(await ranksOf(USER), [1, 1]);
    assert.deepEqual(await ranksOf('200000000000000003'), [2, 2]);
    assert.deepEqual(await ranksOf('200000000000000004'), [3, null]);
    const third = [1, 2].map((hours) =>
      voteOf(guildId, { userId: OTHER_USER, castAt: NOW - hours * HOUR_MS }),
    );
    await importAll(store, ...third);
    assert.deepEqual(await ranksOf(OTHER_USER), [2, 3]);
  });

  test('the next rank is the one that the fewest further votes reach', async () => {
    const { store } = subject;
    const anyVotes = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 6 });
    const property = fc.asyncProperty(anyVotes, async (counts) => {
      const guildId = await addGuild(store);
      // Ids of different lengths: a shorter one is the smaller number.
      const voters = counts.map((_, i) =>
        String((i % 2 ? 200_000_000_000_000_000n : 90_000_000_000_000_000n) + BigInt(i)),
      );
      const votes = voters.flatMap((userId, i) =>
        Array.from({ length: counts[i] ?? 0 }, (_, n) =>
          voteOf(guildId, { userId, castAt: NOW - n * HOUR_MS }),
        ),
      );
      await importAll(store, ...votes);
      const [userId = '', ownCount = 0] = [voters[0], counts[0]];
      const placeWith = (own: number) =>
        1 +
        voters.filter((id, i) => {
          const count = counts[i] ?? 0;
          return id !== userId && (count > own || (count === own && BigInt(id) < BigInt(userId)));
        }).length;
      const { rank, next } = await store.votes.standing(guildId, userId, NOW);
      assert.equal(rank, placeWith(ownCount));
      let more = 1;
      while (rank !== null && rank > 1 && placeWith(ownCount + more) === rank) more += 1;
      assert.deepEqual(next, rank === 1 ? null : { votes: more, rank: placeWith(ownCount + more) });
    });
    await fc.assert(property, { numRuns: 12 });
  });

  test('a guild with too many votes in the month to count quickly has no ranks', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const votes = Array.from({ length: MAX_RANKED_VOTES }, (_, i) =>
      voteOf(guildId, { castAt: NOW - i - 1 }),
    );
    await importAll(store, ...votes);
    assert.equal((await store.votes.standing(guildId, USER, NOW)).rank, 1);
    await importAll(store, voteOf(guildId));
    const { rank, totalVotes } = await store.votes.standing(guildId, USER, NOW);
    assert.deepEqual([rank, totalVotes], [null, MAX_RANKED_VOTES + 1]);
  });

  test('votes of any year that an import accepts are counted', async () => {
    const { store } = subject;
    const guildId = await addGuild(store);
    const times = [ALL_TIME.from, -1, 0, NOW, ALL_TIME.to - 1];
    await importAll(store, ...times.map((castAt) => voteOf(guildId, { castAt })));
    assert.equal((await store.votes.standing(guildId, USER, NOW)).totalVotes, 4);
    assert.equal((await store.votes.standing(guildId, USER, 0)).streakDays, 2);
  });
}
