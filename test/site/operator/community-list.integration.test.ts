import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Api, onSqlite } from '../../support/api.ts';
import { newVisitor, type Visitor } from '../visitor.ts';

async function enter({ app }: Api): Promise<Visitor> {
  const visitor = newVisitor(app);
  await visitor.signIn('Alex');
  return visitor;
}

onSqlite('the list of communities for operators', (open) => {
  test('finds communities by a part of the name or by the id', async () => {
    const api = await open();
    const { store, guildId } = api;
    const alex = await enter(api);
    await store.guilds.rename(guildId, 'Château & <Dragon> 77');
    for (const search of ['chateau%20%26', guildId]) {
      const { text } = await alex.get(`/operator/communities?search=${search}`);
      assert.match(text, new RegExp(`href="/operator/communities/${guildId}"`), search);
      assert.match(text, /Château &#38; &#60;Dragon&#62; 77/);
    }
    assert.match((await alex.get('/operator/communities?search=nothing%00')).text, /No community matches/);
  });

  test('pages through communities in every order without skipping any', async () => {
    const api = await open();
    const { store, clock } = api;
    for (let i = 0; i < 60; i += 1) {
      const guildId = `5000000000000000${10 + i}`;
      await store.guilds.add({ guildId, name: `Paged & _é ${i % 3}`, createdAt: i % 7 });
      if (i % 4 === 0) await store.guilds.setPremiumUntil(guildId, clock() + (i % 8) + 1);
    }
    const alex = await enter(api);
    for (const sort of ['name', 'votes', 'created', 'premium']) {
      const seen: string[] = [];
      let path: string | undefined = `/operator/communities?search=paged&sort=${sort}`;
      let pages = 0;
      for (; path; pages += 1) {
        const { text } = await alex.get(path);
        assert.match(text, new RegExp(`<option value="${sort}" selected>`));
        assert.equal(text.match(/aria-sort=/g)?.length, 1);
        for (const [, id = ''] of text.matchAll(/href="\/operator\/communities\/(\d+)"/g)) seen.push(id);
        path = /rel="next" href="([^"]+)"/.exec(text)?.[1]?.replaceAll('&#38;', '&');
      }
      assert.deepEqual([seen.length, new Set(seen).size, pages], [60, 60, 2], sort);
    }
  });

  test('filters communities, and ignores values that nobody can choose', async () => {
    const api = await open();
    const { store, guildId, clock } = api;
    await store.guilds.rename(guildId, 'Filter me');
    const alex = await enter(api);
    const isShown = async (query: string) =>
      (await alex.get(`/operator/communities?search=filter+me&${query}`)).text.includes(
        `/communities/${guildId}"`,
      );
    for (const state of ['sanctioned', 'unlisted'])
      assert.equal(await isShown(`state=${state}`), false, state);
    await store.guilds.setUnlisted(guildId, clock());
    await store.guilds.setPremiumUntil(guildId, clock() + 1);
    await store.guilds.setSanction(guildId, { since: clock(), reason: null });
    for (const state of ['sanctioned', 'premium', 'unlisted', 'wrong', ''])
      assert.equal(await isShown(`state=${state}&sort=wrong&after=wrong`), true, state);
    assert.equal((await alex.get('/operator/communities?after=%00_100000000000000001')).status, 200);
    assert.equal((await alex.get('/operator/communities?sort=votes&after=x_100000000000000001')).status, 200);
  });
});
