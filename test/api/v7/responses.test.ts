import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertError, onEachDatabase, USER } from '../../support/api.ts';

onEachDatabase('every answer', (open) => {
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
});
