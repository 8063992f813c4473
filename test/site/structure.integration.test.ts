import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../support/api.ts';
import { openDashboard } from './dashboard/open-dashboard.ts';
import { newVisitor } from './visitor.ts';

/** What a page is made of: its landmarks, the levels of its headings, and its primary actions. */
function structureOf(text: string) {
  const main = /<main[^>]*>(.*)<\/main>/s.exec(text)?.[1] ?? '';
  const levels = [...main.matchAll(/<h([1-6])[ >]/g)].map(([, level]) => Number(level));
  const jumps = levels.filter((level, index) => level - (levels[index - 1] ?? 0) > 1);
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return {
    headers: count(/<header[ >]/g),
    mains: count(/<main[ >]/g),
    footers: count(/<footer[ >]/g),
    h1: levels.filter((level) => level === 1).length,
    jumps,
    styles: count(/<link rel="stylesheet" href="\/assets\//g),
    /** Large buttons that are not secondary: what the page is for. */
    primary: [...main.matchAll(/<(?:a|button)[^>]* class="([^"]*)"|<button(?![^>]* class=)/g)].filter(
      ([, names = '']) => /\blarge\b/.test(names) && !/secondary|soft/.test(names),
    ).length,
  };
}

const COMMON = { headers: 1, mains: 1, footers: 1, h1: 1, jumps: [], styles: 1 };

onSqlite('every page has one header, main, footer, h1 and style sheet, and headings without gaps', (open) => {
  test('of visitors', async () => {
    const { app, guildId } = await open();
    const headers = { accept: 'text/html' };
    const pages: [path: string, primary: number][] = [
      ['/', 0],
      ['/?sort=trending', 0],
      ['/?q=nothing-has-this-name', 0],
      [`/guild/${guildId}`, 1],
      [`/guild/${guildId}/vote`, 1],
      ['/privacy', 0],
      ['/docs', 0],
      ['/docs?api=manage', 0],
      ['/docs/guides', 0],
      ['/docs/guides/webhooks', 0],
      ['/docs/clients', 0],
      ['/nothing-here', 0],
    ];
    for (const [url, primary] of pages) {
      for (const language of ['en', 'fr']) {
        const answer = await app.inject({ url, headers: { ...headers, 'accept-language': language } });
        assert.deepEqual(structureOf(answer.payload), { ...COMMON, primary }, `${url} ${language}`);
      }
    }
  });

  test('of admins and operators', async (t) => {
    const { alex, path } = await openDashboard(t, await open());
    const tabs = [
      '',
      '/share',
      '/key',
      '/votes',
      '/webhooks',
      '/settings',
      '/settings/profile',
      '/settings/banner',
      '/activity',
    ];
    const operator = ['', '/communities', '/bans'].map((tab) => `/operator${tab}`);
    for (const url of ['/dashboard', ...tabs.map(path), ...operator]) {
      const { text, status } = await alex.get(url);
      assert.equal(status, 200, url);
      // The preview of the profile has its Vote button.
      const primary = /\/(?:profile|banner)$/.test(url) ? 1 : 0;
      assert.deepEqual(structureOf(text), { ...COMMON, primary }, url);
    }
  });

  test('of voters: the way back is the primary action after a vote, and others have none', async () => {
    const { app, guildId } = await open();
    const visitor = newVisitor(app);
    await visitor.signIn('Alex');
    const path = `/guild/${guildId}/vote?external_id=Steve_42&return_to=https%3A%2F%2Fplay.example.org%2F`;
    const page = await visitor.get(path);
    assert.deepEqual(structureOf(page.text), { ...COMMON, primary: 1 });
    await visitor.submit(page, path);
    const { text } = await visitor.get(path);
    // The form for the next vote is hidden until the cooldown is over.
    const shown = text.replace(/<form class="vote-form"[\s\S]*?<\/form>/, '');
    assert.deepEqual(structureOf(shown), { ...COMMON, primary: 1 });
    assert.match(shown, /<a class="button large" [^>]*data-back>/);
  });

  test('of a new community: the next step is the only primary action of its overview', async (t) => {
    const { alex, path } = await openDashboard(t, await open());
    const { text } = await alex.get(path());
    const main = /<main[^>]*>(.*)<\/main>/s.exec(text)?.[1] ?? '';
    assert.equal(main.match(/class="button"/g)?.length, 1);
    assert.match(main, /<section class="card next-step"[\s\S]*class="button"[\s\S]*<\/section>/);
  });
});
