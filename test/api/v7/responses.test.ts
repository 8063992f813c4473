import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreUnavailableError } from '../../../src/store/store.ts';
import { assertError, onAnyDatabase, USER } from '../../support/api.ts';

onAnyDatabase('every answer', (open) => {
  test('is uncacheable JSON in UTF-8, including errors', async () => {
    const api = await open();
    await api.grantPremium();
    for (const path of [
      `/v7/vote-check?discord_id=${USER}`,
      '/v7/vote-check',
      '/v7/vote-check?discord_id=abc',
      '/v7/guild/votes',
      '/v7/guild/votes?limit=0',
      '/v7/guild/votes/users/abc',
    ]) {
      const { headers, text } = await api.get(path, { headers: { accept: 'text/html' } });
      assert.equal(headers['content-type'], 'application/json; charset=utf-8', path);
      assert.equal(headers['cache-control'], 'no-store', path);
      assert.doesNotThrow(() => JSON.parse(text));
    }
  });

  test('to an internal error is 500 INTERNAL_ERROR without the cause, and is counted', async () => {
    const api = await open();
    const { admit } = api.store;
    api.store.admit = () => Promise.reject(new Error('secret detail of the database'));
    try {
      const answer = await api.get(`/v7/vote-check?discord_id=${USER}`);
      assertError(answer, 500, 'INTERNAL_ERROR');
      assert.ok(!answer.text.includes('secret detail'));
      assert.match(String(answer.headers.ratelimit), /^"default";r=29;t=60$/);
    } finally {
      api.store.admit = admit;
    }
  });

  test('while the database is unavailable is 503 with Retry-After, in both languages, and is counted', async (t) => {
    const api = await open();
    const refused = new StoreUnavailableError('unreachable', new Error('connect ECONNREFUSED 10.1.2.3:5432'));
    t.mock.method(api.store, 'admit', () => Promise.reject(refused));
    for (const [locale, words] of [
      ['en', /temporarily unavailable/],
      ['fr', /momentanément indisponible/],
    ] as const) {
      const answer = await api.get(`/v7/vote-check?discord_id=${USER}&locale=${locale}`);
      assertError(answer, 503, 'SERVICE_UNAVAILABLE');
      assert.match(String(answer.body.message), words);
      assert.equal(answer.headers['retry-after'], '5');
      assert.ok(answer.headers.ratelimit);
      assert.doesNotMatch(answer.text, /10\.1\.2\.3/);
    }
  });

  test('of a handler whose query fails is 503 too', async (t) => {
    const api = await open();
    await api.grantPremium();
    const refused = new StoreUnavailableError('full', new Error('could not extend file'));
    t.mock.method(api.store.claims, 'claim', () => Promise.reject(refused));
    const path = `/v7/guild/claims?discord_id=${USER}`;
    const answer = await api.send('POST', path);
    assertError(answer, 503, 'SERVICE_UNAVAILABLE');
    const compat = `/compat/listforge/api/?action=post&object=votes&element=claim&username=Steve&key=${api.key}`;
    assertError(await api.get(compat, { key: null }), 503, 'SERVICE_UNAVAILABLE');
  });
});
