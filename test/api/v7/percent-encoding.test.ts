import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Api, ago, assertError, assertInvalid, onAnyDatabase, USER } from '../../support/api.ts';

const MINUTE_MS = 60_000;

/** Not hexadecimal, cut off, a Latin-1 "é", half of a UTF-8 sequence, and an encoded surrogate. */
const MALFORMED = ['%zz', 'a%', 'a%2', 'caf%E9', '%C3', '%ED%A0%80'];

async function openWithVotes(open: () => Promise<Api>): Promise<Api> {
  const api = await open();
  await api.vote({ at: ago(MINUTE_MS), externalId: 'élodie' });
  return api;
}

onAnyDatabase('percent-encoding', (open) => {
  test('a malformed external_id is a validation error, not a user without votes', async () => {
    for (const value of MALFORMED) {
      const api = await openWithVotes(open);
      for (const [method, path] of [
        ['GET', '/v7/vote-check'],
        ['GET', '/v7/check-vote'],
        ['GET', '/v7/vote-checks'],
        ['GET', '/v7/guild/claims'],
        ['GET', '/v7/guild/claimable'],
        ['POST', '/v7/guild/claims'],
      ] as const) {
        const answer = await api.send(method, `${path}?external_id=${value}`);
        assertInvalid(answer, [{ field: 'external_id', rule: 'encoding' }]);
      }
    }
  });

  test('one malformed name among several is found', async () => {
    const api = await openWithVotes(open);
    const answer = await api.get('/v7/vote-checks?external_id=Steve&external_id=%E9&external_id=Alex');
    assertInvalid(answer, [{ field: 'external_id', rule: 'encoding' }]);
  });

  test('an encoded name of the parameter makes no difference', async () => {
    const api = await openWithVotes(open);
    const answer = await api.get('/v7/vote-check?external%5Fid=%zz');
    assertInvalid(answer, [{ field: 'external_id', rule: 'encoding' }]);
  });

  test('well-formed escapes are decoded, percent signs among them', async () => {
    const api = await openWithVotes(open);
    await api.vote({ at: ago(2 * MINUTE_MS), externalId: '100%', userId: '200000000000000009' });
    for (const name of ['%C3%A9lodie', '%c3%a9lodie', '100%25']) {
      const { status, body } = await api.get(`/v7/vote-check?external_id=${name}`);
      assert.deepEqual([status, body.has_voted], [200, true], name);
    }
  });

  test('other parameters keep their own errors, and unknown ones are ignored', async () => {
    const api = await openWithVotes(open);
    await api.grantPremium();
    assertInvalid(await api.get('/v7/vote-check?discord_id=%zz'), [{ field: 'discord_id', rule: 'regex' }]);
    assertInvalid(await api.get('/v7/guild/votes?limit=%zz'), [{ field: 'limit', rule: 'integer' }]);
    assertError(await api.get('/v7/guild/votes?from=%zz'), 400, 'INVALID_DATE');
    assertError(await api.get('/v7/guild/votes?cursor=%E9'), 400, 'INVALID_CURSOR');
    const { status } = await api.get(`/v7/vote-check?discord_id=${USER}&utm=%zz&%zz=1&locale=%zz`);
    assert.equal(status, 200);
  });

  test('in a path, it is an invalid user id or vote id', async () => {
    const api = await openWithVotes(open);
    await api.grantPremium();
    for (const value of MALFORMED) {
      assertError(await api.get(`/v7/guild/votes/users/${value}`), 400, 'INVALID_USER_ID');
      assertError(await api.send('DELETE', `/v7/guild/claims/${value}`), 400, 'INVALID_VOTE_ID');
    }
  });

  test('the key is checked before the encoding', async () => {
    const api = await openWithVotes(open);
    assertError(await api.get('/v7/vote-check?external_id=%zz', { key: null }), 401, 'API_NOT_SET');
    assertError(
      await api.get(`/v7/vote-check?external_id=%zz&discord_id=${USER}`),
      400,
      'MULTIPLE_IDENTIFIERS',
    );
  });

  test('the ListForge protocol rejects a malformed name too', async () => {
    const api = await openWithVotes(open);
    for (const field of ['username', 'steamid']) {
      const path = `/compat/listforge/api/?object=votes&element=claim&${field}=%E9lodie&key=${api.key}`;
      assertInvalid(await api.get(path), [{ field, rule: 'encoding' }]);
    }
  });
});
