import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isSnowflake, isStorableExternalId } from '../../src/domain/identifiers.ts';
import { codePointLength } from '../../src/domain/text/text.ts';
import { anyExternalId, anySnowflake, anyText } from './arbitraries.ts';

describe('a user or guild id', () => {
  it('is any text of 15 to 20 digits', () => fc.assert(fc.property(anySnowflake, isSnowflake)));

  const refused = [
    '',
    '1',
    '1'.repeat(14),
    '1'.repeat(21),
    '12345678901234a',
    ' 123456789012345',
    '123456789012345\n',
    '-12345678901234',
    '1234567890.12345',
    '１２３４５６７８９０１２３４５',
    '١٢٣٤٥٦٧٨٩٠١٢٣٤٥',
    '1e15000000000000',
  ];
  for (const text of refused) {
    it(`is not ${JSON.stringify(text)}`, () => assert.equal(isSnowflake(text), false));
  }
});

describe('the length of an external id', () => {
  const lengths: [text: string, length: number][] = [
    ['', 0],
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 2],
    ['😀', 1],
    ['👨‍👩‍👧', 5],
  ];
  for (const [text, length] of lengths) {
    it(`of ${JSON.stringify(text)} is ${length} code points`, () =>
      assert.equal(codePointLength(text), length));
  }
});

describe('an external id', () => {
  it('is any text of 1 to 191 code points', () =>
    fc.assert(fc.property(anyExternalId, isStorableExternalId)));

  const scenarios: [name: string, text: string, isStorable: boolean][] = [
    ['may be 191 emoji long', '😀'.repeat(191), true],
    ['may not be 192 emoji long', '😀'.repeat(192), false],
    ['may be 191 letters long', 'a'.repeat(191), true],
    ['may not be 192 letters long', 'a'.repeat(192), false],
    ['may not be empty', '', false],
    ['may be a space, since nothing is trimmed', ' ', true],
    ['may not contain NUL', 'a\0b', false],
    ['may not contain a lone surrogate', 'a\ud800b', false],
  ];
  for (const [name, text, isStorable] of scenarios) {
    it(name, () => assert.equal(isStorableExternalId(text), isStorable));
  }

  it('is rejected or accepted, and never throws', () => {
    fc.assert(fc.property(anyText, (text) => typeof isStorableExternalId(text) === 'boolean'));
  });
});
