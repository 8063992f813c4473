import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { generateApiKey, hashApiKey, isWellFormedApiKey } from '../../../src/domain/keys/api-key.ts';
import { anyText, substitutions } from '../arbitraries.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The CRC32 of thirty "0" characters is 0x77E5DB82, which is 2C8GjS in base 62. */
const KEY_OF_ZEROS = `vty_${'0'.repeat(30)}2C8GjS`;

const anyKey = fc.array(fc.nat({ max: 61 }), { minLength: 30, maxLength: 30 }).map((digits) => {
  const next = digits.values();
  return generateApiKey(() => next.next().value ?? 0);
});

describe('a generated key', () => {
  it('is deterministic for a given random part', () => {
    assert.equal(
      generateApiKey(() => 0),
      KEY_OF_ZEROS,
    );
  });

  it('is well formed: vty_, 30 random characters, 6 of checksum', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        assert.match(key, /^vty_[0-9A-Za-z]{36}$/);
        assert.ok(isWellFormedApiKey(key));
      }),
    );
  });

  it('is different each time', () => {
    const keys = new Set(Array.from({ length: 1000 }, () => generateApiKey()));
    assert.equal(keys.size, 1000);
    for (const key of keys) assert.ok(isWellFormedApiKey(key));
  });

  it('uses every character of the alphabet', () => {
    const used = new Set(Array.from({ length: 500 }, () => generateApiKey().slice(4, 34)).join(''));
    assert.equal(used.size, BASE62.length);
  });
});

describe('a key that is not well formed', () => {
  it('is any key with one character replaced', () => {
    for (const key of [KEY_OF_ZEROS, ...Array.from({ length: 20 }, () => generateApiKey())]) {
      for (const changed of substitutions(key, `${BASE62}_- é`))
        assert.ok(!isWellFormedApiKey(changed), changed);
    }
  });

  it('is any key truncated at its end or its start', () => {
    fc.assert(
      fc.property(anyKey, fc.nat({ max: 39 }), (key, length) => {
        assert.ok(!isWellFormedApiKey(key.slice(0, length)));
        assert.ok(!isWellFormedApiKey(key.slice(40 - length)));
      }),
    );
  });

  it('is any key with two adjacent characters swapped', () => {
    fc.assert(
      fc.property(anyKey, fc.integer({ min: 4, max: 38 }), (key, at) => {
        const swapped = key.slice(0, at) + key.charAt(at + 1) + key.charAt(at) + key.slice(at + 2);
        assert.equal(isWellFormedApiKey(swapped), swapped === key);
      }),
    );
  });

  it('is any key with characters before or after it', () => {
    for (const extra of [' ', '\n', '0', '"', '\0', '_']) {
      assert.ok(!isWellFormedApiKey(KEY_OF_ZEROS + extra));
      assert.ok(!isWellFormedApiKey(extra + KEY_OF_ZEROS));
    }
  });

  it('is any key in another case', () => {
    assert.ok(!isWellFormedApiKey(KEY_OF_ZEROS.toUpperCase()));
    assert.ok(!isWellFormedApiKey(KEY_OF_ZEROS.toLowerCase()));
  });

  it('is any other text, and validation never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(anyText, fc.stringMatching(/^vty_[0-9A-Za-z]{36}$/)),
        (text) => !isWellFormedApiKey(text),
      ),
    );
  });
});

it('the database stores the SHA-256 of a key', () => {
  assert.equal(hashApiKey('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
