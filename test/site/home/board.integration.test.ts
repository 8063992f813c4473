import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../src/domain/clock.ts';
import { NO_PROFILE } from '../../../src/domain/guild.ts';
import { createBoard, trendOf } from '../../../src/site/home/board.ts';
import { FIRST_PAGE, findGuilds, PAGE_SIZE } from '../../../src/site/home/listing.ts';
import { type Api, onSqlite } from '../../support/api.ts';

const NAMES = [
  'Zoé’s Café',
  'ΟΔΥΣΣΕΥΣ',
  'かがみ',
  '100% _fun_',
  'straße',
  '𝓖arden',
  'plain',
  'Plain too',
  'ＷＩＤＥ',
];
const SANCTIONED = '700000000000000006';

/** A search and the names that it finds. */
const SEARCHES: [search: string, ...names: string[]][] = [
  ['zoe', 'Zoé’s Café'],
  ['CAFÉ', 'Zoé’s Café'],
  ['cafe\u0301', 'Zoé’s Café'],
  ['οδυσσευς', 'ΟΔΥΣΣΕΥΣ'],
  ['か', 'かがみ'],
  ['が', 'かがみ'],
  ['かか'],
  ['%', '100% _fun_'],
  ['_', '100% _fun_'],
  ['1%f'],
  ['STRASSE', 'straße'],
  ['garden', '𝓖arden'],
  ['plain', 'Plain too', 'plain'],
  ['wide', 'ＷＩＤＥ'],
  ['nothing'],
  ['\0'],
  ['a\ud800'],
];

async function fill(api: Api): Promise<void> {
  const { store, clock } = api;
  const names = Array.from({ length: 5 }, () => NAMES).flat();
  for (const [index, name] of names.entries()) {
    const guildId = String(700000000000000000n + BigInt(index));
    await store.guilds.add({ guildId, name, createdAt: clock() });
    for (let user = 0; user < index % 4; user += 1) {
      const userId = String(500000000000000000n + BigInt(user));
      await store.votes.cast({ guildId, userId, castAt: clock(), externalId: null, isDoubled: false });
    }
  }
  await store.guilds.setSanction(SANCTIONED, { since: clock(), reason: null });
}

/** Makes the store list this many communities, all with different numbers of votes. */
async function serveMany(t: TestContext, api: Api, length: number) {
  const [guild] = (await createBoard(api).read()).byVotes;
  assert.ok(guild);
  const many = Array.from({ length }, (_, i) => ({
    ...guild,
    ...{ guildId: String(800000000000000000n + BigInt(i)), votes: (i * 7919) % length, createdAt: i % 50 },
  }));
  return t.mock.method(api.store.listing, 'read', async (_now: number, after: string, limit: number) =>
    many.filter(({ guildId }) => guildId > after).slice(0, limit),
  );
}

