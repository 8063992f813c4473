import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GUIDES } from '../../src/api/openapi/introduction.ts';
import { onSqlite } from '../support/api.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

onSqlite('browsers and search engines', (open) => {
  test('find the icons at their usual paths', async () => {
    const api = await open();
    for (const [path, type] of [
      ['/favicon.ico', 'image/x-icon'],
      ['/apple-touch-icon.png', 'image/png'],
    ] as const) {
      const { status, headers } = await api.get(path, { key: null });
      assert.deepEqual([status, headers['content-type']], [200, type]);
      assert.equal(headers['cache-control'], 'public, max-age=86400');
    }
  });

  test('are told which pages not to crawl and where the sitemap is', async () => {
    const { text } = await (await open()).get('/robots.txt', {
      key: null,
      headers: { host: 'votes.example' },
    });
    assert.match(text, /^User-agent: \*\nDisallow: \/operator\nDisallow: \/sign-in\n/);
    assert.match(text, /\nSitemap: https:\/\/votes\.example\/sitemap\.xml\n$/);
  });

  test('find the pages of listed communities in the sitemap', async () => {
    const api = await open();
    await api.store.guilds.add({ guildId: '100000000000000077', name: 'Hidden', createdAt: api.clock() });
    await api.store.guilds.setUnlisted('100000000000000077', api.clock());
    const { text, headers } = await api.get('/sitemap.xml', {
      key: null,
      headers: { host: 'b.example:8443' },
    });
    assert.equal(headers['content-type'], 'application/xml; charset=utf-8');
    assert.match(text, new RegExp(`<loc>https://b.example:8443/guild/${api.guildId}</loc>`));
    assert.doesNotMatch(text, /100000000000000077/);
  });

  test('can read the manifest, whose icons exist', async () => {
    const api = await open();
    const { text, headers } = await api.get('/manifest.webmanifest', { key: null });
    assert.equal(headers['content-type'], 'application/manifest+json; charset=utf-8');
    for (const { src } of JSON.parse(text).icons) {
      assert.equal((await api.get(src, { key: null })).status, 200);
    }
  });

  test('get title, description, Open Graph and Twitter tags of every public page', async () => {
    const api = await open();
    const guides = Object.keys(GUIDES).map((name) => `/docs/guides/${name}`);
    const pages = [
      '/',
      '/?page=2',
      `/guild/${api.guildId}`,
      `/guild/${api.guildId}/vote`,
      '/docs',
      '/docs/guides',
    ];
    for (const path of [...pages, ...guides]) {
      for (const language of ['en', 'fr']) {
        const headers = { ...BROWSER, 'accept-language': language };
        const { status, text } = await api.get(path, { key: null, headers });
        assert.equal(status, 200, path);
        assert.match(text, new RegExp(`<html lang="${language}">`), path);
        assert.match(text, /<title>.+ · Votary<\/title>/, path);
        const names = ['description', 'twitter:card', 'twitter:title', 'twitter:description'];
        const properties = ['title', 'description', 'type', 'url', 'site_name', 'locale'];
        for (const tag of [
          ...names.map((name) => `name="${name}"`),
          ...properties.map((name) => `property="og:${name}"`),
        ])
          assert.match(text, new RegExp(`<meta ${tag} content="[^"]+">`), `${path} ${tag}`);
      }
    }
  });

  test('get the card of a community with its pages', async () => {
    const api = await open();
    for (const path of [`/guild/${api.guildId}`, `/guild/${api.guildId}/vote?external_id=a`]) {
      const headers = { ...BROWSER, host: 'votes.example', 'accept-language': 'fr' };
      const { text } = await api.get(path, { key: null, headers });
      const card = `https://votes.example/guild/${api.guildId}/card.png?locale=fr`;
      assert.ok(text.includes(`<meta property="og:image" content="${card}">`), path);
      assert.ok(text.includes(`<meta name="twitter:image" content="${card}">`), path);
      assert.ok(text.includes('<meta name="twitter:card" content="summary_large_image">'), path);
      const page = path.replace(/\?.*/, '');
      assert.ok(text.includes(`<meta property="og:url" content="https://votes.example${page}">`), path);
    }
  });

  test('get a preview of public pages, with the name as text', async () => {
    const api = await open();
    await api.store.guilds.rename(api.guildId, 'A "quoted" <b>');
    const { text } = await api.get(`/guild/${api.guildId}/vote`, { key: null, headers: BROWSER });
    const name = 'A &#34;quoted&#34; &#60;b&#62;';
    assert.ok(text.includes(`<meta property="og:title" content="Vote for ${name}">`), text);
    assert.ok(text.includes('<meta name="description" content="Sign in with Discord and vote for'));
    assert.match(
      (await api.get('/', { key: null, headers: BROWSER })).text,
      /<meta property="og:description"/,
    );
    assert.doesNotMatch((await api.get('/nothing', { key: null, headers: BROWSER })).text, /og:/);
  });

  test('are redirected from a path with a trailing slash to the page without it, and never to another site', async () => {
    const api = await open();
    const visit = async (path: string) => {
      const { status, headers } = await api.get(path, { key: null, headers: BROWSER });
      return [status, headers.location];
    };
    assert.deepEqual(await visit('/robots.txt/'), [301, '/robots.txt']);
    assert.deepEqual(await visit(`/guild/${api.guildId}/vote/?external_id=a%2Fb/`), [
      301,
      `/guild/${api.guildId}/vote?external_id=a%2Fb/`,
    ]);
    const slashes = '/'.repeat(15_000);
    assert.deepEqual(await visit(`/robots.txt${slashes}?a=b/?/`), [301, '/robots.txt?a=b/?/']);
    assert.deepEqual(await visit(`/robots.txt${slashes}x`), [404, undefined]);
    assert.deepEqual(await visit('/nothing?back=/a/'), [404, undefined]);
    const evil = ['//evil.example/', '/\\evil.example/', '/.//evil.example/', '//', '///evil.example//?a=/'];
    for (const path of [
      ...evil,
      `${slashes}evil.example${slashes}`,
      slashes,
      `/.${slashes}?//evil.example/`,
    ]) {
      const [, location = '/'] = await visit(path);
      assert.match(String(location), /^\/(?![/\\])/, path);
    }
    assert.deepEqual(await visit('/v7/vote-check/'), [404, undefined]);
  });
});
