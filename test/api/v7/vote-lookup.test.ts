import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onAnyDatabase, USER } from '../../support/api.ts';

onAnyDatabase('the vote lookup', (open) => {
  test('only a vote check looks a vote up together with the key', async (t) => {
    const api = await open();
    const admit = t.mock.method(api.store, 'admit');
    const lookups = async (method: string, path: string) => {
      admit.mock.resetCalls();
      await api.send(method, path);
      return admit.mock.calls.map(({ arguments: [lookup] }) => lookup.voteQuery !== null);
    };
    const user = `discord_id=${USER}`;

    assert.deepEqual(await lookups('GET', `/v7/vote-check?${user}`), [true]);
    assert.deepEqual(await lookups('GET', '/v7/check-vote?external_id=Steve_42'), [true]);
    assert.deepEqual(await lookups('GET', '/v7/vote-check'), [false]);
    assert.deepEqual(await lookups('GET', `/v7/vote-checks?${user}`), [false]);
    assert.deepEqual(await lookups('POST', `/v7/guild/claims?${user}`), [false]);
    assert.deepEqual(await lookups('GET', `/v7/guild/claims?${user}`), [false]);
    assert.deepEqual(await lookups('GET', `/v7/guild/claimable?${user}`), [false]);
    assert.deepEqual(await lookups('GET', `/v7/openapi.json?${user}`), [false]);
    assert.deepEqual(await lookups('GET', `/v7/unknown?${user}`), [false]);
    assert.deepEqual(await lookups('POST', `/v7/vote-check?${user}`), [false]);
  });
});