onSqlite('the board', (open) => {
  test('has the communities with the most votes first, then by name, and none that are sanctioned', async () => {
    const api = await open();
    await fill(api);
    const { byVotes } = await createBoard(api).read();
    const order = byVotes.map(({ votes, folded, guildId }) => [9 - votes, folded, guildId].join('\0'));
    assert.deepEqual(order, order.toSorted());
    assert.deepEqual([byVotes.length, byVotes.at(0)?.votes, byVotes.at(-1)?.votes], [45, 3, 0]);
    assert.ok(!byVotes.some(({ guildId }) => guildId === SANCTIONED));
  });

  test('is shown in pages', async () => {
    const api = await open();
    const { byVotes } = await createBoard(api).read();
    const pages = [1, 2, 9].map((page) => findGuilds(byVotes, { ...FIRST_PAGE, page }));
    assert.deepEqual(
      pages.map(({ guilds }) => guilds),
      [byVotes.slice(0, PAGE_SIZE), byVotes.slice(PAGE_SIZE, 2 * PAGE_SIZE), []],
    );
  });

  test('is searched without regard to case, accents and wildcards, except for marks that make another letter', async () => {
    const api = await open();
    const { byVotes } = await createBoard(api).read();
    for (const [search, ...names] of SEARCHES) {
      const { guilds } = findGuilds(byVotes, { ...FIRST_PAGE, search });
      const found = new Set(guilds.map(({ name }) => name));
      assert.deepEqual([...found].sort(), names.sort(), search);
    }
  });

  test('is read once for concurrent visitors, again after three seconds, and for a new month', async (t) => {
    const api = await open();
    const read = t.mock.method(api.store.listing, 'read');
    const board = createBoard(api);
    await Promise.all(Array.from({ length: 50 }, () => board.read()));
    const once = read.mock.callCount();
    api.clock.advance(2999);
    await board.read();
    assert.equal(read.mock.callCount(), once);
    api.clock.advance(1);
    await board.read();
    assert.equal(read.mock.callCount(), 2 * once);
  });

  test('is not replaced by a failed read', async (t) => {
    const api = await open();
    const board = createBoard(api);
    const { mock } = t.mock.method(api.store.listing, 'read', async () => {
      throw new Error('the database is away');
    });
    await assert.rejects(board.read());
    mock.restore();
    assert.ok((await board.read()).byVotes.length > 0);
  });

  test('a long list is served from the previous read while it is read again', async (t) => {
    const api = await open();
    await serveMany(t, api, 1500);
    const board = createBoard(api);
    const first = await board.read();
    assert.equal(first.byVotes.length, 1500);
    api.clock.advance(3000);
    assert.equal(await board.read(), first);
    api.clock.advance(180_000);
    assert.notEqual(await board.read(), first);
  });

  test('a long list of last month is served while the new one is read, and ranks nobody', async (t) => {
    const api = await open();
    await serveMany(t, api, 2500);
    const clock = { now: Date.UTC(2026, 5, 30, 23, 59, 30) };
    const board = createBoard({ store: api.store, clock: () => clock.now });
    const june = await board.read();
    assert.deepEqual(
      june.byVotes.map(({ votes }) => votes),
      Array.from({ length: 2500 }, (_, i) => 2499 - i),
    );
    const byAge = june.byVotes.toSorted((a, b) => b.createdAt - a.createdAt);
    assert.deepEqual(june.byAge, byAge);
    clock.now = Date.UTC(2026, 6, 1);
    assert.equal(await board.read(), june);
    assert.equal(await board.rankOf(june.byVotes[0]?.guildId ?? '', 1), null);
  });

  test('a long list is read when the server starts, and again every minute', async (t) => {
    const api = await open();
    const read = await serveMany(t, api, 1500);
    t.mock.timers.enable({ apis: ['setInterval'] });
    const board = createBoard(api);
    const stop = board.keepReady();
    const first = await board.read();
    const once = read.mock.callCount();
    assert.ok(once > 0);
    api.clock.advance(60_000);
    t.mock.timers.tick(60_000);
    assert.equal(await board.read(), first);
    stop();
    api.clock.advance(60_000);
    t.mock.timers.tick(60_000);
    assert.equal(read.mock.callCount() - once, 1);
  });

  test('sorts by growth since last week, and by age', async () => {
    const api = await open();
    const [steady, growing, falling] = [1, 2, 3].map((n) => String(910000000000000000n + BigInt(n)));
    assert.ok(steady && growing && falling);
    const castAt = api.clock();
    for (const [index, guildId] of [steady, growing, falling].entries())
      await api.store.guilds.add({ guildId, name: `Trend ${index}`, createdAt: castAt + index });
    const votes = (guildId: string, week: number, before: number) =>
      [...Array(week).fill(0), ...Array(before).fill(8 * DAY_MS)].map((ago, i) => ({
        ...{ guildId, userId: String(510000000000000000n + BigInt(i)), externalId: null, isDoubled: false },
        castAt: castAt - ago - HOUR_MS,
      }));
    const all = [...votes(steady, 9, 9), ...votes(growing, 8, 1), ...votes(falling, 1, 9)];
    await api.store.votes.import(
      (async function* () {
        yield all;
      })(),
      castAt,
    );
    const board = createBoard(api);
    const { byTrend, weeks } = await board.readTrends();
    const ids = (guilds: readonly { guildId: string }[]) =>
      guilds.map(({ guildId }) => guildId).filter((guildId) => guildId.startsWith('91000000'));
    assert.deepEqual(ids(byTrend), [growing, steady, falling]);
    assert.deepEqual(weeks.get(growing), { guildId: growing, week: 8, previousWeek: 1 });
    assert.deepEqual(ids((await board.read()).byAge), [falling, growing, steady]);
  });

  test('votes of two weeks are summed at most every ten minutes', async (t) => {
    const api = await open();
    const read = t.mock.method(api.store.listing, 'weeks');
    const board = createBoard(api);
    await Promise.all([board.readTrends(), board.readTrends()]);
    api.clock.advance(9 * 60_000);
    await board.readTrends();
    assert.equal(read.mock.callCount(), 1);
    api.clock.advance(60_000);
    await board.readTrends();
    assert.equal(read.mock.callCount(), 2);
  });

  test('filters by tag and language together with a search', async () => {
    const api = await open();
    const ids = [1, 2, 3].map((n) => String(920000000000000000n + BigInt(n)));
    const profiles = [
      { tags: ['pvp', 'survival'], language: 'fr' as const },
      { tags: ['pvp'], language: 'en' as const },
      { tags: ['survival'], language: 'fr' as const },
    ];
    for (const [index, guildId] of ids.entries()) {
      await api.store.guilds.add({ guildId, name: `Filter ${index}`, createdAt: api.clock() });
      await api.store.profiles.set(guildId, { ...NO_PROFILE, ...profiles[index] });
    }
    const board = await createBoard(api).read();
    const find = (query: object) =>
      findGuilds(board.byVotes, { ...FIRST_PAGE, search: 'filter', ...query }).guilds.map(({ guildId }) =>
        ids.indexOf(guildId),
      );
    assert.deepEqual(find({}), [0, 1, 2]);
    assert.deepEqual(find({ tag: 'pvp' }), [0, 1]);
    assert.deepEqual(find({ language: 'fr' }), [0, 2]);
    assert.deepEqual(find({ tag: 'survival', language: 'fr', search: 'filter 2' }), [2]);
    assert.deepEqual(find({ tag: 'nobody' }), []);
    assert.deepEqual(
      [board.tags.slice(0, 2), board.languages.slice(0, 2)],
      [
        ['pvp', 'survival'],
        ['fr', 'en'],
      ],
    );
  });

  test('a rank uses the newest number of votes, and is compared with the rank with one vote fewer', async () => {
    const api = await open();
    await fill(api);
    const board = createBoard(api);
    const { byVotes } = await board.read();
    const [first, second] = byVotes;
    assert.ok(first && second);
    assert.deepEqual(await board.rankOf(first.guildId, first.votes), {
      rank: 1,
      rankBefore: byVotes.filter(({ votes }) => votes === first.votes).length,
    });
    assert.equal((await board.rankOf(second.guildId, first.votes + 1))?.rank, 1);
    assert.equal(await board.rankOf('199999999999999999', 5), null);
    for (const { guildId } of byVotes) {
      for (let votes = 0; votes <= first.votes + 1; votes += 1) {
        const changed = byVotes.map((guild) => (guild.guildId === guildId ? { ...guild, votes } : guild));
        const keyOf = (guild: (typeof changed)[number]) => `${guild.folded}\0${guild.guildId}`;
        const sorted = changed.sort((a, b) => b.votes - a.votes || (keyOf(a) < keyOf(b) ? -1 : 1));
        const expected = sorted.findIndex((guild) => guild.guildId === guildId) + 1;
        assert.equal((await board.rankOf(guildId, votes))?.rank, expected);
      }
    }
  });
});

test('the more unusual the growth of a community, the higher its trend', () => {
  const grown = (previousWeek: number, week: number) => trendOf({ previousWeek, week });
  assert.ok(grown(100, 200) > grown(1000, 1100));
  assert.ok(grown(100, 200) > grown(0, 3));
  assert.equal(grown(50, 50), 0);
});
