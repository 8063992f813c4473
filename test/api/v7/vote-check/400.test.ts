import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { assertError, assertInvalid, onAnyDatabase, USER } from '../../../support/api.ts';

const PATH = '/v7/vote-check';

onAnyDatabase('GET /v7/vote-check answers 400', (open) => {
  test('no identifier, or only empty ones, is MISSING_IDENTIFIER', async () => {
    const api = await open();
    for (const query of ['', '?discord_id=', '?external_id=&discord_id=', '?DISCORD_ID=200000000000000001']) {
      assertError(await api.get(PATH + query), 400, 'MISSING_IDENTIFIER');
    }
  });

  test('both identifiers are MULTIPLE_IDENTIFIERS, regardless of their values', async () => {
    const api = await open();
    for (const query of [
      `?discord_id=${USER}&external_id=Steve`,
      '?discord_id=abc&external_id=Steve',
      `?discord_id=1&external_id=${'x'.repeat(192)}`,
      `?discord_id=${USER}&discord_id=${USER}&external_id=Steve`,
    ]) {
      assertError(await api.get(PATH + query), 400, 'MULTIPLE_IDENTIFIERS');
    }
  });

  test('a discord_id reports its first failing rule: length before pattern', async () => {
    const api = await open();
    for (const [value, rule] of [
      ['123456789012345678901', 'maxLength'],
      ['x'.repeat(21), 'maxLength'],
      ['12345678901234', 'regex'],
      ['20000000000000000a', 'regex'],
      ['%20200000000000000001', 'regex'],
      ['200000000000000001%0A', 'regex'],
      ['٢٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠', 'regex'],
      ['%FF', 'regex'],
    ] as const) {
      assertInvalid(await api.get(`${PATH}?discord_id=${value}`), [{ field: 'discord_id', rule }]);
    }
  });

  test('an external_id of 192 code points is too long', async () => {
    const api = await open();
    for (const character of ['x', 'é', '🗳']) {
      const answer = await api.get(`${PATH}?external_id=${encodeURIComponent(character.repeat(192))}`);
      assertInvalid(answer, [{ field: 'external_id', rule: 'maxLength' }]);
    }
  });

  test('a repeated parameter is a validation error, with one entry per field', async () => {
    const api = await open();
    assertInvalid(await api.get(`${PATH}?discord_id=${USER}&discord_id=${USER}`), [
      { field: 'discord_id', rule: 'string' },
    ]);
    assertInvalid(await api.get(`${PATH}?external_id=a&external_id=b&locale=fr&locale=en`), [
      { field: 'external_id', rule: 'string' },
      { field: 'locale', rule: 'string' },
    ]);
  });

  test('the message of a validation error names the parameter in the requested language', async () => {
    const api = await open();
    const path = `${PATH}?external_id=${'x'.repeat(192)}`;
    const english = await api.get(path);
    const french = await api.get(`${path}&locale=fr`);
    const messageOf = (answer: typeof english) => JSON.parse(answer.text).errors[0].message;
    equal(messageOf(english), 'The parameter external_id must be at most 191 characters long.');
    equal(messageOf(french), 'Le paramètre external_id ne doit pas dépasser 191 caractères.');
  });
});
