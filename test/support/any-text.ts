import fc from 'fast-check';

/**
 * Every character except lone surrogates. fast-check's `unit: 'binary'` enumerates them all first, which takes
 * seconds.
 */
const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800));

export function anyText(constraints: fc.StringConstraints = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: anyCharacter });
}
