import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '../../src/domain/clock.ts';
import { NO_PROFILE } from '../../src/domain/guild.ts';
import { ACCESS_TABLE } from '../security/access/access-table.ts';
import { type Api, onSqlite } from '../support/api.ts';
import { openDashboard } from './dashboard/open-dashboard.ts';

/** What a page may take on its way to the browser, compressed, with its style sheet, scripts and inline pictures. */
const LIMIT_BYTES = 60_000;

/** Loads a program that sends requests from the page, and says so: /docs is the same as text. */
const HEAVY_PAGES = ['/docs/interactive'];

/** More than a page of every list has. */
async function fill({ store, clock, guildId }: Api): Promise<void> {
  for (let index = 0; index < 60; index += 1) {
    const id = `6000000000000000${10 + index}`;
    await store.guilds.add({ guildId: id, name: `Community ${index}`, createdAt: clock() });
    await store.profiles.set(id, {
      ...NO_PROFILE,
      description: `A place for builders and explorers, number ${index}. `.repeat(3),
      tags: ['minecraft', `tag-${index}`],
    });
  }
  const votes = Array.from({ length: 120 }, (_, index) => ({
    ...{ guildId, userId: String(200000000000000100n + BigInt(index)), castAt: clock() - index * HOUR_MS },
    ...{ externalId: `Player_${index}`, isDoubled: index % 2 === 0 },
  }));
  await store.votes.import(
    (async function* () {
      yield votes;
    })(),
    clock(),
  );
  for (let index = 0; index < 60; index += 1)
    await store.audit.record({
      ...{ at: clock(), actor: null, action: 'guild_renamed', guildId, detail: { name: `Name ${index}` } },
    });
}

/** Every page of the site: the routes of the access table that can be opened without a special state. */
function pagePaths(guildId: string): string[] {
  const paths = ACCESS_TABLE.map(({ route }) => /^GET (.*)/.exec(route)?.[1] ?? '')
    .filter(
      (path) => path !== '' && !/^\/(v7|manage|compat|healthz|readyz|assets|locale)|\.|\*|\/live$/.test(path),
    )
    .map((path) => path.replace(/:guild_?[iI]d/, guildId).replace('/guides/:name', '/guides/webhooks'))
    .filter((path) => !path.includes(':'));
  return [...new Set([...paths, '/nothing-here', '/docs?api=manage', '/?sort=trending', '/?q=community'])];
}

/** The addresses that a page loads before it can be used. */
function resourcesOf(text: string): string[] {
  const styles = [...text.matchAll(/<link rel="(?:stylesheet|modulepreload)" href="([^"]+)"/g)];
  const scripts = [...text.matchAll(/<script[^>]* src="([^"]+)"/g)];
  return [...styles, ...scripts].map(([, address = '']) => address.replaceAll('&amp;', '&'));
}

/** The badge is as wide as its text, and nothing is beside it that could move. */
function hasOwnLine(image: string): boolean {
  return image.includes('/badge.svg?');
}

onSqlite('every page', (open) => {
  test('is light, and has one style sheet, sized images and no inline scripts', async (t) => {
    const dashboard = await openDashboard(t, await open());
    await fill(dashboard);
    // The listing is read again.
    dashboard.clock.advance(HOUR_MS);
    await dashboard.alex.get('/');
    const { app, alex, guildId } = dashboard;
    const sizes = new Map<string, number>();
    const load = async (url: string) => {
      const headers = { accept: 'text/html,*/*', 'accept-encoding': 'gzip' };
      const cookies = Object.fromEntries(alex.cookies);
      return app.inject({ url, headers, cookies });
    };
    const sizeOf = async (url: string) => {
      const known = sizes.get(url) ?? (await load(url)).rawPayload.length;
      sizes.set(url, known);
      return known;
    };
    const measured: string[] = [];
    for (const path of pagePaths(guildId)) {
      const page = await load(path);
      const { text, type } = await alex.get(path);
      if (!type.startsWith('text/html') || HEAVY_PAGES.includes(path)) continue;
      const resources = await Promise.all(resourcesOf(text).map(sizeOf));
      const total = page.rawPayload.length + resources.reduce((sum, size) => sum + size, 0);
      assert.ok(total < LIMIT_BYTES, `${path} takes ${total} bytes`);
      assert.equal(text.match(/<link rel="stylesheet"/g)?.length, 1, path);
      for (const [image] of text.matchAll(/<img [^>]*>/g))
        assert.match(image, hasOwnLine(image) ? / height="\d+"/ : / width="\d+".* height="\d+"/, path);
      assert.doesNotMatch(
        text,
        /<[a-z][^<>]*? on[a-z]+=|<script(?![^>]* src=)[^>]*>|<style|href="javascript:/i,
        path,
      );
      measured.push(path);
    }
    assert.ok(measured.length >= 30, `only ${measured}`);
  });
});
