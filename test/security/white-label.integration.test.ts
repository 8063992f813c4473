/** All pages of a site with its own name, for every route: a new page that mentions the product fails here. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { inflateSync } from 'node:zlib';
import { GUIDES } from '../../src/api/openapi/introduction.ts';
import { deriveAccent } from '../../src/domain/accent.ts';
import { TEST_VOTER } from '../../src/domain/votes/test-vote.ts';
import { createBrand } from '../../src/site/layout/brand.ts';
import { type Fixture, openFixture } from './fixture.ts';
import { everyPage } from './pages.ts';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><script>alert(1)</script></svg>';

const BRAND = createBrand({
  name: 'Top <Élite>',
  logo: { type: 'svg', body: Buffer.from(SVG), width: 10, height: 10 },
  accent: deriveAccent('#0b6b45'),
  links: [{ label: 'Terms & more', url: 'https://example.org/terms?a=1&b=2' }],
});

/** Programs that integrators copy, and their file names, use the names of the clients. */
const CODE = /<div class="code-head">.*|<pre[\s>][\s\S]*?<\/pre>|<code[\s>][\s\S]*?<\/code>/g;

describe('a site with its own name', () => {
  let fixture: Fixture;
  before(async () => {
    fixture = await openFixture('demo', BRAND);
  });
  after(() => fixture.close());

  it('mentions the product only as "Powered by Votary", on every page and for everyone', async () => {
    let pages = 0;
    for await (const { name, route, text } of everyPage(fixture)) {
      pages += 1;
      const shown = text.replaceAll(CODE, '').replaceAll('Powered by Votary', '');
      assert.doesNotMatch(shown, /\bVotary/, name);
      assert.match(text, /Top &#60;Élite&#62;<\/title>/, route);
      assert.match(text, /Powered by Votary/, route);
    }
    assert.ok(pages > 60, `${pages} pages`);
    for (const path of [
      '/nothing',
      '/guild/1/vote',
      '/docs/guides/nothing',
      '/manifest.webmanifest',
      '/v7/openapi.json',
    ]) {
      const { text } = await fixture.send('nobody', 'GET', path);
      assert.match(text, /Top/, path);
      // The name under which test votes are claimed is a value of the API.
      const shown = text.replaceAll('Powered by Votary', '').replaceAll(TEST_VOTER.externalId, '');
      assert.doesNotMatch(shown, /\bVotary/, path);
    }
  });

  it('has guides that mention the product only in programs', async () => {
    for (const name of Object.keys(GUIDES)) {
      const { text } = await fixture.visitors.nobody.get(`/docs/guides/${name}`);
      const shown = text.replaceAll(CODE, '').replaceAll('Powered by Votary', '');
      assert.doesNotMatch(shown, /\bVotary/, name);
    }
  });

  it('shows its links in the footer, and its name where links are shared', async () => {
    const { text } = await fixture.visitors.nobody.get('/');
    assert.ok(text.includes('<a href="https://example.org/terms?a=1&#38;b=2">Terms &#38; more</a>'));
    assert.ok(text.includes('<meta property="og:site_name" content="Top &#60;Élite&#62;">'));
  });

  it('serves the logo to pages and as the icon, without the ability to run scripts', async () => {
    const page = await fixture.visitors.nobody.get('/');
    const [, path = ''] = /<img class="logo-image" src="([^"]+)"/.exec(page.text) ?? [];
    // Phones cannot use an SVG logo.
    assert.equal((await fixture.app.inject('/apple-touch-icon.png')).statusCode, 404);
    for (const url of [path, '/favicon.ico']) {
      const { headers, payload } = await fixture.app.inject(url);
      assert.equal(payload, SVG);
      assert.equal(headers['content-type'], 'image/svg+xml');
      assert.match(String(headers['content-security-policy']), /^default-src 'none'.*; sandbox$/);
    }
  });

  it('sets the accent color for light and dark pages', async () => {
    const { text } = await fixture.visitors.nobody.get('/');
    const [, path = ''] = /<link rel="stylesheet" href="(\/brand\/[^"]+)"/.exec(text) ?? [];
    const { payload, headers } = await fixture.app.inject(path);
    assert.match(String(headers['cache-control']), /immutable/);
    assert.match(payload, /^:root\{--accent:#0b6b45;/);
    assert.match(payload, /prefers-color-scheme:dark\)\{:root\{--accent:#[0-9a-f]{6};/);
  });
});

it('a site with its own color and no logo has a touch icon in that color, up to its corners', async () => {
  const accent = deriveAccent('#0b6b45');
  const fixture = await openFixture('demo', createBrand({ name: null, logo: null, accent, links: [] }));
  const { text } = await fixture.visitors.nobody.get('/');
  const [, path = ''] = /<link rel="apple-touch-icon" href="([^"]+)"/.exec(text) ?? [];
  const { rawPayload, headers } = await fixture.app.inject(path);
  assert.equal(headers['content-type'], 'image/png');
  assert.deepEqual([rawPayload.readUInt32BE(16), rawPayload.readUInt32BE(20)], [180, 180]);
  const data = rawPayload.indexOf('IDAT');
  const pixels = inflateSync(rawPayload.subarray(data + 4, data + 4 + rawPayload.readUInt32BE(data - 4)));
  // After the byte that names the filter of the row.
  assert.equal(pixels.toString('hex', 1, 5), '0b6b45ff');
  assert.deepEqual((await fixture.app.inject('/apple-touch-icon.png')).rawPayload, rawPayload);
  await fixture.close();
});

it('a site without a name is called Votary, with the default color and icon', async () => {
  const fixture = await openFixture('demo');
  const { text } = await fixture.visitors.nobody.get('/');
  assert.match(text, / · Votary<\/title>/);
  assert.doesNotMatch(text, /Powered by|\/brand\//);
  await fixture.close();
});
