import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anonymousId } from '../../src/domain/anonymous-id.ts';
import { isSnowflake } from '../../src/domain/identifiers.ts';

const USER = '345678901234567890';
const first = () => 0n;
const last = (end: bigint) => end - 1n;

test('the id lies between the neighbors', () => {
  const neighbors = { before: '300000000000000000', after: '400000000000000000' };
  assert.equal(anonymousId(USER, neighbors, first), '300000000000000001');
  assert.equal(anonymousId(USER, neighbors, last), '399999999999999999');
});

test('without neighbors the id has as many digits as before', () => {
  for (const userId of ['123456789012345', USER, '1234567890123456789', '12345678901234567890']) {
    for (const random of [first, last]) {
      const id = anonymousId(userId, { before: null, after: null }, random);
      assert.ok(isSnowflake(id));
      assert.equal(id.length, userId.length);
    }
  }
});

test('an id that fits a signed 64-bit integer is replaced by one that fits too', () => {
  const id = anonymousId('1234567890123456789', { before: null, after: null }, last);
  assert.equal(BigInt.asIntN(64, BigInt(id)), BigInt(id));
});

test('without room between the neighbors the id is one that no account has', () => {
  const neighbors = { before: '345678901234567889', after: '345678901234567891' };
  assert.equal(anonymousId(USER, neighbors, first), '9000000000000000000');
});

test('the id is never that of the user', () => {
  const drawn = [BigInt(USER) - 100000000000000000n, 5n];
  const id = anonymousId(USER, { before: null, after: null }, () => drawn.shift() ?? 0n);
  assert.equal(id, '100000000000000005');
});
