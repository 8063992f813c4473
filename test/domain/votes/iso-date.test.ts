import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatInstant, type Instant, MINUTE_MS } from '../../../src/domain/clock.ts';
import { parseIsoDate } from '../../../src/domain/votes/period.ts';
import { anyInstant, anyText } from '../arbitraries.ts';

/** Every form of an offset; `sign` can be the space that an unescaped `+` becomes. */
const OFFSET_FORMS: ((sign: string, hours: string, minutes: string) => string)[] = [
  (sign, hours, minutes) => `${sign}${hours}:${minutes}`,
  (sign, hours, minutes) => `${sign}${hours}${minutes}`,
];

const pad = (value: number) => String(value).padStart(2, '0');

/** Formats the instant as local time with this offset; `undefined` if its year does not have four digits. */
function writeWithOffset(instant: Instant, offsetMinutes: number, form: (typeof OFFSET_FORMS)[number]) {
  const local = new Date(instant + offsetMinutes * MINUTE_MS).toISOString();
  if (local.length !== 24) return undefined;
  const size = Math.abs(offsetMinutes);
  const suffix = (sign: string) => form(sign, pad(Math.floor(size / 60)), pad(size % 60));
  const signs = offsetMinutes < 0 ? ['-'] : ['+', ' '];
  return signs.map((sign) => local.slice(0, -1) + suffix(sign));
}

