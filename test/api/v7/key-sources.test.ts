import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertError, assertInvalid, onAnyDatabase, USER } from '../../support/api.ts';

const PATH = `/v7/vote-check?discord_id=${USER}`;

onAnyDatabase('where a key may stand', (open) => {
  test('the Authorization scheme Bearer is case-insensitive', async () => {
    const api = await open();
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer ']) {
      const answer = await api.get(PATH, { key: null, headers: { authorization: `${scheme} ${api.key}` } });
      assert.equal(answer.status, 200, scheme);
    }
  });

  test('the header name X-Api-Token is case-insensitive', async () => {
    const api = await open();
    for (const name of ['X-Api-Token', 'x-api-token']) {
      assert.equal((await api.get(PATH, { key: null, headers: { [name]: api.key } })).status, 200);
    }
  });

  test('api_token works, and its responses say that it is deprecated', async () => {
    const api = await open();
    const answer = await api.get(`${PATH}&api_token=${api.key}`, { key: null });
    assert.equal(answer.status, 200);
    assert.match(String(answer.headers.deprecation), /^@\d+$/);
    assert.match(String(answer.headers.link), /rel="deprecation"/);
    const refused = await api.get(`${PATH}&api_token=wrong`, { key: null });
    assert.match(String(refused.headers.deprecation), /^@\d+$/);
  });

  test('responses to the other key sources are not marked as deprecated', async () => {
    const api = await open();
    const { headers } = await api.get(PATH);
    assert.deepEqual([headers.deprecation, headers.link], [undefined, undefined]);
  });

  test('the first source that is present decides, even if a later one contains a valid key', async () => {
    const api = await open();
    const headers = { authorization: 'Bearer wrong', 'x-api-token': api.key };
    assertError(await api.get(PATH, { key: null, headers }), 401, 'INVALID_API_TOKEN');
    const placeholder = { authorization: 'Bearer YOUR_API_KEY', 'x-api-token': api.key };
    assertError(await api.get(PATH, { key: null, headers: placeholder }), 401, 'API_NOT_SET');
    const token = { 'x-api-token': 'wrong' };
    assertError(
      await api.get(`${PATH}&api_token=${api.key}`, { key: null, headers: token }),
      401,
      'INVALID_API_TOKEN',
    );
  });

  test('an empty credential counts as absent, so the next source decides', async () => {
    const api = await open();
    for (const [path, headers] of [
      [PATH, { authorization: 'Bearer ', 'x-api-token': api.key }],
      [PATH, { authorization: 'Bearer', 'x-api-token': api.key }],
      [PATH, { authorization: '', 'x-api-token': api.key }],
      [`${PATH}&api_token=${api.key}`, { authorization: 'Bearer  ' }],
      [`${PATH}&api_token=${api.key}`, { 'x-api-token': '' }],
      [`${PATH}&api_token=${api.key}`, { authorization: 'bearer', 'x-api-token': '' }],
      [`${PATH}&api_token=`, { 'x-api-token': api.key }],
    ] as const) {
      const { status } = await api.get(path, { key: null, headers });
      assert.equal(status, 200, JSON.stringify(headers));
    }
    const empty = { authorization: 'Bearer ', 'x-api-token': '' };
    assertError(await api.get(`${PATH}&api_token=`, { key: null, headers: empty }), 401, 'API_NOT_SET');
  });

  test('an empty Authorization header does not hide that api_token is deprecated', async () => {
    const api = await open();
    const headers = { authorization: 'Bearer ' };
    const answer = await api.get(`${PATH}&api_token=${api.key}`, { key: null, headers });
    assert.match(String(answer.headers.deprecation), /^@\d+$/);
  });

  test('an Authorization header with another scheme is ignored, so the next source decides', async () => {
    const api = await open();
    const headers = { authorization: 'Basic dXNlcjpwYXNz', 'x-api-token': api.key };
    assert.equal((await api.get(PATH, { key: null, headers })).status, 200);
  });

  test('a repeated api_token is a validation error', async () => {
    const api = await open();
    const answer = await api.get(`${PATH}&api_token=${api.key}&api_token=${api.key}`, { key: null });
    assertInvalid(answer, [{ field: 'api_token', rule: 'string' }]);
  });

  test('the name of the parameter is case-sensitive', async () => {
    const api = await open();
    assertError(await api.get(`${PATH}&API_TOKEN=${api.key}`, { key: null }), 401, 'API_NOT_SET');
  });
});
