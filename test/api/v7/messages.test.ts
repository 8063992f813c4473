import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Api, assertError, NOW, onAnyDatabase, USER } from '../../support/api.ts';

const CHECK = `/v7/vote-check?discord_id=${USER}`;

/** The messages in English and French. */
async function messages(api: Api, path: string, headers: Record<string, string> = {}): Promise<string[]> {
  const key = 'authorization' in headers ? null : api.key;
  const texts = ['en', 'fr'].map(async (locale) => {
    const { body } = await api.get(path, { key, headers: { ...headers, 'x-locale': locale } });
    return String(body.message);
  });
  return Promise.all(texts);
}

onAnyDatabase('messages name the real cause', (open) => {
  test('the key of a suspended community is INVALID_API_TOKEN, and the message says why', async () => {
    const api = await open();
    await api.store.guilds.setSanction(api.guildId, { since: api.clock(), reason: 'a private note' });
    assertError(await api.get(CHECK), 401, 'INVALID_API_TOKEN');
    const [en = '', fr = ''] = await messages(api, CHECK);
    assert.match(en, /suspended by the operator/);
    assert.match(fr, /suspendue par l’exploitant/);
    assert.doesNotMatch(en + fr, /private note|regenerated|incomplete|régénérée/);
  });

  test('a key without the scheme Bearer is API_NOT_SET, and the message says to add it', async () => {
    const api = await open();
    for (const authorization of [
      api.key,
      api.key.slice(0, 20),
      `Token ${api.key}`,
      `Bearer:${api.key}`,
      `Basic ${api.key}`,
    ]) {
      assertError(await api.get(CHECK, { key: null, headers: { authorization } }), 401, 'API_NOT_SET');
      const [en = '', fr = ''] = await messages(api, CHECK, { authorization });
      assert.match(en, /Put "Bearer" and a space before the key/);
      assert.match(fr, /Ajoutez «\u00A0Bearer\u00A0»/);
      assert.ok(!(en + fr).includes(api.key));
    }
  });

  test('a placeholder is called one; without a key, the message says that none was sent', async () => {
    const api = await open();
    const [placeholder] = await messages(api, CHECK, { authorization: 'Bearer YOUR_API_KEY' });
    assert.match(String(placeholder), /^A placeholder was sent/);
    const [none] = await messages(api, CHECK, { authorization: '' });
    assert.match(String(none), /^No API key was sent\./);
  });

  test('Premium that has ended is not promised within an hour', async () => {
    const api = await open();
    const [never = '', jamais = ''] = await messages(api, '/v7/guild/votes');
    assert.match(never, /up to one hour/);
    assert.match(jamais, /jusqu’à une heure/);
    await api.store.guilds.setPremiumUntil(api.guildId, api.clock() - 1);
    assertError(await api.get('/v7/guild/votes'), 403, 'PREMIUM_REQUIRED');
    const [ended = '', fini = ''] = await messages(api, '/v7/guild/votes');
    assert.match(ended, /has ended/);
    assert.match(fini, /a pris fin/);
    assert.doesNotMatch(ended + fini, /hour|heure/);
  });

  test('INVALID_DATE_RANGE does not blame a date that was not sent', async () => {
    const api = await open();
    await api.grantPremium();
    for (const [query, en, fr] of [
      ['to=2026-10-20', /Without from, it starts at the beginning of the current month/, /Sans from/],
      ['from=2026-12-01', /Without to, it ends now/, /Sans to/],
      ['from=2026-11-02&to=2026-11-01', /\(from\) must be earlier than its end \(to\)/, /doit précéder/],
    ] as const) {
      assertError(await api.get(`/v7/guild/votes?${query}`), 400, 'INVALID_DATE_RANGE');
      const [english = '', french = ''] = await messages(api, `/v7/guild/votes?${query}`);
      assert.match(english, en);
      assert.match(french, fr);
    }
    const [feed = ''] = await messages(api, `/v7/guild/feed?from=${NOW.replace('2026', '2027')}`);
    assert.match(feed, /must not be in the future/);
  });
});
