import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { foldName } from '../../../src/domain/text/names.ts';
import { FIRST_PAGE, findGuilds } from '../../../src/site/home/listing.ts';
import { createMatcher, MAX_WORDS, searchEntry } from '../../../src/site/home/search.ts';
import { createSearchEntries } from '../../../src/site/home/search-entries.ts';
import type { ListedGuild } from '../../../src/store/guilds/listing.ts';

function guild(name: string, tags: string[] = [], description = ''): ListedGuild {
  const folded = foldName(name);
  return {
    ...{ guildId: name, name, folded, tags, description },
    ...{ icon: null, createdAt: 0, votes: 0, language: null },
  };
}

const GUILDS = [
  guild('Sunny place', [], 'A server for Minecraft players'),
  guild('Blocks', ['minecraft', 'role-play']),
  guild('MegaMinecraftFR'),
  guild('Minecraft Haven'),
  guild('Zoé’s Café', ['détente'], 'Un thé, un gâteau et des JEUX entre amis.'),
  guild('かがみの国', [], '日本語コミュニティ'),
  guild('100% _fun_'),
];

async function find(search: string, guilds = GUILDS): Promise<string[]> {
  const prepared = await createSearchEntries()(guilds);
  return findGuilds(prepared, { ...FIRST_PAGE, search }).guilds.map(({ name }) => name);
}

describe('a search', () => {
  test('finds words of the name first, then within names, then tags, then descriptions', async () => {
    const found = ['Minecraft Haven', 'MegaMinecraftFR', 'Blocks', 'Sunny place'];
    assert.deepEqual(await find('minecraft'), found);
    assert.deepEqual(await find('  #MineCraft, '), found);
  });

  test('finds words by their first letters', async () => {
    assert.deepEqual(await find('mine hav'), ['Minecraft Haven']);
    assert.deepEqual(await find('players'), ['Sunny place']);
    assert.deepEqual(await find('layers'), []);
    assert.deepEqual(await find('ser for play'), ['Sunny place']);
  });

  test('needs every word, wherever each is found', async () => {
    assert.deepEqual(await find('blocks minecraft'), ['Blocks']);
    assert.deepEqual(await find('blocks players'), []);
  });

  test('ignores case, accents and kinds of apostrophes', async () => {
    for (const search of ['zoe', "ZOÉ'S", 'cafe', 'detente', 'gateau', 'jeux', 'cafe\u0301 thé'])
      assert.deepEqual(await find(search), ['Zoé’s Café'], search);
  });

  test('finds tags written with a hyphen, a space or in one word', async () => {
    for (const search of ['role-play', 'role play', 'roleplay', 'play'])
      assert.ok((await find(search)).includes('Blocks'), search);
  });

  test('finds letters anywhere in scripts that do not separate words', async () => {
    for (const search of ['が', 'がみ', '国', '語コ', '日本 国'])
      assert.deepEqual(await find(search), ['かがみの国'], search);
    assert.deepEqual(await find('かか'), []);
  });

  test('finds symbols in names', async () => {
    assert.deepEqual(await find('%'), ['100% _fun_']);
    assert.deepEqual(await find('fun'), ['100% _fun_']);
    assert.deepEqual(await find('1%f'), []);
  });

  test('takes no longer for words that are repeated, implied by others, or too many', () => {
    const entry = searchEntry(guild('Minecraft', [], 'alpha bravo charlie delta echo foxtrot golf hotel'));
    const lookups = (search: string) => {
      let count = 0;
      const counted = { ...entry };
      Object.defineProperty(counted, 'words', { get: () => ++count && entry.words });
      assert.notEqual(createMatcher(search)?.(counted), null, search);
      return count;
    };
    assert.equal(lookups('m '.repeat(50)), 1);
    assert.equal(lookups('m mi min mine minecraft mi'), 1);
    const prefixes = entry.words.toLowerCase().match(/\p{L}+/gu) ?? [];
    assert.equal(lookups(`${prefixes.join(' ')} ine nec ecr cra raf aft inec necr`), MAX_WORDS);
  });

  test('a word that is the start of another one changes nothing', async () => {
    assert.deepEqual(await find('min minecraft'), await find('minecraft'));
    assert.deepEqual(await find('players pla'), ['Sunny place']);
  });

  test('finds what was changed since the list was last read', async () => {
    const prepare = createSearchEntries();
    await prepare(GUILDS);
    const changed = await prepare(GUILDS.map((old) => ({ ...old, description: 'Chess' })));
    const total = (search: string) => findGuilds(changed, { ...FIRST_PAGE, search }).total;
    assert.deepEqual([total('chess'), total('players'), total('haven')], [GUILDS.length, 0, 1]);
  });
});
