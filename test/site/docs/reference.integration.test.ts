import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { onSqlite } from '../../support/api.ts';
import { newVisitor } from '../visitor.ts';

/** The bytes that a browser loads for a page: itself, its styles and its scripts, compressed. */
async function weigh(app: FastifyInstance, path: string): Promise<number> {
  const headers = { accept: 'text/html', 'accept-encoding': 'br' };
  const page = await app.inject({ url: path, headers });
  const { text } = await newVisitor(app).get(path);
  const files = [...text.matchAll(/<(?:script[^>]* src|link rel="stylesheet" href)="([^"]+)"/g)];
  const sizes = files.map(async ([, url = '']) => (await app.inject({ url, headers })).rawPayload.length);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, page.rawPayload.length);
}

onSqlite('the API reference', (open) => {
  test('is readable without scripts, for both APIs, and light', async () => {
    const { app } = await open();
    const v7 = await newVisitor(app).get('/docs');
    assert.equal(v7.status, 200);
    assert.match(v7.text, /<h2 id="authentication">/);
    assert.match(v7.text, /<strong>GET<\/strong> <code>\/v7\/vote-check<\/code>/);
    assert.match(v7.text, /<code>discord_id<\/code>/);
    assert.match(v7.text, /&#34;has_voted&#34;: true/);
    assert.match(v7.text, /id="schema-VoteCheck"|id="schema-[A-Z]/);
    assert.doesNotMatch(v7.text, /scalar\.js/);
    const ids = [...v7.text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    assert.deepEqual(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
    );
    for (const [, target = ''] of v7.text.matchAll(/href="#([^"]+)"/g))
      assert.ok(ids.includes(target), target);
    const manage = await newVisitor(app).get('/docs?api=manage');
    assert.match(manage.text, /<code>\/manage\/v1\/guilds<\/code>/);
    const total = await weigh(app, '/docs');
    assert.ok(total < 300_000, `${total} bytes`);
  });

  test('links the document and the guides for visitors without scripts', async () => {
    const visitor = newVisitor((await open()).app);
    const { text } = await visitor.get('/docs/interactive');
    const fallback = /<noscript>.*?<\/noscript>/s.exec(text)?.[0] ?? '';
    assert.match(fallback, /<a href="\/v7\/openapi\.json">openapi\.json<\/a>/);
    assert.match(fallback, /<a href="\/manage\/v1\/openapi\.json">management API<\/a>/);
    const guide = /<li><a href="(\/docs\/guides\/python)"[^>]*>Python<\/a>/.exec(text)?.[1];
    assert.match((await visitor.get(guide ?? '')).text, /<h1[^>]*>Python<\/h1>/);
  });

  test('loads its files from this server, which browsers keep for a year', async () => {
    const { app } = await open();
    const { text } = await newVisitor(app).get('/docs/interactive');
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
