import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { test } from 'node:test';
import { assertError, onAnyDatabase, USER } from '../../support/api.ts';

onAnyDatabase('routes that do not exist', (open) => {
  test('an unknown or old route is a 404 with an empty body, with or without a key', async () => {
    const api = await open();
    for (const path of [
      '/v7',
      '/v7/',
      '/v7/nothing',
      '/v7/vote-check/',
      '/v7/Vote-Check',
      '/v7/%zz',
      '/v7/guild/votes/users',
      '/v7/guild/votes/users/1/2',
      '/v6/vote-check',
      '/v6/guild/votes',
      '/v5/vote-check',
      '/V7/vote-check',
      '/%',
    ]) {
      for (const key of [api.key, null]) {
        const { status, text, headers } = await api.get(path, { key });
        assert.deepEqual([status, text, headers['content-type']], [404, '', undefined], path);
      }
    }
  });

  test('a path of the API without its version is a 404 in JSON that names the right path, never a page', async () => {
    const api = await open();
    for (const [path, right] of [
      ['/vote-check?discord_id=1', '/v7/vote-check'],
      ['/check-vote', '/v7/check-vote'],
      ['/vote-checks', '/v7/vote-checks'],
      ['/guild/votes', '/v7/guild/votes'],
      [`/guild/votes/users/${USER}`, '/v7/guild/votes/users/{user_id}'],
      ['/guild/claims', '/v7/guild/claims'],
      ['/guild/claims/pending', '/v7/guild/claims/pending'],
      ['/guild/feed', '/v7/guild/feed'],
      ['/guild/leaderboard', '/v7/guild/leaderboard'],
      ['/guild/goal', '/v7/guild/goal'],
      ['/openapi.json', '/v7/openapi.json'],
    ] as const) {
      for (const accept of ['*/*', 'application/json', 'text/html,application/xhtml+xml']) {
        for (const method of ['GET', 'POST', 'DELETE', 'PROPFIND']) {
          const answer = await api.send(method, path, { headers: { accept } });
          assert.equal(answer.status, 404, `${method} ${path}`);
          assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
          const message = `The version is missing from this path. Use ${right} instead.`;
          assert.deepEqual(answer.body, { ok: false, error: 'NOT_FOUND', message });
        }
      }
    }
    const french = await api.get('/guild/votes?locale=fr');
    assert.match(String(french.body.message), /^Il manque la version/);
    assert.equal((await api.send('HEAD', '/guild/votes')).status, 404);
  });

  test('an unknown path below a version is never a page, even for a browser', async () => {
    const api = await open();
    const headers = { accept: 'text/html,application/xhtml+xml' };
    for (const path of ['/v7/nothing', '/v6/guild/votes', '/v5/', '/v8/guild/claims']) {
      const { status, text } = await api.get(path, { headers });
      assert.deepEqual([status, text], [404, ''], path);
    }
  });

  test('the page of a community is still a page', async () => {
    const api = await open();
    const { status, headers } = await api.get(`/guild/${api.guildId}`);
    assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8']);
  });

  test('a body sent to an unknown route changes nothing', async () => {
    const api = await open();
    const headers = { 'content-type': 'text/weird' };
    const { status, text } = await api.send('POST', '/v7/nothing', { headers, body: '{broken' });
    assert.deepEqual([status, text], [404, '']);
    assert.equal((await api.send('PUT', '/nothing', { headers, body: '<xml/>' })).status, 404);
  });

  test('another method on a known route is a 405 with Allow, before its body is read', async () => {
    const api = await open();
    const paths = ['/v7/vote-check', '/v7/check-vote', '/v7/guild/votes', `/v7/guild/votes/users/${USER}`];
    for (const path of paths) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
        const answer = await api.send(method, path, {
          ip: '203.0.113.9',
          key: null,
          headers: { 'content-type': 'application/json' },
          ...(method === 'POST' ? { body: '{broken' } : {}),
        });
        assertError(answer, 405, 'METHOD_NOT_ALLOWED');
        assert.equal(answer.headers.allow, 'GET, HEAD');
      }
    }
  });

  test('every method that Node parses is a 405 on a known route and a 404 on an unknown one', async () => {
    const api = await open();
    const other = METHODS.filter((method) => !['GET', 'HEAD', 'CONNECT'].includes(method));
    for (const [at, method] of other.entries()) {
      const caller = { ip: `203.0.113.${at}`, key: null };
      const known = await api.send(method, '/v7/vote-check', caller);
      assertError(known, 405, 'METHOD_NOT_ALLOWED');
      assert.equal(known.headers.allow, 'GET, HEAD');
      for (const path of ['/v7/nothing', '/nothing', '/']) {
        assert.equal((await api.send(method, path, caller)).status, 404, `${method} ${path}`);
      }
    }
  });

  test('no response allows other origins to read it', async () => {
    const api = await open();
    const headers = { origin: 'https://evil.example' };
    for (const answer of [
      await api.get(`/v7/vote-check?discord_id=${USER}`, { headers }),
      await api.send('OPTIONS', '/v7/vote-check', { headers }),
    ]) {
      assert.deepEqual(
        Object.keys(answer.headers).filter((name) => name.startsWith('access-control')),
        [],
      );
    }
  });
});
