import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../../support/api.ts';
import { newVisitor } from '../visitor.ts';

onSqlite('the API reference', (open) => {
  test('links the document and the guides for visitors without scripts', async () => {
    const visitor = newVisitor((await open()).app);
    const { text } = await visitor.get('/docs');
    const fallback = /<noscript>.*?<\/noscript>/s.exec(text)?.[0] ?? '';
    assert.match(fallback, /<a href="\/v7\/openapi\.json">openapi\.json<\/a>/);
    assert.match(fallback, /<a href="\/manage\/v1\/openapi\.json">management API<\/a>/);
    const guide = /<li><a href="(\/docs\/guides\/python)"[^>]*>Python<\/a>/.exec(text)?.[1];
    assert.match((await visitor.get(guide ?? '')).text, /<h1[^>]*>Python<\/h1>/);
  });

  test('loads its files from this server, which browsers keep for a year', async () => {
    const { app } = await open();
    const { text } = await newVisitor(app).get('/docs/');
    const [, script = ''] = /src="(\/[^"]+scalar\.js[^"]+)"/.exec(text) ?? [];
    for (const url of [script, '/docs/files/docs.css']) {
      const { statusCode, headers } = await app.inject({ url });
      assert.equal(statusCode, 200, url);
      assert.match(String(headers['cache-control']), /max-age=31536000, immutable/);
      assert.equal(headers['content-encoding'], undefined);
    }
    for (const url of ['/docs/files/other.js', '/docs/guides/other', '/docs/guides/..%2f..%2fREADME'])
      assert.equal((await app.inject({ url })).statusCode, 404, url);
  });
});
