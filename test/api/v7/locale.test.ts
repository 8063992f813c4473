import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorCode } from '../../../src/api/errors/api-error.ts';
import { ERROR_STATUS, errorBody } from '../../../src/api/errors/responses.ts';
import { onAnyDatabase, USER } from '../../support/api.ts';

const ENGLISH = 'Specify the user: send either discord_id or external_id.';
const FRENCH = 'Précisez l’utilisateur\u00A0: envoyez discord_id ou external_id.';

onAnyDatabase('the language of answers', (open) => {
  test('locale decides first, then X-Locale, then Accept-Language, then English', async () => {
    const api = await open();
    for (const [query, headers, expected] of [
      ['', {}, 'en'],
      ['', { 'accept-language': 'fr-CA,fr;q=0.9,en;q=0.5' }, 'fr'],
      ['', { 'accept-language': 'de,fr;q=0.2' }, 'fr'],
      ['', { 'accept-language': 'fr;q=0.4,en;q=0.8' }, 'en'],
      ['', { 'x-locale': 'fr', 'accept-language': 'en' }, 'fr'],
      ['', { 'x-locale': 'de', 'accept-language': 'fr' }, 'en'],
      ['?locale=fr', { 'x-locale': 'en', 'accept-language': 'en' }, 'fr'],
      ['?locale=en', { 'x-locale': 'fr' }, 'en'],
      ['?locale=xx', { 'x-locale': 'fr', 'accept-language': 'fr' }, 'en'],
      ['?locale=', { 'x-locale': 'fr' }, 'fr'],
    ] as const) {
      const { body, headers: answered } = await api.get(`/v7/vote-check${query}`, { headers });
      const language = answered['content-language'];
      assert.deepEqual([language, body.message], [expected, expected === 'fr' ? FRENCH : ENGLISH], query);
      assert.equal(body.error, 'MISSING_IDENTIFIER', 'the code is never translated');
    }
  });

  test('a successful response names its language too, and is the same in both', async () => {
    const api = await open();
    const english = await api.get(`/v7/vote-check?discord_id=${USER}`);
    const french = await api.get(`/v7/vote-check?discord_id=${USER}&locale=fr`);
    assert.deepEqual([english.headers['content-language'], french.headers['content-language']], ['en', 'fr']);
    assert.deepEqual(french.body, english.body);
  });
});

test('every error code has a different message in each language', () => {
  for (const code of Object.keys(ERROR_STATUS) as ErrorCode[]) {
    assert.notEqual(errorBody(code, 'en').message, errorBody(code, 'fr').message, code);
  }
});
