import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { MINUTE_MS } from '../../../src/domain/clock.ts';
import { NO_PROFILE } from '../../../src/domain/guild.ts';
import { type Api, onSqlite } from '../../support/api.ts';
import { newVisitor, type PageAnswer } from '../visitor.ts';

let marks = 0;

/** The tests of this file share a database: each uses a unique word in the names of its communities. */
function newMark(): string {
  marks += 1;
  return `mark${marks}${'x'.repeat(marks)}`;
}

async function addGuilds(api: Api, mark: string, names: string[]): Promise<string[]> {
  // The tests share a server, and each starts at the same time: the cached list must have expired.
  api.clock.advance(10_000 * marks);
  const ids = names.map((_, index) => String(400000000000000000n + BigInt(marks * 1000 + index)));
  for (const [index, name] of names.entries()) {
    const guildId = ids[index] ?? '';
    await api.store.guilds.add({ guildId, name: `${name} ${mark}`, createdAt: api.clock() });
  }
  return ids;
}

async function vote(api: Api, guildId: string, votes: number): Promise<void> {
  for (let user = 0; user < votes; user += 1) {
    const userId = String(500000000000000000n + BigInt(user));
    await api.store.votes.cast({ guildId, userId, castAt: api.clock(), externalId: null, isDoubled: false });
  }
}

function show(app: FastifyInstance, query: Record<string, string>): Promise<PageAnswer> {
  return newVisitor(app).get(`/?${new URLSearchParams(query)}`);
}

function namesIn({ text }: PageAnswer): string[] {
  return [...text.matchAll(/class="guild-name" href="[^"]+"><bdi>(.*?)<\/bdi>/g)].map(
    ([, name = '']) => name,
  );
}

