import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateApiKey, hashApiKey } from '../../../../src/domain/keys/api-key.ts';
import { assertError, onAnyDatabase, USER } from '../../../support/api.ts';

const PATH = `/v7/vote-check?discord_id=${USER}`;

onAnyDatabase('GET /v7/vote-check answers 401', (open) => {
  test('no key, an empty key and a placeholder are API_NOT_SET', async () => {
    const api = await open();
    assertError(await api.get(PATH, { key: null }), 401, 'API_NOT_SET');
    assertError(await api.get(`${PATH}&api_token=`, { key: null }), 401, 'API_NOT_SET');
    for (const authorization of [
      'Bearer',
      'Bearer YOUR_API_KEY',
      'Bearer <API_KEY>',
      'Bearer undefined',
      'Basic abc',
    ]) {
      assertError(await api.get(PATH, { key: null, headers: { authorization } }), 401, 'API_NOT_SET');
    }
    assertError(await api.get(`${PATH}&api_token=VOTRE_CLE_API`, { key: null }), 401, 'API_NOT_SET');
    const header = { 'x-api-token': '{{ api_key }}' };
    assertError(await api.get(PATH, { key: null, headers: header }), 401, 'API_NOT_SET');
  });

  test('a truncated, mistyped, unknown or foreign key is INVALID_API_TOKEN', async () => {
    const api = await open();
    for (const key of [
      api.key.slice(0, -1),
      `${api.key}x`,
      api.key.toLowerCase(),
      generateApiKey(),
      'hunter2hunter2',
    ]) {
      assertError(await api.get(PATH, { key }), 401, 'INVALID_API_TOKEN');
    }
  });

  test('a key stops working the moment it is regenerated, and the new one works', async () => {
    const api = await open();
    assert.equal((await api.get(PATH)).status, 200);
    const newKey = generateApiKey();
    await api.store.guilds.setKey(api.guildId, {
      hash: hashApiKey(newKey),
      sealed: '',
      createdAt: api.clock(),
    });
    assertError(await api.get(PATH), 401, 'INVALID_API_TOKEN');
    assert.equal((await api.get(PATH, { key: newKey })).status, 200);
  });

  test('a revoked key and the key of a removed guild are rejected', async () => {
    const [revoked, removed] = [await open(), await open()];
    await revoked.store.guilds.setKey(revoked.guildId, null);
    await removed.store.guilds.remove(removed.guildId);
    assertError(await revoked.get(PATH), 401, 'INVALID_API_TOKEN');
    assertError(await removed.get(PATH), 401, 'INVALID_API_TOKEN');
  });

  test('the key of a sanctioned guild is rejected until the sanction is lifted', async () => {
    const api = await open();
    await api.store.guilds.setSanction(api.guildId, { since: api.clock(), reason: 'spam' });
    assertError(await api.get(PATH), 401, 'INVALID_API_TOKEN');
    await api.store.guilds.setSanction(api.guildId, null);
    assert.equal((await api.get(PATH)).status, 200);
  });

  test('the key is checked before the parameters', async () => {
    const api = await open();
    assertError(await api.get('/v7/vote-check', { key: null }), 401, 'API_NOT_SET');
    assertError(await api.get('/v7/vote-check?discord_id=abc', { key: 'wrong' }), 401, 'INVALID_API_TOKEN');
  });
});
