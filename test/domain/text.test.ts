import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { cleanName } from '../../src/domain/text/names.ts';
import { readPlainText } from '../../src/domain/text/text.ts';
import { anyText } from './arbitraries.ts';

describe('a short text that a user typed', () => {
  const scenarios: [name: string, text: string, expected: string | undefined][] = [
    ['is kept as it is', 'Les Joyeux Lurons 😀', 'Les Joyeux Lurons 😀'],
    ['loses the space around it', '  Lurons \n', 'Lurons'],
    ['may be as long as is allowed, counted in code points', '😀'.repeat(20), '😀'.repeat(20)],
    ['may not be longer', 'a'.repeat(21), undefined],
    ['may not be empty', '', undefined],
    ['may not be only space', ' \t ', undefined],
    ['may not be only characters without a shape', '\u200b\u3164\u2800 \u200d\ufffa\u{1d159}', undefined],
    ['may not break the line', 'two\nlines', undefined],
    ['may not contain an escape sequence of a terminal', '\u001b[31mred', undefined],
    ['may not contain NUL', 'a\0b', undefined],
    ['may not contain a lone surrogate', 'a\ud800b', undefined],
    ['may not contain a line separator', 'two\u2028lines', undefined],
    ['may not reverse the text after it', 'gpj.\u202eexe', undefined],
    ['may not isolate the text after it', '\u2067abc', undefined],
    ['may be written from right to left, with a direction mark', 'שלום\u200f!', 'שלום\u200f!'],
    ['may contain joiners', '👩‍👩‍👧 می\u200cخواهم', '👩‍👩‍👧 می\u200cخواهم'],
  ];
  for (const [name, text, expected] of scenarios) {
    it(name, () => assert.equal(readPlainText(text, 20), expected));
  }

  it('is rejected or accepted, and never throws', () => {
    fc.assert(fc.property(anyText, (text) => readPlainText(text, 100) !== ''));
  });
});

describe('a name that a user chose elsewhere', () => {
  const scenarios: [name: string, text: string, expected: string][] = [
    ['is kept as it is', 'Zoé 👩‍👩‍👧 <b>', 'Zoé 👩‍👩‍👧 <b>'],
    ['loses control characters and line breaks', '\0a\u001b[31m\n\u2028b\u0085', 'a [31m b'],
    ['loses characters that change the direction of text', '\u202eevil\u2066\u200f', 'evil'],
    ['is truncated to the allowed length, counted in code points', '😀'.repeat(30), '😀'.repeat(20)],
    ['may be nothing', ' \u202e ', ''],
    ['may be nothing visible', '\u200b\u3164', ''],
  ];
  for (const [name, text, expected] of scenarios) {
    it(name, () => assert.equal(cleanName(text, 20), expected));
  }

  it('is always text that can be stored', () => {
    fc.assert(fc.property(anyText, (text) => cleanName(text, 64).isWellFormed()));
  });
});