onSqlite('the listing', (open) => {
  test('communities are sorted by their votes this month, each with a vote button', async () => {
    const api = await open();
    const mark = newMark();
    const [few = '', many = '', none = ''] = await addGuilds(api, mark, ['Few', 'Many', 'None']);
    await vote(api, few, 1);
    await vote(api, many, 2);
    const page = await show(api.app, { q: mark });
    assert.equal(page.status, 200);
    assert.deepEqual(namesIn(page), [`Many ${mark}`, `Few ${mark}`, `None ${mark}`]);
    assert.match(
      page.text,
      />2<\/span> <span[^>]*>votes<[\s\S]*>1<\/span> <span[^>]*>vote<[\s\S]*>0<\/span> <span[^>]*>votes</,
    );
    for (const id of [few, many, none]) assert.ok(page.text.includes(`href="/guild/${id}/vote"`));
  });

  test('the header links to the dashboard and the API documentation, in the language of the visitor', async () => {
    const { app } = await open();
    const { text } = await newVisitor(app, { 'accept-language': 'fr' }).get('/');
    const header = /<nav[^>]*aria-label="Navigation principale">.*?<\/nav>/s.exec(text)?.[0] ?? '';
    assert.match(header, /<a href="\/dashboard"[^>]*>Tableau de bord<\/a>/);
    assert.match(header, /<a href="\/docs"[^>]*>API<\/a>/);
  });

  test('a sanctioned community is not listed', async () => {
    const api = await open();
    const mark = newMark();
    const [bad = ''] = await addGuilds(api, mark, ['Bad', 'Good']);
    await api.store.guilds.setSanction(bad, { since: api.clock(), reason: null });
    assert.deepEqual(namesIn(await show(api.app, { q: mark })), [`Good ${mark}`]);
  });

  test('long lists have pages that keep the search', async () => {
    const api = await open();
    const mark = newMark();
    await addGuilds(
      api,
      mark,
      Array.from({ length: 45 }, (_, index) => `G${String(index).padStart(2, '0')}`),
    );
    const pages = await Promise.all(['1', '2', '3', '4'].map((page) => show(api.app, { q: mark, page })));
    assert.deepEqual(
      pages.map((page) => namesIn(page).length),
      [20, 20, 5, 0],
    );
    assert.equal(new Set(pages.flatMap(namesIn)).size, 45);
    assert.ok(pages[0]?.text.includes(`href="/?q=${mark}&#38;page=2" rel="next"`));
    assert.ok(pages[1]?.text.includes(`href="/?q=${mark}" rel="prev"`));
    assert.doesNotMatch(pages[2]?.text ?? '', /rel="next"/);
    assert.match(pages[3]?.text ?? '', /This page does not exist/);
  });

  test('a search without results says so and links to the whole list', async () => {
    const { app } = await open();
    const { status, text } = await show(app, { q: '<b>nobody</b>' });
    assert.equal(status, 200);
    assert.match(text, /No results/);
    assert.match(text, /&#60;b&#62;nobody&#60;\/b&#62;/);
    assert.match(text, /href="\/">Show all communities/);
  });

  test('every URL of the list works', async () => {
    const { app } = await open();
    for (const query of [
      'page=0',
      'page=-1',
      'page=x',
      'page=1e9',
      'page=1.5',
      'q=%00',
      'q=%25_',
      'q=a&q=b',
    ]) {
      assert.equal((await newVisitor(app).get(`/?${query}`)).status, 200, query);
    }
    const long = await show(app, { q: '🔥'.repeat(5000) });
    assert.equal(long.status, 200);
  });

  test('the list is read once for concurrent visitors, and again three seconds later', async () => {
    const api = await open();
    const mark = newMark();
    const [guildId = ''] = await addGuilds(api, mark, ['Only']);
    assert.match((await show(api.app, { q: mark })).text, /guild-count">0</);
    await vote(api, guildId, 1);
    api.clock.advance(2999);
    assert.match((await show(api.app, { q: mark })).text, /guild-count">0</);
    api.clock.advance(1);
    assert.match((await show(api.app, { q: mark })).text, /guild-count">1</);
  });

  test('rows link to the community, and show its profile', async () => {
    const api = await open();
    const mark = newMark();
    const [guildId = ''] = await addGuilds(api, mark, ['Shown']);
    const description = 'Fights & <friends>';
    await api.store.profiles.set(guildId, { ...NO_PROFILE, description, tags: ['pvp', mark] });
    const { text } = await show(api.app, { q: mark });
    assert.ok(text.includes(`href="/guild/${guildId}"`));
    assert.match(text, /Fights &#38; &#60;friends&#62;/);
    assert.ok(text.includes(`href="/?tag=${mark}"`));
    assert.deepEqual(namesIn(await show(api.app, { tag: mark })), [`Shown ${mark}`]);
  });

  test('communities without votes this week are not trending', async () => {
    const api = await open();
    const mark = newMark();
    const [voted = ''] = await addGuilds(api, mark, ['Voted', 'Quiet']);
    await vote(api, voted, 2);
    // The votes of weeks are cached for ten minutes.
    api.clock.advance(marks * 15 * MINUTE_MS);
    const page = await show(api.app, { q: mark, sort: 'trending' });
    assert.deepEqual(namesIn(page), [`Voted ${mark}`]);
    assert.match(
      page.text,
      /guild-count">2<\/span> <span[^>]*>votes this week <span class="guild-change">\+2</,
    );
  });

  test('the first three of six or more are marked, except in searches and among the newest', async () => {
    const api = await open();
    const mark = newMark();
    const ids = await addGuilds(api, mark, ['A', 'B', 'C', 'D', 'E', 'F']);
    for (const [index, guildId] of ids.entries()) {
      const tags = index < 5 ? [mark, `${mark}five`] : [mark];
      await api.store.profiles.set(guildId, { ...NO_PROFILE, tags });
      await vote(api, guildId, 1);
    }
    // The votes of weeks are cached for ten minutes.
    api.clock.advance(marks * 15 * MINUTE_MS);
    const topOf = async (query: Record<string, string>) =>
      [...(await show(api.app, query)).text.matchAll(/class="guild top top-(\d)"/g)].map(
        ([, place]) => place,
      );
    assert.deepEqual(await topOf({ tag: mark }), ['1', '2', '3']);
    assert.deepEqual(await topOf({ tag: mark, sort: 'trending' }), ['1', '2', '3']);
    assert.deepEqual(await topOf({ tag: mark, sort: 'new' }), []);
    assert.deepEqual(await topOf({ q: mark }), []);
    assert.deepEqual(await topOf({ tag: `${mark}five` }), []);
  });

  test('a signed-in visitor sees which communities can be voted for now', async () => {
    const api = await open();
    const mark = newMark();
    const [voted = '', open_ = ''] = await addGuilds(api, mark, ['Voted', 'Open']);
    const visitor = newVisitor(api.app);
    const userId = await visitor.signIn('Alex');
    await api.store.votes.cast({
      guildId: voted,
      userId,
      castAt: api.clock(),
      externalId: null,
      isDoubled: false,
    });
    api.clock.advance(18 * MINUTE_MS);
    const path = `/?q=${mark}`;
    const { text } = await visitor.get(path);
    assert.ok(text.includes(`aria-label="Vote in 42 min for Voted ${mark}">Vote in 42 min</a>`));
    assert.ok(text.includes(`href="/guild/${open_}/vote" aria-label="Vote for Open ${mark}">Vote</a>`));
    assert.doesNotMatch((await newVisitor(api.app).get(path)).text, /Vote in/);
    api.clock.advance(42 * MINUTE_MS);
    assert.doesNotMatch((await visitor.get(path)).text, /Vote in/);
  });

  test('each page has a canonical URL and links to its neighbors, and searches are not indexed', async () => {
    const api = await open();
    const mark = newMark();
    const names = Array.from({ length: 45 }, (_, index) => `N${String(index).padStart(2, '0')}`);
    for (const guildId of await addGuilds(api, mark, names))
      await api.store.profiles.set(guildId, { ...NO_PROFILE, tags: [mark], language: 'fr' });
    const site = 'https://localhost';
    const { text } = await show(api.app, { tag: mark, page: '2', utm_source: 'x' });
    assert.match(text, /<title>Communities · #\w+ · Page 2 ·/);
    assert.match(text, new RegExp(`<link rel="canonical" href="${site}[:0-9]*/\\?tag=${mark}&#38;page=2">`));
    assert.match(text, new RegExp(`property="og:url" content="${site}[:0-9]*/\\?tag=${mark}&#38;page=2"`));
    assert.match(text, new RegExp(`<link rel="prev" href="${site}[:0-9]*/\\?tag=${mark}">`));
    assert.match(text, new RegExp(`<link rel="next" href="${site}[:0-9]*/\\?tag=${mark}&#38;page=3">`));
    assert.doesNotMatch(text, /noindex/);
    for (const query of [
      { q: mark },
      { tag: mark, language: 'fr' },
      { tag: 'nobody-has-it' },
      { page: '999' },
    ])
      assert.match((await show(api.app, query)).text, /<meta name="robots" content="noindex, follow">/);
  });
});
