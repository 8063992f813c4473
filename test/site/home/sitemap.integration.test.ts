import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MINUTE_MS } from '../../../src/domain/clock.ts';
import { createBoard } from '../../../src/site/home/board.ts';
import { type Api, onSqlite } from '../../support/api.ts';

const HOST = 'votes.example';
const idOf = (index: number) => String(700000000000000000n + BigInt(index));

/** Makes the store list this many communities; a smaller id is older. What was read for another number is outdated. */
async function listMany(t: TestContext, api: Api, length: number): Promise<void> {
  const [guild] = (await createBoard(api).read()).byVotes;
  assert.ok(guild);
  const guilds = Array.from({ length }, (_, index) => ({
    ...guild,
    guildId: idOf(index),
    createdAt: index,
    votes: (index * 7919) % length,
  }));
  t.mock.method(api.store.listing, 'read', async (_now: number, after: string, limit: number) => {
    const start = after < idOf(0) ? 0 : Number(BigInt(after) - BigInt(idOf(0))) + 1;
    return guilds.slice(start, start + limit);
  });
  api.clock.advance(length * MINUTE_MS);
}

async function read(api: Api, path: string) {
  const { status, text, headers } = await api.get(path, { key: null, headers: { host: HOST } });
  const urls = Array.from(text.matchAll(/<loc>https:\/\/votes\.example(.*?)<\/loc>/g), ([, url]) => url);
  return { status, text, urls, type: headers['content-type'] };
}

onSqlite('the sitemap', (open) => {
  test('of up to 10,000 pages is one file with all of them, the oldest community first', async (t) => {
    const api = await open();
    await listMany(t, api, 9999);
    const { text, urls, type } = await read(api, '/sitemap.xml');
    assert.equal(type, 'application/xml; charset=utf-8');
    assert.ok(
      text.startsWith('<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/'),
    );
    assert.ok(text.endsWith('</url>\n</urlset>\n'));
    assert.deepEqual(urls, ['/', ...Array.from({ length: 9999 }, (_, index) => `/guild/${idOf(index)}`)]);
  });

  test('contains the host of the request, also for several hosts at the same time', async (t) => {
    const api = await open();
    await listMany(t, api, 999);
    const hosts = ['one.example', 'two.example', 'one.example'];
    const texts = await Promise.all(
      hosts.map(async (host) => (await api.get('/sitemap.xml', { key: null, headers: { host } })).text),
    );
    for (const [index, text] of texts.entries()) {
      const origins = text.match(/https:\/\/\w+\.example/g) ?? [];
      assert.equal(origins.length, 1000);
      assert.deepEqual([...new Set(origins)], [`https://${hosts[index]}`]);
    }
  });

  test('of more pages is an index of parts, which list every page once', async (t) => {
    const api = await open();
    await listMany(t, api, 25_000);
    const index = await read(api, '/sitemap.xml');
    assert.ok(
      index.text.includes('<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n<sitemap>'),
    );
    assert.ok(index.text.endsWith('</sitemap>\n</sitemapindex>\n'));
    assert.deepEqual(index.urls, ['/sitemap-1.xml', '/sitemap-2.xml', '/sitemap-3.xml']);
    const parts = await Promise.all(index.urls.map((url = '') => read(api, url)));
    assert.deepEqual(
      parts.map(({ urls }) => urls.length),
      [10_000, 10_000, 5001],
    );
    assert.equal(new Set(parts.flatMap(({ urls }) => urls)).size, 25_001);
    for (const path of [
      '/sitemap-0.xml',
      '/sitemap-01.xml',
      '/sitemap-4.xml',
      '/sitemap-99999.xml',
      '/sitemap-.xml',
    ])
      assert.equal((await read(api, path)).status, 404, path);
  });

  test('has the same headers for HEAD, without a body', async () => {
    const api = await open();
    for (const path of ['/sitemap.xml', '/sitemap-1.xml']) {
      const { status, text, headers } = await api.send('HEAD', path, { key: null });
      assert.deepEqual([status, text], [200, '']);
      assert.equal(headers['content-type'], 'application/xml; charset=utf-8');
    }
  });
});
