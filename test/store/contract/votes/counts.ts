import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, HOUR_MS, type Instant } from '../../../../src/domain/clock.ts';
import { hourOf, monthOf, type Period } from '../../../../src/domain/votes/period.ts';
import type { Vote } from '../../../../src/domain/votes/vote.ts';
import type { Subject } from '../../contract.ts';
import { addGuild, batches, importAll, NOW, OTHER_USER, USER, voteOf } from '../../fixtures.ts';

/** Edge cases of counting by hours and months: their boundaries, the epoch, years before it and the first century. */
const EDGES = [
  '2026-11-15T12:00Z',
  '2026-12-01T00:00Z',
  '1970-01-01T00:00Z',
  '1969-12-31T00:00Z',
  '0050-03-01',
];

const anyInstant: fc.Arbitrary<Instant> = fc
  .tuple(
    fc.constantFrom(...EDGES.map((edge) => Date.parse(edge))),
    fc.integer({ min: -4, max: 4 }),
    fc.oneof(fc.integer({ min: -1, max: 1 }), fc.integer({ min: 0, max: HOUR_MS })),
  )
  .map(([edge, halfHours, rest]) => edge + (halfHours * HOUR_MS) / 2 + rest);

const anyVote = fc.record({
  castAt: anyInstant,
  userId: fc.constantFrom(USER, OTHER_USER, '200000000000000003', '200000000000000004'),
  isDoubled: fc.boolean(),
});

const anyPeriod: fc.Arbitrary<Period> = fc
  .tuple(anyInstant, anyInstant)
  .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));

/** Votes of an import as they are stored: the first line of a repeated vote. */
function kept(lines: Vote[]): Vote[] {
  const byIdentity = new Map(lines.toReversed().map((vote) => [`${vote.castAt} ${vote.userId}`, vote]));
  return [...byIdentity.values()];
}

function within(votes: Vote[], { from, to }: Period): Vote[] {
  return votes.filter(({ castAt }) => castAt >= from && castAt < to);
}

function byDay(votes: Vote[]) {
  const days = Map.groupBy(votes, ({ castAt }) => Math.floor(castAt / DAY_MS) * DAY_MS);
  return [...days]
    .map(([day, own]) => ({ day, votes: own.length, doubled: own.filter((vote) => vote.isDoubled).length }))
    .toSorted((a, b) => a.day - b.day);
}

function byUser(votes: Vote[]) {
  return [...Map.groupBy(votes, (vote) => vote.userId)]
    .map(([userId, own]) => ({ userId, votes: own.length }))
    .toSorted((a, b) => b.votes - a.votes || (BigInt(a.userId) < BigInt(b.userId) ? -1 : 1));
}

