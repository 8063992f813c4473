import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createListing, PAGE_SIZE } from '../../../src/site/home/listing.ts';
import { type Api, onSqlite } from '../../support/api.ts';

const NAMES = [
  'Zoé’s Café',
  'ΟΔΥΣΣΕΥΣ',
  'かがみ',
  '100% _fun_',
  'straße',
  '𝓖uild',
  'plain',
  'Plain too',
  'ＷＩＤＥ',
];
const SEARCHES = [
  'zoe',
  'CAFÉ',
  'ς',
  'か',
  'が',
  '%',
  '_',
  'ß',
  'ss',
  'g',
  'plain',
  'wide',
  'nothing',
  'i',
  '',
];

async function fill(api: Api): Promise<void> {
  const { store, clock } = api;
  for (const [index, name] of Array.from({ length: 5 }, () => NAMES)
    .flat()
    .entries()) {
    const guildId = String(700000000000000000n + BigInt(index));
    await store.guilds.add({ guildId, name, createdAt: clock() });
    for (let user = 0; user < index % 4; user += 1) {
      const userId = String(500000000000000000n + BigInt(user));
      await store.votes.cast({ guildId, userId, castAt: clock(), externalId: null, isDoubled: false });
    }
  }
  await store.guilds.setSanction('700000000000000006', { since: clock(), reason: null });
}

/** Enough different questions that the list is read whole. */
async function ask(listing: ReturnType<typeof createListing>, times = 20): Promise<void> {
  for (let count = 0; count < times; count += 1) await listing({ search: `other ${count}`, page: 1 });
}

onSqlite('many different searches at once', (open) => {
  test('are answered from one read of the list, with what each would find alone', async (t) => {
    const api = await open();
    await fill(api);
    const wishes = SEARCHES.flatMap((search) => [1, 2, 9].map((page) => ({ search, page })));
    const alone = await Promise.all(wishes.map((query) => createListing(api)(query)));
    assert.ok(
      alone.some(({ hasNext }) => hasNext) && alone.some(({ guilds }) => guilds.length === PAGE_SIZE),
    );

    const listing = createListing(api);
    await ask(listing);
    const ranking = t.mock.method(api.store.guilds, 'ranking');
    assert.deepEqual(await Promise.all(wishes.map((query) => listing(query))), alone);
    assert.equal(ranking.mock.callCount(), 0);
  });

  test('read the database a few times in ten seconds, and then anew', async (t) => {
    const api = await open();
    const ranking = t.mock.method(api.store.guilds, 'ranking');
    const listing = createListing(api);
    await ask(listing, 300);
    assert.equal(ranking.mock.callCount(), 16);
    const name = 'Just listed';
    await api.store.guilds.add({ guildId: '710000000000000000', name, createdAt: api.clock() });
    api.clock.advance(10_000);
    const found = await listing({ search: 'just listed', page: 1 });
    assert.deepEqual(
      found.guilds.map((guild) => guild.name),
      [name],
    );
  });

  test('are asked of the database one by one when there are too many communities to hold', async (t) => {
    const api = await open();
    const { ranking } = api.store.guilds;
    const asked = t.mock.method(api.store.guilds, 'ranking', async (...given: Parameters<typeof ranking>) => {
      const [month, { search, limit, offset }] = given;
      if (limit <= PAGE_SIZE + 1) return ranking(month, { search, limit, offset });
      return Array.from({ length: limit }, () => ({ guildId: '1', name: 'x', votes: 0 }));
    });
    const listing = createListing(api);
    await ask(listing, 30);
    assert.equal(asked.mock.callCount(), 31);
  });

  test('keep nothing of a read that failed', async (t) => {
    const api = await open();
    const listing = createListing(api);
    await ask(listing, 15);
    const { mock } = t.mock.method(api.store.guilds, 'ranking', async () => {
      throw new Error('the database is away');
    });
    await assert.rejects(listing({ search: 'a', page: 1 }));
    mock.restore();
    assert.deepEqual((await listing({ search: 'a', page: 1 })).search, 'a');
  });
});