describe('a valid date', () => {
  const accepted: [text: string, same: string][] = [
    ['2026-02-28', '2026-02-28T00:00:00.000Z'],
    ['2026-02-28T13:45', '2026-02-28T13:45:00.000Z'],
    ['2026-02-28T13:45Z', '2026-02-28T13:45:00.000Z'],
    ['2026-02-28T13:45:09', '2026-02-28T13:45:09.000Z'],
    ['2026-02-28T13:45:09.5', '2026-02-28T13:45:09.500Z'],
    ['2026-02-28T13:45:09.123456789Z', '2026-02-28T13:45:09.123Z'],
    ['2026-02-28T13:45:09.999999999Z', '2026-02-28T13:45:09.999Z'],
    ['2026-02-28T13:45:09.123+02:00', '2026-02-28T11:45:09.123Z'],
    ['2026-02-28T13:45:09+0200', '2026-02-28T11:45:09.000Z'],
    ['2026-02-28T13:45:09+02', '2026-02-28T11:45:09.000Z'],
    ['2026-02-28T13:45:09-05:30', '2026-02-28T19:15:09.000Z'],
    ['2026-02-28T13:45:09 02:00', '2026-02-28T11:45:09.000Z'],
    ['2026-02-28T13:45 02', '2026-02-28T11:45:00.000Z'],
    ['2026-02-28T13:45:09-00:00', '2026-02-28T13:45:09.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29', '2000-02-29T00:00:00.000Z'],
    ['0000-01-01', '0000-01-01T00:00:00.000Z'],
    ['0050-06-15T12:00Z', '0050-06-15T12:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ];
  for (const [text, same] of accepted) {
    it(`${text} is ${same}`, () => {
      const instant = parseIsoDate(text);
      assert.equal(instant === undefined ? undefined : formatInstant(instant), same);
    });
  }

  it('is the same instant in every form and offset', () => {
    const offsets = fc.integer({ min: -(24 * 60 - 1), max: 24 * 60 - 1 });
    fc.assert(
      fc.property(anyInstant, offsets, fc.constantFrom(...OFFSET_FORMS), (instant, offset, form) => {
        const texts = writeWithOffset(instant, offset, form);
        fc.pre(texts !== undefined);
        for (const text of texts) assert.equal(parseIsoDate(text), instant, text);
      }),
    );
  });

  it('is the same instant if the offset is in whole hours', () => {
    fc.assert(
      fc.property(anyInstant, fc.integer({ min: -23, max: 23 }), (instant, hours) => {
        const texts = writeWithOffset(instant, hours * 60, (sign, text) => sign + text);
        fc.pre(texts !== undefined);
        for (const text of texts) assert.equal(parseIsoDate(text), instant, text);
      }),
    );
  });

  it('is truncated to milliseconds, for fractions of 1 to 9 digits', () => {
    const fraction = fc.stringMatching(/^[0-9]{1,9}$/);
    fc.assert(
      fc.property(anyInstant, fraction, (instant, digits) => {
        const wholeSecond = formatInstant(instant).slice(0, 19);
        const cut = digits.slice(0, 3).padEnd(3, '0');
        assert.equal(parseIsoDate(`${wholeSecond}.${digits}Z`), Date.parse(`${wholeSecond}.${cut}Z`));
      }),
    );
  });

  it('round-trips for every formatted instant', () => {
    fc.assert(fc.property(anyInstant, (instant) => parseIsoDate(formatInstant(instant)) === instant));
  });
});

describe('text that is not a date in the calendar', () => {
  const refused = `2026-02-29 2026-02-30 2026-04-31 1900-02-29 2026-13-01 2026-00-10 2026-01-00 2026-01-32
    2026-01-01T24:00 2026-01-01T24:00:00Z 2026-01-01T23:60 2026-01-01T23:59:60Z 2026-01-01T12:00:60Z 2026-01-01T12:60:00Z 2026-01-01T12:00:00+24:00
    2026-01-01T12:00:00+02:60 2026-01-01t12:00:00Z 2026-01-01T12:00:00z 2026-01 2026 20260101 2026-1-1
    2026-01-01T12 2026-01-01T12Z 2026-01-01T12:00:00. 2026-01-01T12:00:00.1234567890Z 2026-01-01T12:00:00,5Z
    2026-01-01T12:00:00+2 2026-01-01T12:00:00+02: 2026-01-01Z 2026-01-01+02:00 2026-W01-1 2026-001
    +002026-01-01 -0001-01-01 12026-01-01 2026/01/01 01-02-2026 1767225600 1767225600000 now today null
    0000-01-01T00:00:00+00:01 9999-12-31T23:59:59.999-00:01 ２０２６-01-01`.split(/\s+/);
  const withSpace = [
    '',
    ' ',
    ' 2026-01-01',
    '2026-01-01 ',
    '2026-01-01 12:00:00',
    '2026-01-01\n',
    '2026-01-01T',
  ];
  for (const text of [...refused, ...withSpace]) {
    it(`${JSON.stringify(text)} is rejected`, () => assert.equal(parseIsoDate(text), undefined));
  }

  it('is rejected for every day that its month does not have', () => {
    const year = fc.integer({ min: 0, max: 9999 });
    const month = fc.integer({ min: 1, max: 12 });
    fc.assert(
      fc.property(year, month, fc.integer({ min: 1, max: 99 }), (y, m, d) => {
        const text = `${String(y).padStart(4, '0')}-${pad(m)}-${pad(d)}`;
        const isLeap = (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0;
        const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][m - 1] ?? 0;
        assert.equal(parseIsoDate(text) !== undefined, d <= days, text);
      }),
    );
  });

  it('is rejected for every hour above 23, minute above 59 and second above 59', () => {
    const figure = fc.oneof(fc.integer({ min: 0, max: 99 }), fc.constantFrom(0, 23, 24, 59, 60));
    fc.assert(
      fc.property(figure, figure, figure, (hour, minute, second) => {
        const text = `2026-01-01T${pad(hour)}:${pad(minute)}:${pad(second)}Z`;
        assert.equal(parseIsoDate(text) !== undefined, hour < 24 && minute < 60 && second < 60, text);
      }),
    );
  });

  it('never throws and never results in an instant that cannot be formatted', () => {
    const nearly = fc.stringMatching(/^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.]{0,14}[Z+ -]?[0-9:]{0,6})?$/);
    fc.assert(
      fc.property(fc.oneof(anyText, nearly), (text) => {
        const instant = parseIsoDate(text);
        if (instant !== undefined) assert.equal(formatInstant(instant).length, 24);
      }),
    );
  });
});
