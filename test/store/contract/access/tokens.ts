import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../../src/domain/clock.ts';
import { TOKEN_SCOPES } from '../../../../src/domain/keys/api-token.ts';
import { ABANDONED_AFTER_MS } from '../../../../src/store/stored-responses.ts';
import type { Subject } from '../../contract.ts';
import { NOW } from '../../fixtures.ts';

let made = 0;

/** Tokens of the management API, and the responses stored for their requests. */
export function tokenContract(subject: Subject): void {
  async function addToken(expiresAt: number | null = null): Promise<string> {
    made += 1;
    const tokenId = `tok_${made}`;
    const token = { tokenId, hash: `hash ${made}`, name: `Token ${made}`, createdAt: NOW + made, expiresAt };
    await subject.store.tokens.add({ ...token, scopes: ['guilds:read', 'votes:write'] });
    return tokenId;
  }

  test('a token is found by its hash, and listed, newest first', async () => {
    const { tokens } = subject.store;
    const tokenId = await addToken(NOW + DAY_MS);
    const expected = {
      tokenId,
      name: `Token ${made}`,
      scopes: ['guilds:read', 'votes:write'],
      createdAt: NOW + made,
      expiresAt: NOW + DAY_MS,
      lastUsedAt: null,
      revokedAt: null,
    };
    assert.deepEqual(await tokens.findByHash(`hash ${made}`), expected);
    assert.deepEqual(await tokens.find(tokenId), expected);
    assert.equal(await tokens.findByHash('another hash'), undefined);
    const later = await addToken();
    const ids = (await tokens.list()).map((token) => token.tokenId);
    assert.ok(ids.indexOf(later) < ids.indexOf(tokenId));
  });

  test('a token is revoked once', async () => {
    const { tokens } = subject.store;
    const tokenId = await addToken();
    assert.equal(await tokens.revoke(tokenId, NOW), true);
    assert.equal(await tokens.revoke(tokenId, NOW + 1), false);
    assert.equal(await tokens.revoke('tok_unknown', NOW), false);
    assert.equal((await tokens.find(tokenId))?.revokedAt, NOW);
  });

  test('the last use of a token is stored to the hour, and never set back', async () => {
    const { tokens } = subject.store;
    const tokenId = await addToken();
    const used = async (at: number) => {
      const token = await tokens.find(tokenId);
      assert.ok(token);
      await tokens.markUsed(token, at);
      return (await tokens.find(tokenId))?.lastUsedAt;
    };
    const hour = NOW - (NOW % HOUR_MS);
    assert.equal(await used(hour + 5), hour);
    assert.equal(await used(hour + HOUR_MS - 1), hour);
    assert.equal(await used(hour + HOUR_MS), hour + HOUR_MS);
    assert.equal(await used(hour), hour + HOUR_MS);
  });

  test('tokens that ended are deleted later, with their responses', async () => {
    const { tokens, responses } = subject.store;
    const [revoked, expired, active] = [await addToken(), await addToken(NOW - 1), await addToken()];
    await responses.reserve({ tokenId: revoked, key: 'k', requestHash: 'h', now: NOW });
    await tokens.revoke(revoked, NOW - 1);
    assert.equal(await tokens.prune(NOW - 1, 10), 0);
    assert.equal(await tokens.prune(NOW, 1), 1);
    assert.equal(await tokens.prune(NOW, 10), 1);
    const left = (await tokens.list()).map(({ tokenId }) => tokenId);
    assert.deepEqual(
      [revoked, expired, active].filter((tokenId) => left.includes(tokenId)),
      [active],
    );
  });

  test('a response is returned for the same key and request, for a day', async () => {
    const { responses } = subject.store;
    const request = { tokenId: await addToken(), key: 'order-1', requestHash: 'one', now: NOW };
    const first = await responses.reserve(request);
    assert.equal(first.kind, 'reserved');
    assert.equal((await responses.reserve(request)).kind, 'busy');
    assert.equal((await responses.reserve({ ...request, requestHash: 'other' })).kind, 'mismatch');
    if (first.kind === 'reserved')
      await responses.complete(first.reservation, { status: 201, sealedBody: 'sealed' });
    const stored = { kind: 'stored', response: { status: 201, sealedBody: 'sealed' } };
    assert.deepEqual(await responses.reserve({ ...request, now: NOW + DAY_MS - 1 }), stored);
    const otherToken = { ...request, tokenId: await addToken() };
    assert.equal((await responses.reserve(otherToken)).kind, 'reserved');
    assert.equal((await responses.reserve({ ...request, now: NOW + DAY_MS })).kind, 'reserved');
  });

  test('a key is unused again after its request failed, or was abandoned', async () => {
    const { responses } = subject.store;
    const request = { tokenId: await addToken(), key: 'order-2', requestHash: 'one', now: NOW };
    const first = await responses.reserve(request);
    assert.ok(first.kind === 'reserved');
    await responses.release(first.reservation);
    const second = await responses.reserve({ ...request, requestHash: 'two' });
    assert.ok(second.kind === 'reserved');
    const later = { ...request, now: NOW + ABANDONED_AFTER_MS };
    assert.equal(
      (await responses.reserve({ ...request, requestHash: 'two', now: later.now - 1 })).kind,
      'busy',
    );
    const third = await responses.reserve(later);
    assert.ok(third.kind === 'reserved');
    // The abandoned request ends after all: it neither stores its response nor releases the key.
    await responses.complete(second.reservation, { status: 200, sealedBody: 'too late' });
    await responses.release(second.reservation);
    assert.equal((await responses.reserve(later)).kind, 'busy');
  });

  test('of concurrent requests with one key, one is processed', async () => {
    const { responses } = subject.store;
    const request = { tokenId: await addToken(), key: 'order-3', requestHash: 'one', now: NOW };
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => responses.reserve(request)));
    assert.equal(outcomes.filter(({ kind }) => kind === 'reserved').length, 1);
    assert.equal(outcomes.filter(({ kind }) => kind === 'busy').length, 19);
  });

  test('old responses are deleted in batches', async () => {
    const { responses } = subject.store;
    const tokenId = await addToken();
    for (const key of ['a', 'b', 'c'])
      await responses.reserve({ tokenId, key, requestHash: 'h', now: NOW - 9 * DAY_MS });
    assert.equal(await responses.prune(NOW - 8 * DAY_MS, 2), 2);
    assert.equal(await responses.prune(NOW - 8 * DAY_MS, 2), 1);
  });

  test('a token may have every scope', async () => {
    const { tokens } = subject.store;
    await tokens.add({
      ...{ tokenId: 'tok_all', hash: 'hash of all', name: 'All', createdAt: NOW, expiresAt: null },
      scopes: TOKEN_SCOPES,
    });
    assert.deepEqual((await tokens.find('tok_all'))?.scopes, [...TOKEN_SCOPES]);
  });
}
