import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deriveSecrets } from '../../../src/domain/secrets.ts';

describe('the secrets of each purpose', () => {
  const secrets = deriveSecrets('a master secret for tests');

  it('are the same for every process with the same master secret', () => {
    assert.deepEqual(deriveSecrets('a master secret for tests'), secrets);
  });

  it('stay the same across versions, because otherwise encrypted keys would be lost', () => {
    const { sealKey, cursorKey } = secrets;
    assert.equal(sealKey.toString('hex'), 'cce7235a16bd3ec359d9ebee7363d0d17afdb97fef6d1be5cfd5fef0cc8b881e');
    assert.equal(
      cursorKey.toString('hex'),
      'b290e9b79000086f3f93d0b8cdad037edec7cbf214362c188441ad0755c31e42',
    );
  });

  it('are 32 bytes each, and all different', () => {
    const keys = Object.values(secrets).map((key) => key.toString('hex'));
    for (const key of keys) assert.equal(key.length, 64);
    assert.equal(new Set(keys).size, keys.length);
  });

  it('all change with the master secret', () => {
    const other = deriveSecrets('a master secret for tests.');
    assert.notDeepEqual(other.sealKey, secrets.sealKey);
    assert.notDeepEqual(other.cursorKey, secrets.cursorKey);
  });

  it('sign and encrypt with the first line only while a secret is being replaced', () => {
    const both = deriveSecrets('a master secret for tests\nthe next one');
    for (const [purpose, key] of Object.entries(secrets)) {
      assert.deepEqual(Object(both)[purpose].subarray(0, 32), key, purpose);
    }
  });
});
