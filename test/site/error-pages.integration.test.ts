import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreUnavailableError } from '../../src/store/store.ts';
import { onSqlite } from '../support/api.ts';
import { newVisitor } from './visitor.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

onSqlite('an unknown address', (open) => {
  test('is an error page for a browser', async () => {
    const api = await open();
    for (const path of ['/nothing', '/guild', '/v7x/vote-check', '/%zz']) {
      const { status, text, headers } = await api.get(path, { key: null, headers: BROWSER });
      assert.equal(status, 404, path);
      assert.equal(headers['content-type'], 'text/html; charset=utf-8');
      assert.match(text, /Page not found/);
    }
  });

  test('is an empty 404 for other clients', async () => {
    const api = await open();
    for (const accept of [undefined, '*/*', 'application/json', 'text/*', 'text/html;q=0, */*']) {
      const headers: Record<string, string> = accept === undefined ? {} : { accept };
      const answer = await api.get('/nothing', { key: null, headers });
      assert.deepEqual(
        [answer.status, answer.text, answer.headers['content-type']],
        [404, '', undefined],
        accept ?? 'no Accept',
      );
    }
  });

  test('with an API version is an empty 404 for browsers too', async () => {
    const api = await open();
    for (const path of ['/v7', '/v7/nothing', '/v6/vote-check', '/v5', '/v6?x', '/V7/vote-check', '/v70/x']) {
      const { status, text } = await api.get(path, { key: null, headers: BROWSER });
      assert.deepEqual([status, text], [404, ''], path);
    }
  });

  test('does not read the request body', async () => {
    const api = await open();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = `a=${'x'.repeat(2 * 1024 * 1024)}`;
    const { status, text } = await api.send('POST', '/nothing', { headers, body });
    assert.deepEqual([status, text], [404, '']);
  });
});

onSqlite('a page', (open) => {
  test('while the database is unavailable is 503 and says when to try again', async (t) => {
    const { store, guildId, ...api } = await open();
    t.mock.method(store.guilds, 'find', async () => {
      throw new StoreUnavailableError('unreachable', new Error('connect ECONNREFUSED 10.1.2.3:5432'));
    });
    for (const [language, words] of [
      ['en', /Temporarily unavailable.*try again in 5 seconds\..*>Try again<\/a>/s],
      ['fr', /Momentanément indisponible.*réessayer dans 5 secondes\..*>Réessayer<\/a>/s],
    ] as const) {
      const visit = { key: null, headers: { ...BROWSER, 'accept-language': language } };
      const { status, text, headers } = await api.get(`/guild/${guildId}/vote`, visit);
      assert.deepEqual([status, headers['retry-after']], [503, '5']);
      assert.match(text, words);
      assert.doesNotMatch(text, /10\.1\.2\.3|Request id|Identifiant de la requête/);
    }
  });

  test('that fails offers to try again, and shows the id of the request', async (t) => {
    const { app, store, guildId } = await open();
    const path = `/guild/${guildId}/vote?external_id=a%26b`;
    t.mock.method(store.guilds, 'find', async () => {
      throw new Error('the disk is full');
    });
    for (const [language, words] of [
      ['en', /Something went wrong.*Request id: <code>[^<]+<\/code>.*>Try again<\/a>/s],
      ['fr', /Identifiant de la requête\u00A0: <code>[^<]+<\/code>.*>Réessayer<\/a>/s],
    ] as const) {
      const { status, text } = await newVisitor(app).get(path, { 'accept-language': language });
      assert.equal(status, 500);
      assert.match(text, words);
      assert.ok(text.includes(`<a class="button" href="${path}">`), text);
      assert.doesNotMatch(text, /disk is full/);
    }
  });

  test('that was open for too long offers to reload it', async () => {
    const { app, guildId } = await open();
    const path = `/guild/${guildId}/vote`;
    const visitor = newVisitor(app);
    await visitor.signIn('Sam');
    const { status, text } = await visitor.post(path, { _csrf: 'from an old session' });
    assert.equal(status, 403);
    assert.match(text, />Reload the page<\/a>/);
  });
});
