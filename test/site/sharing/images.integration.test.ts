import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inflateSync } from 'node:zlib';
import { MINUTE_MS } from '../../../src/domain/clock.ts';
import type { Api } from '../../support/api.ts';
import { onSqlite } from '../../support/api.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let visits = 0;

/** From a separate network, so that the limit of one test does not affect another. */
async function image(api: Api, path: string, headers: Record<string, string> = {}, ip?: string) {
  visits += 1;
  const remoteAddress = ip ?? `203.0.${visits >> 8}.${visits & 255}`;
  const answer = await api.app.inject({ url: `/guild/${api.guildId}${path}`, headers, remoteAddress });
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: answer.rawPayload,
    text: answer.payload,
  };
}

const sizeOf = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)];

/** The decoded pixels, still filtered, which is enough to distinguish two cards. */
const pixelsOf = (png: Buffer) => inflateSync(png.subarray(png.indexOf('IDAT') + 4)).length;

onSqlite('the card of a community', (open) => {
  test('is a PNG of 1200 by 630 that anyone can embed and cache', async () => {
    const api = await open();
    const { status, headers, body } = await image(api, '/card.png');
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'image/png');
    assert.equal(headers['cache-control'], 'public, max-age=300');
    assert.equal(headers['cross-origin-resource-policy'], 'cross-origin');
    assert.deepEqual(sizeOf(body), [1200, 630]);
    assert.ok(pixelsOf(body) > 1200 * 630);
    assert.ok(body.length < 150_000);
    const known = await image(api, '/card.png', { 'if-none-match': String(headers.etag) });
    assert.deepEqual([known.status, known.body.length], [304, 0]);
  });

  test('is rendered for long, accented, emoji, right-to-left and hostile names', async () => {
    const api = await open();
    for (const name of [
      'x'.repeat(100),
      'L’Été à Őrség',
      '🎮👨‍👩‍👧🇫🇷',
      'مجتمع الألعاب',
      'קהילת המשחקים',
      '日本語',
      '\u{1242B}'.repeat(100),
      '</text><script>&"\'',
      '\u202Eevil',
    ]) {
      await api.store.guilds.rename(api.guildId, name);
      api.clock.advance(6 * MINUTE_MS);
      const { status, body } = await image(api, '/card.png');
      assert.deepEqual([status, ...sizeOf(body)], [200, 1200, 630], name);
    }
  });

  test('shows the icon, the votes, the rank and the language', async () => {
    const api = await open();
    const seen = new Set<unknown>();
    const look = async (path: string) => {
      api.clock.advance(6 * MINUTE_MS);
      const { status, headers } = await image(api, path);
      assert.equal(status, 200);
      assert.ok(!seen.has(headers.etag), path);
      seen.add(headers.etag);
    };
    await look('/card.png');
    await look('/card.png?locale=fr');
    await api.vote({ at: '2026-11-15T11:00:00Z' });
    await look('/card.png');
    await api.store.profiles.setIcon(api.guildId, {
      version: 'v1',
      type: 'image/png',
      bytes: PNG,
      source: 's',
    });
    await look('/card.png');
  });

  test('is rendered again for new votes only after five minutes', async () => {
    const api = await open();
    const before = await image(api, '/card.png');
    await api.vote({ at: '2026-11-15T11:00:00Z' });
    assert.equal((await image(api, '/card.png')).headers.etag, before.headers.etag);
    api.clock.advance(5 * MINUTE_MS);
    assert.notEqual((await image(api, '/card.png')).headers.etag, before.headers.etag);
  });

  test('of an unknown or sanctioned community is a 404', async () => {
    const api = await open();
    for (const id of ['399999999999999999', '1', 'x', '..%2f..']) {
      const { statusCode } = await api.app.inject(`/guild/${id}/card.png`);
      assert.equal(statusCode, 404, id);
    }
    await api.store.guilds.setSanction(api.guildId, { since: 0, reason: null });
    assert.equal((await image(api, '/card.png')).status, 404);
    assert.equal((await image(api, '/badge.svg')).status, 404);
  });

  test('is rate limited for networks that request many new cards, and only for them', async () => {
    const api = await open();
    const ip = '192.0.2.77';
    const draw = async (index: number) => {
      await api.store.guilds.rename(api.guildId, `Name ${index}`);
      api.clock.advance(5 * MINUTE_MS);
      return image(api, '/card.png', {}, ip);
    };
    await draw(0);
    // The rate limit window stays open: only the names change.
    const now = api.clock();
    for (let index = 0; index < 30; index += 1)
      await api.store.rates.hit(`card:${ip}`, { requests: 30, windowMs: 60_000 }, now);
    assert.equal((await image(api, '/card.png', {}, ip)).status, 200);
    const refused = await image(api, '/card.png?locale=fr', {}, ip);
    assert.equal(refused.status, 429);
    assert.match(String(refused.headers['retry-after']), /^\d+$/);
    assert.equal(refused.headers['cache-control'], 'no-store');
    assert.equal((await image(api, '/card.png?locale=fr', {}, '192.0.2.78')).status, 200);
  });
});

onSqlite('the badge of a community', (open) => {
  test('is an SVG image with the escaped name and the votes of the month', async () => {
    const api = await open();
    await api.store.guilds.rename(api.guildId, '<script>"&');
    await api.vote(
      { at: '2026-11-15T11:00:00Z' },
      { at: '2026-11-14T11:00:00Z' },
      { at: '2026-10-14T11:00:00Z' },
    );
    const { headers, text } = await image(api, '/badge.svg');
    assert.equal(headers['content-type'], 'image/svg+xml; charset=utf-8');
    assert.match(String(headers['content-security-policy']), /^default-src 'none'.*sandbox$/);
    assert.equal(headers['cache-control'], 'public, max-age=300');
    assert.match(text, /<title>&#60;script&#62;&#34;&#38;: 2 votes this month<\/title>/);
    assert.doesNotMatch(text, /<script/);
    const known = await image(api, '/badge.svg', { 'if-none-match': String(headers.etag) });
    assert.equal(known.status, 304);
    assert.match((await image(api, '/badge.svg?locale=fr')).text, /: 2 votes ce mois-ci</);
    assert.match(
      (await image(api, '/badge.svg?locale=de', { 'accept-language': 'fr' })).text,
      /votes this month/,
    );
  });

  test('truncates a long name with an ellipsis', async () => {
    const api = await open();
    await api.store.guilds.rename(api.guildId, '👨‍👩‍👧'.repeat(50));
    const { text } = await image(api, '/badge.svg');
    assert.ok(text.includes(`>${'👨‍👩‍👧'.repeat(31)}…</text>`));
  });
});
