import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { deriveSecrets, seal, unseal } from '../../../src/domain/secrets.ts';
import { anyExternalId, anyText } from '../arbitraries.ts';

const { sealKey } = deriveSecrets('a secret for these tests');
const CONTEXT = '100000000000000001';
const SEALED = seal('vty_the-key', CONTEXT, sealKey);

describe('a sealed text', () => {
  it('decrypts to the original text', () => {
    fc.assert(
      fc.property(anyExternalId, anyText, (text, context) => {
        assert.equal(unseal(seal(text, context, sealKey), context, sealKey), text);
      }),
    );
  });

  it('is different each time and does not reveal its content', () => {
    assert.notEqual(seal('vty_the-key', CONTEXT, sealKey), SEALED);
    assert.ok(!Buffer.from(SEALED, 'base64url').includes('vty_'));
  });

  it('cannot be decrypted for another guild', () => {
    assert.equal(unseal(SEALED, '100000000000000002', sealKey), undefined);
  });

  it('cannot be decrypted with another secret', () => {
    assert.equal(unseal(SEALED, CONTEXT, deriveSecrets('another secret, also for tests').sealKey), undefined);
  });

  it('cannot be decrypted with any bit changed', () => {
    const bytes = Buffer.from(SEALED, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      assert.equal(unseal(changed.toString('base64url'), CONTEXT, sealKey), undefined);
    }
  });

  it('cannot be decrypted if it is truncated', () => {
    const bytes = Buffer.from(SEALED, 'base64url');
    for (let length = 0; length < bytes.length; length += 1) {
      assert.equal(unseal(bytes.subarray(0, length).toString('base64url'), CONTEXT, sealKey), undefined);
    }
  });

  it('is rejected if it is any other text, and never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(anyText, fc.base64String()),
        (text) => unseal(text, CONTEXT, sealKey) === undefined,
      ),
    );
  });

  it('can be decrypted with each of several keys, and is encrypted with the first', () => {
    const other = deriveSecrets('another secret').sealKey;
    const both = deriveSecrets('another secret\na secret for these tests').sealKey;
    assert.equal(unseal(SEALED, CONTEXT, both), 'vty_the-key');
    assert.equal(unseal(seal('new', CONTEXT, both), CONTEXT, other), 'new');
    assert.equal(unseal(seal('new', CONTEXT, both), CONTEXT, sealKey), undefined);
  });
});
