import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { GUIDES } from '../../../src/api/openapi/introduction.ts';
import { deriveSecrets } from '../../../src/domain/secrets.ts';
import { buildServer } from '../../../src/server.ts';
import { exchange, parseAnswer, portOf } from '../../http/support.ts';
import { NOW, onSqlite, testServerDeps } from '../../support/api.ts';
import { testClock } from '../../support/clock.ts';

const VALID = [
  'localhost',
  'votes.example.org',
  'votes.example.org:8443',
  'xn--bcher-kva.example',
  '127.0.0.1:3000',
  '[2001:db8::1]:3000',
  'votary_backend',
  'a'.repeat(255),
  '',
];

/** Includes the replacement pattern that once multiplied a page, and what Node's parser accepts in a header. */
const INVALID = [
  `a${'$`'.repeat(7500)}b`,
  '$&',
  'a&b.example',
  'a.example/path',
  'user@a.example',
  'a.example, b.example',
  'a.example?x',
  'a b',
  '"><script>',
  '%41.example',
  'b\u00fccher.example',
  'a'.repeat(256),
];

const PATHS = ['/', '/docs/guides/signed-links', '/v7/vote-check', '/robots.txt', '/nothing', '/healthz'];

onSqlite('the host of a request', (open) => {
  let app: FastifyInstance;
  before(async () => {
    const { store } = await open();
    const deps = testServerDeps(store, testClock(NOW), deriveSecrets('a master secret for tests'));
    app = buildServer({ ...deps, transport: { kind: 'proxy', trusted: ['127.0.0.1/32'] } });
    await app.listen({ host: '127.0.0.1', port: 0 });
  });
  after(() => app.close());

  /** As a trusted proxy forwards it. */
  const ask = async (target: string, headers: readonly string[], version = 'HTTP/1.1') => {
    const lines = ['X-Forwarded-Proto: https', 'Connection: close', 'Accept: text/html', ...headers];
    const head = `GET ${target} ${version}\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
    return parseAnswer(await exchange(portOf(app.server), Buffer.from(head, 'latin1')));
  };

  const assertRefused = ({ status, headers, body }: ReturnType<typeof parseAnswer>, about: string) => {
    assert.equal(status, 400, about);
    assert.equal(headers['content-type'], 'application/json; charset=utf-8', about);
    assert.equal(headers['cache-control'], 'no-store', about);
    const message = 'The request could not be understood. Check its syntax and headers.';
    assert.deepEqual(JSON.parse(body), { ok: false, error: 'BAD_REQUEST', message }, about);
  };

  test('is a name or an address, with or without a port', async () => {
    for (const host of VALID) {
      assert.equal((await ask('/', [`Host: ${host}`])).status, 200, host);
      assert.equal((await ask('/', ['Host: localhost', `X-Forwarded-Host: ${host}`])).status, 200, host);
    }
  });

  test('that is anything else is rejected on every path', async () => {
    for (const host of INVALID) {
      for (const path of PATHS) assertRefused(await ask(path, [`Host: ${host}`]), `${path} ${host}`);
    }
  });

  test('as forwarded by a trusted proxy follows the same rule', async () => {
    // Of a list, the last entry is that of the trusted proxy.
    for (const host of INVALID.filter((text) => !text.includes(','))) {
      for (const path of PATHS) {
        const answer = await ask(path, ['Host: localhost', `X-Forwarded-Host: ${host}`]);
        assertRefused(answer, `${path} ${host}`);
        assertRefused(await ask(path, [`Host: ${host}`, 'X-Forwarded-Host: localhost']), `${path} ${host}`);
      }
    }
    const { body } = await ask('/robots.txt', ['Host: localhost', 'X-Forwarded-Host: $&, b.example']);
    assert.match(body, /Sitemap: https:\/\/b\.example\/sitemap\.xml/);
  });

  test('is not read from X-Forwarded-Host without a trusted proxy', async () => {
    const headers = { host: 'localhost', 'x-forwarded-host': '$&' };
    const answer = await app.inject({ url: '/healthz', headers, remoteAddress: '203.0.113.7' });
    assert.equal(answer.statusCode, 200);
  });

  test('is required in HTTP/1.1, and may be given once', async () => {
    assertRefused(await ask('/', []), 'missing');
    assertRefused(await ask('/', ['Host: a.example', 'host: b.example']), 'repeated');
    assert.equal((await ask('/', [], 'HTTP/1.0')).status, 200);
  });

  test('is not taken from a request target that is a URL', async () => {
    const target = 'http://evil$&.example';
    const { status, body } = await ask(`${target}/docs/guides/signed-links`, ['Host: votes.example']);
    assert.equal(status, 200);
    assert.ok(body.includes('https://votes.example/'));
    assert.ok(!body.includes('evil'));
    const redirect = await ask(`${target}/robots.txt/?a=b`, ['Host: votes.example']);
    assert.deepEqual([redirect.status, redirect.headers.location], [301, '/robots.txt?a=b']);
    for (const url of [target, `${target}?page=2`])
      assert.equal((await ask(url, ['Host: votes.example'])).status, 200, url);
  });

  test('is never in a response that a shared cache may keep', async () => {
    const api = await open();
    const paths = [
      ...[
        '/',
        '/robots.txt',
        '/sitemap.xml',
        '/manifest.webmanifest',
        '/favicon.ico',
        '/nothing',
        '/nothing/',
      ],
      ...['/v7/openapi.json', '/docs', '/docs/guides', '/sign-in', '/assets/base.css', '/healthz'],
      ...Object.keys(GUIDES).map((name) => `/docs/guides/${name}`),
      ...['', '/vote', '/badge.svg', '/card.png'].map((rest) => `/guild/${api.guildId}${rest}`),
    ];
    const withHost: string[] = [];
    for (const path of paths) {
      const headers = { host: 'other.example', accept: 'text/html' };
      const answer = await api.get(path, { key: null, headers });
      if (!(answer.text + JSON.stringify(answer.headers)).includes('other.example')) continue;
      withHost.push(path);
      assert.equal(answer.headers['cache-control'], 'no-store', path);
    }
    for (const path of ['/', '/robots.txt', '/sitemap.xml', '/docs/guides/curl'])
      assert.ok(withHost.includes(path), path);
  });

  test('does not matter with a public URL: robots.txt and the sitemap can be cached', async (t) => {
    const { store } = await open();
    const deps = testServerDeps(store, testClock(NOW), deriveSecrets('a master secret for tests'));
    const published = buildServer({ ...deps, publicUrl: 'https://votes.example.org' });
    t.after(() => published.close());
    for (const url of ['/robots.txt', '/sitemap.xml']) {
      const answer = await published.inject({ url, headers: { host: 'other.example' } });
      assert.equal(answer.headers['cache-control'], 'public, max-age=86400');
      assert.ok(answer.body.includes('https://votes.example.org/'));
      assert.ok(!answer.body.includes('other.example'));
    }
  });
});
