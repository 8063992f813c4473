import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { onSqlite, USER } from '../support/api.ts';
import { newVisitor, tokenOf } from './visitor.ts';

const CHROME = { 'accept-encoding': 'gzip, deflate, br, zstd', accept: 'text/html' };

onSqlite('compression', (open) => {
  test('uses Brotli, else gzip, else nothing, and sends Vary', async () => {
    const { app, guildId } = await open();
    const paths = [
      '/',
      `/guild/${guildId}/vote`,
      '/nothing',
      '/docs/guides/curl',
      '/assets/components.css',
      '/docs/files/docs.css',
    ];
    for (const url of paths) {
      const plain = await app.inject({ url, headers: { accept: 'text/html' } });
      const brotli = await app.inject({ url, headers: CHROME });
      const zipped = await app.inject({ url, headers: { ...CHROME, 'accept-encoding': 'gzip' } });
      const refused = await app.inject({
        url,
        headers: { ...CHROME, 'accept-encoding': 'br;q=0, gzip;q=0' },
      });
      assert.deepEqual(
        [plain, brotli, zipped, refused].map(({ headers }) => headers['content-encoding']),
        [undefined, 'br', 'gzip', undefined],
        url,
      );
      assert.equal(brotliDecompressSync(brotli.rawPayload).toString(), plain.payload, url);
      assert.equal(gunzipSync(zipped.rawPayload).toString(), plain.payload, url);
      assert.equal(Number(brotli.headers['content-length']), brotli.rawPayload.length, url);
      assert.ok(brotli.rawPayload.length < plain.rawPayload.length / 2, url);
      for (const { headers } of [plain, brotli]) assert.match(String(headers.vary), /Accept-Encoding/, url);
    }
  });

  test('is not applied to images, short responses and the API', async () => {
    const { app, guildId, key } = await open();
    const headers = { ...CHROME, authorization: `Bearer ${key}` };
    for (const url of [
      '/assets/icons/touch-icon.png',
      `/guild/${guildId}/card.png`,
      '/robots.txt',
      `/v7/vote-check?discord_id=${USER}`,
      '/v7/openapi.json',
      '/healthz',
    ]) {
      const answer = await app.inject({ url, headers });
      assert.equal(answer.statusCode, 200, url);
      assert.equal(answer.headers['content-encoding'], undefined, url);
    }
  });

  test('does not prevent a 304 for a file', async () => {
    const { app } = await open();
    const first = await app.inject({ url: '/assets/components.css', headers: CHROME });
    assert.match(String(first.headers.etag), /^W\/"/);
    const again = { ...CHROME, 'if-none-match': String(first.headers.etag) };
    const { statusCode, payload } = await app.inject({ url: '/assets/components.css', headers: again });
    assert.deepEqual([statusCode, payload], [304, '']);
  });

  test('does not apply to responses to forms, which may show a secret', async () => {
    const { app, store, clock } = await open();
    await store.guilds.add({ guildId: '100000000000000001', name: 'Demo', createdAt: clock() });
    const visitor = newVisitor(app, { 'accept-encoding': 'identity' });
    await visitor.signIn('Alex');
    const page = await visitor.get('/dashboard/100000000000000001/key');
    const answer = await app.inject({
      method: 'POST',
      url: '/dashboard/100000000000000001/webhooks',
      headers: { ...CHROME, 'content-type': 'application/x-www-form-urlencoded' },
      cookies: Object.fromEntries(visitor.cookies),
      payload: new URLSearchParams({ _csrf: tokenOf(page), url: 'nonsense' }).toString(),
    });
    assert.match(answer.payload, /^<!doctype html>/);
    assert.equal(answer.headers['content-encoding'], undefined);
  });

  test('does not reveal the form token: no two responses share a part of it, and each is accepted', async () => {
    const { app, guildId } = await open();
    const visitor = newVisitor(app);
    await visitor.signIn('Sam');
    const pages = [];
    for (let count = 0; count < 40; count += 1) pages.push(await visitor.get(`/guild/${guildId}/vote`));
    const parts = new Map<string, number>();
    for (const [index, page] of pages.entries()) {
      const token = tokenOf(page);
      assert.ok(token.length >= 40);
      for (let at = 0; at + 6 <= token.length; at += 1) {
        const part = token.slice(at, at + 6);
        assert.equal(parts.get(part) ?? index, index, `${part} is in two tokens`);
        parts.set(part, index);
      }
    }
    const [first] = pages;
    assert.ok(first);
    assert.equal((await visitor.submit(first, `/guild/${guildId}/vote`)).status, 303);
  });
});
