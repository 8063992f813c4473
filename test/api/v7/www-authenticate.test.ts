import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateApiKey } from '../../../src/domain/keys/api-key.ts';
import { assertError, onAnyDatabase, USER } from '../../support/api.ts';

const PATH = `/v7/vote-check?discord_id=${USER}`;
const PLAIN = 'Bearer realm="api"';
const INVALID = 'Bearer realm="api", error="invalid_token"';

onAnyDatabase('the WWW-Authenticate header of a 401 response', (open) => {
  test('a request without a key gets a challenge without an error', async () => {
    const api = await open();
    for (const headers of [{}, { authorization: 'Bearer ' }, { authorization: 'Basic dXNlcjpwYXNz' }]) {
      const answer = await api.get(PATH, { key: null, headers });
      assertError(answer, 401, 'API_NOT_SET');
      assert.equal(answer.headers['www-authenticate'], PLAIN);
    }
  });

  test('a wrong key gets invalid_token, whichever way it was sent, and so does a placeholder', async () => {
    const api = await open();
    const key = generateApiKey();
    for (const [path, headers] of [
      [PATH, { authorization: `Bearer ${key}` }],
      [PATH, { authorization: `Bearer ${api.key.slice(0, -1)}` }],
      [PATH, { 'x-api-token': key }],
      [`${PATH}&api_token=${key}`, {}],
      [PATH, { authorization: 'Bearer YOUR_API_KEY' }],
    ] as const) {
      const answer = await api.get(path, { key: null, headers });
      assert.deepEqual([answer.status, answer.headers['www-authenticate']], [401, INVALID]);
    }
  });

  test('every endpoint that needs a key sends it, for every method', async () => {
    const api = await open();
    for (const [method, path] of [
      ['HEAD', PATH],
      ['GET', `/v7/vote-checks?discord_id=${USER}`],
      ['GET', '/v7/guild/votes'],
      ['GET', `/v7/guild/votes/users/${USER}`],
      ['GET', '/v7/guild/leaderboard'],
      ['GET', '/v7/guild/goal'],
      ['GET', '/v7/guild/feed'],
      ['GET', '/v7/guild/claims'],
      ['GET', '/v7/guild/claimable'],
      ['POST', '/v7/guild/claims'],
      ['GET', '/v7/guild/claims/pending'],
      ['DELETE', '/v7/guild/claims/vote_1'],
    ] as const) {
      const { status, headers } = await api.send(method, path, { key: null });
      assert.deepEqual([status, headers['www-authenticate']], [401, PLAIN], `${method} ${path}`);
    }
  });

  test('no other response has it', async () => {
    const api = await open();
    assert.equal((await api.get(PATH)).headers['www-authenticate'], undefined);
    assert.equal((await api.get('/v7/guild/votes')).headers['www-authenticate'], undefined);
  });
});
