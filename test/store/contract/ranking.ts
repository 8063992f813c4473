import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monthOf } from '../../../src/domain/votes/period.ts';
import type { Subject } from '../contract.ts';
import { addGuild, importAll, NOW, voteOf } from '../fixtures.ts';

const MONTH = monthOf(NOW);
const LAST_MONTH = monthOf(MONTH - 1);

export function rankingContract(subject: Subject): void {
  /** The names found, in order. All guilds of the suite are ranked together, so each test searches for its own. */
  async function find(search: string, page = { limit: 100, offset: 0 }, month = MONTH): Promise<string[]> {
    return (await subject.store.guilds.ranking(month, { search, ...page })).map((guild) => guild.name);
  }

  async function addWithVotes(name: string, votes: number, castAt = NOW): Promise<string> {
    const guildId = await addGuild(subject.store, name);
    const cast = Array.from({ length: votes }, (_, i) => voteOf(guildId, { castAt: castAt + i }));
    await importAll(subject.store, ...cast);
    return guildId;
  }

  test('guilds are ranked by the votes of the month, then by name, those without votes last', async () => {
    const two = await addWithVotes('rank C', 2);
    await addWithVotes('rank B', 1);
    await addWithVotes('rank a', 1);
    await addWithVotes('rank Z', 0);
    await addWithVotes('rank Y', 5, LAST_MONTH);
    assert.deepEqual(await find('rank '), ['rank C', 'rank a', 'rank B', 'rank Y', 'rank Z']);
    assert.deepEqual((await find('rank ', undefined, LAST_MONTH))[0], 'rank Y');
    const [first] = await subject.store.guilds.ranking(MONTH, { search: 'rank ', limit: 1, offset: 0 });
    assert.deepEqual(first, { guildId: two, name: 'rank C', icon: null, votes: 2 });
  });

  test('the ranking is read in parts', async () => {
    for (const name of ['part 1', 'part 2', 'part 3']) await addWithVotes(name, 1);
    assert.deepEqual(await find('part ', { limit: 2, offset: 0 }), ['part 1', 'part 2']);
    assert.deepEqual(await find('part ', { limit: 2, offset: 2 }), ['part 3']);
    assert.deepEqual(await find('part ', { limit: 2, offset: 4 }), []);
  });

  test('a sanctioned guild is not ranked until its sanction is lifted', async () => {
    const guildId = await addWithVotes('banished', 3);
    await subject.store.guilds.setSanction(guildId, { since: NOW, reason: null });
    assert.deepEqual(await find('banished'), []);
    await subject.store.guilds.setSanction(guildId, null);
    assert.deepEqual(await find('banished'), ['banished']);
  });

  test('searching names ignores case and accents, except for marks that make another letter', async () => {
    await addGuild(subject.store, 'Le Café des ÉLÈVES');
    await addGuild(subject.store, 'Straße ΟΔΟΣ 𝓖𝓪𝓶𝓮𝓻𝓼');
    for (const search of [
      'café des',
      'CAFÉ DES',
      'cafe\u0301 des',
      'élèves',
      'ÉLÈVES',
      'é des é',
      'cafe des eleves',
    ]) {
      assert.deepEqual(await find(search), ['Le Café des ÉLÈVES'], search);
    }
    for (const search of ['STRASSE', 'straße', 'οδος', 'ΟΔΟΣ', 'gamers']) {
      assert.deepEqual(await find(search), ['Straße ΟΔΟΣ 𝓖𝓪𝓶𝓮𝓻𝓼'], search);
    }
    await addGuild(subject.store, 'がくせい 한국');
    for (const search of ['が', 'か\u3099く', '한국'])
      assert.deepEqual(await find(search), ['がくせい 한국'], search);
    for (const search of ['かくせい', '하']) assert.deepEqual(await find(search), [], search);
  });

  test('wildcards, quotes and escapes of the databases are searched literally', async () => {
    await addGuild(subject.store, '100%_real \\ "quoted" \'guild\'');
    const name = '100%_real \\ "quoted" \'guild\'';
    for (const search of ['100%', '%_', '_real', '\\', '"quoted"', "'guild'"]) {
      assert.ok((await find(search)).includes(name), search);
    }
    for (const search of ['1%l', '1__%', '100_', '\\%', '%real%']) {
      assert.deepEqual(await find(search), [], search);
    }
  });

  test('a search for text that no name can contain finds nothing', async () => {
    for (const search of ['\0', 'a\0b', 'a\ud800', 'x'.repeat(100_000)])
      assert.deepEqual(await find(search), []);
  });
}
