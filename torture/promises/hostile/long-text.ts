/**
 * Long runs of one character or of a short text, which make careless code slow: regular expressions that start again
 * at each character, replacement patterns that repeat a page, parsers that recurse.
 */
import fc from 'fast-check';

const PRINTABLE = Array.from({ length: 0x7f - 0x20 }, (_, i) => String.fromCharCode(0x20 + i));

/** Of `String.replace`. */
const REPLACEMENTS = ['$&', '$`', "$'", '$$', '$1', '$<a>'];

const NESTED = ['{"a":', '[a]', '(a', '<a>', '%25', '%5B', '../', './', 'a.', '//a', '\\/'];

const LISTS = ['a,', 'a;q=0.1,', 'a=b; ', 'a=b&', 'a ', 'é', '\t', '-1', '0.'];

export const UNITS = [...PRINTABLE, ...REPLACEMENTS, ...NESTED, ...LISTS];

const HUGE_NUMBERS = [
  '9'.repeat(5000),
  `-${'9'.repeat(5000)}`,
  `0.${'0'.repeat(5000)}1`,
  `0x${'f'.repeat(5000)}`,
  `1e${'9'.repeat(5000)}`,
  '1e308',
  '1e309',
  '9007199254740993',
  '9223372036854775808',
];

/** Below the limit of Node for all headers, 16 KiB. */
export const LONGEST = 14_000;

/** What does not belong to the run makes an expression try every way to match. */
export function runOf(unit: string, { length = LONGEST, before = 'a', after = 'x' } = {}): string {
  return before + unit.repeat(Math.ceil(length / unit.length)) + after;
}

export const anyLong: fc.Arbitrary<string> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...HUGE_NUMBERS) },
  {
    weight: 6,
    arbitrary: fc
      .record({
        unit: fc.oneof(fc.constantFrom(...UNITS), fc.string({ minLength: 1, maxLength: 3 })),
        length: fc.constantFrom(300, 4000, LONGEST),
        before: fc.constantFrom('', 'a', '/', '"', '1'),
        after: fc.constantFrom('', 'x', '/', '!', '"'),
      })
      .map(({ unit, ...rest }) => runOf(unit, rest)),
  },
);
