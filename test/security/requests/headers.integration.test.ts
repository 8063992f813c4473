import assert from 'node:assert/strict';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { deriveSecrets } from '../../../src/domain/secrets.ts';
import { buildServer } from '../../../src/server.ts';
import { portOf } from '../../http/support.ts';
import { NOW, onAnyDatabase, testServerDeps, USER } from '../../support/api.ts';
import { testClock } from '../../support/clock.ts';

const HSTS = 'max-age=31536000';

onAnyDatabase('security headers', (open) => {
  test('are on every response: results, errors, unknown paths, other methods, probes, documents and pages', async () => {
    const { get, send, guildId } = await open();
    const asked: [status: number, method: string, path: string, key?: null][] = [
      [200, 'GET', `/v7/vote-check?discord_id=${USER}`],
      [200, 'HEAD', `/v7/vote-check?discord_id=${USER}`],
      [400, 'GET', '/v7/vote-check'],
      [400, 'GET', '/v7/vote-check?discord_id=abc'],
      [401, 'GET', `/v7/vote-check?discord_id=${USER}`, null],
      [403, 'GET', '/v7/guild/votes'],
      [404, 'GET', '/v7/nothing'],
      [404, 'GET', '/v6/vote-check'],
      [404, 'POST', '/nothing'],
      [405, 'POST', '/v7/vote-check'],
      [405, 'QUERY', '/v7/guild/votes'],
      [200, 'GET', '/v7/openapi.json'],
      [200, 'GET', '/healthz'],
      [200, 'GET', '/readyz'],
      [200, 'GET', '/docs'],
      [200, 'GET', '/docs/guides/curl'],
      [404, 'GET', '/docs/guides/nothing'],
      [200, 'GET', '/'],
      [200, 'GET', `/guild/${guildId}/vote`],
      [303, 'GET', '/dashboard'],
      [404, 'GET', '/assets/nothing.css'],
    ];
    for (const [status, method, path, key] of asked) {
      const answer = await send(method, path, key === null ? { key } : {});
      assert.equal(answer.status, status, `${method} ${path}`);
      assert.equal(answer.headers['strict-transport-security'], HSTS, `${method} ${path}`);
      assert.equal(answer.headers['x-content-type-options'], 'nosniff', `${method} ${path}`);
    }
    for (let count = 0; count < 30; count += 1) await get('/v7/vote-check');
    const limited = await get('/v7/vote-check');
    assert.deepEqual([limited.status, limited.headers['strict-transport-security']], [429, HSTS]);
  });

  test('do not include HSTS in a response over plain HTTP', async (t) => {
    const { store } = await open();
    const deps = testServerDeps(store, testClock(NOW), deriveSecrets('a master secret for tests'));
    const app = buildServer({ ...deps, transport: { kind: 'proxy', trusted: ['127.0.0.1/32'] } });
    await app.listen({ host: '127.0.0.1', port: 0 });
    t.after(() => app.close());
    const ask = (headers: Record<string, string>) =>
      new Promise<{ status: number | undefined; hsts: unknown; nosniff: unknown }>((resolve, reject) => {
        const outgoing = request({ port: portOf(app.server), path: '/', headers }, async (answer) => {
          await text(answer);
          const { 'strict-transport-security': hsts, 'x-content-type-options': nosniff } = answer.headers;
          resolve({ status: answer.statusCode, hsts, nosniff });
        });
        outgoing.on('error', reject).end();
      });
    assert.deepEqual(await ask({}), { status: 403, hsts: undefined, nosniff: 'nosniff' });
    const secure = { status: 200, hsts: HSTS, nosniff: 'nosniff' };
    assert.deepEqual(await ask({ 'x-forwarded-proto': 'https' }), secure);
  });
});