export function countContract(subject: Subject): void {
  test('totals match a count of single votes, for any votes and any period', async () => {
    const { votes } = subject.store;
    const property = fc.asyncProperty(
      fc.array(fc.array(anyVote, { maxLength: 60 }), { maxLength: 3 }),
      fc.array(anyPeriod, { minLength: 5, maxLength: 5 }),
      async (drawn, periods) => {
        const guildId = await addGuild(subject.store);
        const lines = drawn.map((batch) => batch.map((vote) => voteOf(guildId, vote)));
        // Twice: existing votes are skipped, and not counted again.
        await votes.import(batches(...lines), NOW);
        await votes.import(batches(...lines.toReversed()), NOW);
        const all = kept(lines.flat());
        for (const period of periods) {
          const inside = within(all, period);
          assert.equal(await votes.count({ guildId, userId: null, period }), inside.length);
          const own = inside.filter((vote) => vote.userId === USER).length;
          assert.equal(await votes.count({ guildId, userId: USER, period }), own);
          assert.deepEqual(await votes.topVoters(guildId, period, 3), byUser(inside).slice(0, 3));
          const hours = { from: hourOf(period.from + HOUR_MS - 1), to: hourOf(period.to) };
          assert.deepEqual(await votes.daily(guildId, period), byDay(within(all, hours)));
          const month = monthOf(period.from);
          const ofMonth = all.filter((vote) => monthOf(vote.castAt) === month);
          assert.equal(await votes.countInMonth(guildId, month), ofMonth.length);
        }
      },
    );
    await fc.assert(property, { numRuns: 30 });
  });

  test('an accepted vote counts immediately, and a rejected one does not', async () => {
    const { votes } = subject.store;
    const guildId = await addGuild(subject.store);
    const casts = [0, 1, HOUR_MS].map((later) =>
      voteOf(guildId, { castAt: NOW + later, isDoubled: later > 0 }),
    );
    for (const vote of casts) await votes.cast(vote);
    assert.equal(await votes.countInMonth(guildId, Date.parse('2026-11-01')), 2);
    const period = { from: NOW - DAY_MS, to: NOW + DAY_MS };
    assert.equal(await votes.count({ guildId, userId: null, period }), 2);
    const day = Date.parse('2026-11-15');
    assert.deepEqual(await votes.daily(guildId, period), [{ day, votes: 2, doubled: 1 }]);
  });

  test('a month ends where the next one begins, in UTC', async () => {
    const { votes } = subject.store;
    const guildId = await addGuild(subject.store);
    const times = ['2026-10-31T23:59:59.999Z', '2026-11-01T00:00:00.000Z', '2026-11-30T23:59:59.999Z'];
    await importAll(subject.store, ...times.map((at) => voteOf(guildId, { castAt: Date.parse(at) })));
    assert.equal(await votes.countInMonth(guildId, Date.parse('2026-10-01')), 1);
    assert.equal(await votes.countInMonth(guildId, Date.parse('2026-11-01')), 2);
    assert.equal(await votes.countInMonth(guildId, Date.parse('2026-12-01')), 0);
  });

  test('days contain only whole hours of the period', async () => {
    const { votes } = subject.store;
    const guildId = await addGuild(subject.store);
    await importAll(
      subject.store,
      ...[0, 1, 2].map((h) => voteOf(guildId, { castAt: NOW + h * HOUR_MS + 5 })),
    );
    const period = { from: NOW + 1, to: NOW + 3 * HOUR_MS - 1 };
    const day = Date.parse('2026-11-15');
    assert.deepEqual(await votes.daily(guildId, period), [{ day, votes: 1, doubled: 0 }]);
    assert.deepEqual(await votes.daily(guildId, { from: NOW + 1, to: NOW + 2 }), []);
  });

  test('the top voters are found among more voters than are counted in one step', async () => {
    const guildId = await addGuild(subject.store);
    const user = (i: number) => String(200_000_000_000_000_000n + BigInt(i));
    const cast = Array.from({ length: 1203 }, (_, i) => voteOf(guildId, { castAt: NOW, userId: user(i) }));
    const again = [1202, 700, 3].map((i) => voteOf(guildId, { castAt: NOW + 1, userId: user(i) }));
    await importAll(
      subject.store,
      ...cast,
      ...again,
      voteOf(guildId, { castAt: NOW + 2, userId: user(700) }),
    );
    const top = await subject.store.votes.topVoters(guildId, { from: NOW, to: NOW + 3 }, 4);
    assert.deepEqual(top, [
      { userId: user(700), votes: 3 },
      { userId: user(3), votes: 2 },
      { userId: user(1202), votes: 2 },
      { userId: user(0), votes: 1 },
    ]);
  });

  test('top voters with equal votes are sorted by their ids as numbers', async () => {
    const guildId = await addGuild(subject.store);
    const ids = ['1000000000000000000', '99999999999999999', '200000000000000001'];
    await importAll(subject.store, ...ids.map((userId) => voteOf(guildId, { castAt: NOW, userId })));
    const top = await subject.store.votes.topVoters(guildId, { from: NOW, to: NOW + 1 }, 2);
    assert.deepEqual(
      top.map(({ userId }) => userId),
      ['99999999999999999', '200000000000000001'],
    );
  });

  test('the top names are case-insensitive, in the spelling used last, without votes that have no name', async () => {
    const guildId = await addGuild(subject.store);
    const cast = (minute: number, externalId: string | null) =>
      voteOf(guildId, {
        castAt: NOW + minute,
        userId: String(200_000_000_000_000_000n + BigInt(minute)),
        externalId,
      });
    const more = Array.from({ length: 600 }, (_, i) => cast(100 + i, `player ${i}`));
    await importAll(
      subject.store,
      ...[
        cast(0, 'STEVE'),
        cast(1, 'steve'),
        cast(2, 'Steve'),
        cast(3, null),
        cast(4, null),
        cast(5, 'zoé'),
        cast(6, 'Zoé'),
      ],
      ...more,
      cast(5000, 'steve'),
    );
    const top = await subject.store.votes.topNames(guildId, { from: NOW, to: NOW + 5000 }, 4);
    assert.deepEqual(top, [
      { name: 'Steve', votes: 3 },
      { name: 'Zoé', votes: 2 },
      { name: 'player 0', votes: 1 },
      { name: 'player 1', votes: 1 },
    ]);
    assert.deepEqual(await subject.store.votes.topNames(guildId, { from: NOW, to: NOW }, 4), []);
  });

  test('removing a guild removes its counts', async () => {
    const { guilds, votes } = subject.store;
    const guildId = await addGuild(subject.store);
    await importAll(subject.store, voteOf(guildId));
    await guilds.remove(guildId);
    await guilds.add({ guildId, name: 'again', createdAt: NOW });
    const period = { from: NOW - DAY_MS, to: NOW + DAY_MS };
    assert.equal(await votes.count({ guildId, userId: null, period }), 0);
    assert.equal(await votes.countInMonth(guildId, monthOf(NOW)), 0);
    assert.deepEqual(await votes.daily(guildId, period), []);
  });
}
