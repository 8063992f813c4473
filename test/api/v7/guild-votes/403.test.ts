import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '../../../../src/domain/clock.ts';
import { assertError, onAnyDatabase, USER } from '../../../support/api.ts';

const PATHS = ['/v7/guild/votes', `/v7/guild/votes/users/${USER}`];

onAnyDatabase('the vote lists answer 403', (open) => {
  test('a guild without Premium gets PREMIUM_REQUIRED before its parameters are validated', async () => {
    const api = await open();
    for (const path of [...PATHS, '/v7/guild/votes?limit=0', '/v7/guild/votes/users/abc']) {
      assertError(await api.get(path), 403, 'PREMIUM_REQUIRED');
    }
  });

  test('Premium works from the grant until the instant it ends, and not after it is revoked', async () => {
    const api = await open();
    await api.store.guilds.setPremiumUntil(api.guildId, api.clock() + HOUR_MS);
    assert.equal((await api.get('/v7/guild/votes')).status, 200);
    api.clock.advance(HOUR_MS - 1);
    assert.equal((await api.get('/v7/guild/votes')).status, 200);
    api.clock.advance(1);
    assertError(await api.get('/v7/guild/votes'), 403, 'PREMIUM_REQUIRED');
    await api.grantPremium();
    await api.store.guilds.setPremiumUntil(api.guildId, null);
    assertError(await api.get('/v7/guild/votes'), 403, 'PREMIUM_REQUIRED');
  });

  test('an invalid key is reported before missing Premium', async () => {
    const api = await open();
    for (const path of PATHS) {
      assertError(await api.get(path, { key: null }), 401, 'API_NOT_SET');
      assertError(await api.get(path, { key: `${api.key}x` }), 401, 'INVALID_API_TOKEN');
    }
  });

  test('vote-check needs no Premium', async () => {
    const api = await open();
    assert.equal((await api.get(`/v7/vote-check?discord_id=${USER}`)).status, 200);
  });
});
