import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onAnyDatabase, USER } from '../../../support/api.ts';

const CLAIMS = '/v7/guild/claims';

onAnyDatabase('invalid requests to /v7/guild/claims', (open) => {
  test('exactly one identifier is required', async () => {
    const api = await open();
    for (const method of ['GET', 'POST']) {
      assert.equal((await api.send(method, CLAIMS)).body.error, 'MISSING_IDENTIFIER');
      const both = await api.send(method, `${CLAIMS}?discord_id=${USER}&external_id=x`);
      assert.deepEqual([both.status, both.body.error], [400, 'MULTIPLE_IDENTIFIERS']);
    }
  });

  test('within_hours is an integer from 1 to 744', async () => {
    const api = await open();
    for (const [value, rule] of [
      ['0', 'min'],
      ['745', 'max'],
      ['1.5', 'integer'],
    ]) {
      const { status, body } = await api.send('POST', `${CLAIMS}?discord_id=${USER}&within_hours=${value}`);
      const [error] = body.errors as { rule: string; field: string }[];
      assert.deepEqual([status, error?.rule, error?.field], [400, rule, 'within_hours']);
    }
  });

  test('an Idempotency-Key is 1 to 255 visible ASCII characters', async () => {
    const api = await open();
    for (const [key, rule] of [
      ['', 'regex'],
      ['two words', 'regex'],
      ['é', 'regex'],
      ['k'.repeat(256), 'maxLength'],
    ]) {
      const headers = { 'idempotency-key': String(key) };
      const { status, body } = await api.send('POST', `${CLAIMS}?discord_id=${USER}`, { headers });
      const [error] = body.errors as { rule: string; field: string }[];
      assert.deepEqual([status, error?.rule, error?.field], [400, rule, 'Idempotency-Key']);
    }
  });

  test('an Idempotency-Key that was used with other parameters is rejected', async () => {
    const api = await open();
    const headers = { 'idempotency-key': 'same' };
    await api.send('POST', `${CLAIMS}?discord_id=${USER}`, { headers });
    const other = await api.send('POST', `${CLAIMS}?discord_id=${USER}&within_hours=2`, { headers });
    assert.deepEqual([other.status, other.body.error], [400, 'IDEMPOTENCY_MISMATCH']);
  });

  test('a malformed vote id and a cursor of another guild or endpoint are rejected', async () => {
    const [api, other] = [await open(), await open()];
    for (const guild of [api, other]) await guild.grantPremium();
    const bad = await api.send('DELETE', `${CLAIMS}/vote_123`);
    assert.deepEqual([bad.status, bad.body.error], [400, 'INVALID_VOTE_ID']);
    const { body } = await other.get('/v7/guild/feed');
    for (const path of [`${CLAIMS}/pending`, '/v7/guild/feed']) {
      const { status, body: answer } = await api.get(`${path}?cursor=${body.next_cursor}`);
      assert.deepEqual([status, answer.error], [400, 'INVALID_CURSOR']);
    }
  });

  test('claimed_at of a release is a date, sent once', async () => {
    const api = await open();
    const path = `${CLAIMS}/vote_${'0'.repeat(32)}`;
    for (const text of ['yesterday', '2026-02-30', '1794744000', '2026-11-15T12:00:00Z%00']) {
      const { status, body } = await api.send('DELETE', `${path}?claimed_at=${text}`);
      assert.deepEqual([status, body.error], [400, 'INVALID_DATE']);
    }
    const empty = await api.send('DELETE', `${path}?claimed_at=`);
    assert.deepEqual([empty.status, empty.body.released], [200, false]);
    const twice = await api.send('DELETE', `${path}?claimed_at=2026-11-15&claimed_at=2026-11-15`);
    const [error] = twice.body.errors as { rule: string; field: string }[];
    assert.deepEqual([twice.status, error?.rule, error?.field], [400, 'string', 'claimed_at']);
  });

  test('pending requires Premium; Allow lists the supported methods', async () => {
    const api = await open();
    assert.equal((await api.get(`${CLAIMS}/pending`)).body.error, 'PREMIUM_REQUIRED');
    const put = await api.send('PUT', CLAIMS);
    assert.deepEqual([put.status, put.headers.allow], [405, 'GET, HEAD, POST']);
    const get = await api.get(`${CLAIMS}/vote_123`);
    assert.deepEqual([get.status, get.headers.allow], [405, 'DELETE']);
  });
});
