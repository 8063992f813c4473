import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, formatInstant } from '../../../src/domain/clock.ts';
import { ALL_TIME, currentMonth, parseIsoDate, resolvePeriod } from '../../../src/domain/votes/period.ts';
import { anyInstant } from '../arbitraries.ts';

const NOW = Date.parse('2026-03-20T10:00:00.000Z');
const MONTH_START = Date.parse('2026-03-01T00:00:00.000Z');
const DEFAULTS = currentMonth(NOW);

/** The period, or what is wrong with it. */
function outcome(given: { from?: string; to?: string }, defaults = DEFAULTS) {
  const found = resolvePeriod(given, defaults);
  return found.kind === 'period' ? found.period : found.fault;
}

describe('a period', () => {
  const scenarios: [name: string, given: { from?: string; to?: string }, expected: unknown][] = [
    ['without dates is the current UTC month until now', {}, { from: MONTH_START, to: NOW }],
    [
      'with empty dates is the current UTC month until now',
      { from: '', to: '' },
      { from: MONTH_START, to: NOW },
    ],
    ['with only a start ends now', { from: '2026-03-19' }, { from: MONTH_START + 18 * DAY_MS, to: NOW }],
    [
      'with only an end starts with the month',
      { to: '2026-03-02' },
      { from: MONTH_START, to: MONTH_START + DAY_MS },
    ],
    [
      'may be one millisecond long',
      { from: '2026-03-01T00:00Z', to: '2026-03-01T00:00:00.001Z' },
      { from: MONTH_START, to: MONTH_START + 1 },
    ],
    [
      'may be exactly 31 days long',
      { from: '2026-03-01', to: '2026-04-01' },
      { from: MONTH_START, to: MONTH_START + 31 * DAY_MS },
    ],
    [
      'of 31 days and a millisecond is too large',
      { from: '2026-03-01', to: '2026-04-01T00:00:00.001Z' },
      'DATE_RANGE_TOO_LARGE',
    ],
    ['that ends where it starts is rejected', { from: '2026-03-01', to: '2026-03-01' }, 'INVALID_DATE_RANGE'],
    [
      'that ends before it starts is rejected',
      { from: '2026-03-02', to: '2026-03-01' },
      'INVALID_DATE_RANGE',
    ],
    ['that starts in the future and has no end is rejected', { from: '2026-03-21' }, 'INVALID_DATE_RANGE'],
    ['that ends before this month and has no start is rejected', { to: '2026-02-20' }, 'INVALID_DATE_RANGE'],
    [
      'that starts more than 31 days ago and has no end is too large',
      { from: '2026-01-01' },
      'DATE_RANGE_TOO_LARGE',
    ],
    [
      'with an unreadable start is refused before its order is looked at',
      { from: 'x', to: '1999-01-01' },
      'INVALID_DATE',
    ],
    [
      'with an unreadable end is refused before its length is looked at',
      { from: '1999-01-01', to: 'x' },
      'INVALID_DATE',
    ],
    [
      'that is reversed by years is out of order, not too large',
      { from: '2026-01-01', to: '1999-01-01' },
      'INVALID_DATE_RANGE',
    ],
    ['of only a space is an invalid date', { from: ' ' }, 'INVALID_DATE'],
  ];
  for (const [name, given, expected] of scenarios) {
    it(name, () => assert.deepEqual(outcome(given), expected));
  }

  it('is accepted exactly if its start is before its end and it is at most 31 days long', () => {
    const length = fc.oneof(
      fc.integer({ min: -40 * DAY_MS, max: 40 * DAY_MS }),
      fc.integer({ min: -2, max: 2 }),
      fc.integer({ min: 31 * DAY_MS - 2, max: 31 * DAY_MS + 2 }),
    );
    const start = fc.integer({ min: Date.parse('0001-01-01'), max: Date.parse('9999-01-01') });
    fc.assert(
      fc.property(start, length, (from, lengthMs) => {
        const to = from + lengthMs;
        const tooLong = lengthMs > 31 * DAY_MS ? 'DATE_RANGE_TOO_LARGE' : { from, to };
        const expected = lengthMs <= 0 ? 'INVALID_DATE_RANGE' : tooLong;
        assert.deepEqual(outcome({ from: formatInstant(from), to: formatInstant(to) }), expected);
      }),
    );
  });
});

describe('the first millisecond of a month', () => {
  const defaults = currentMonth(MONTH_START);

  it('is an empty period if no date is given', () => {
    assert.deepEqual(outcome({}, defaults), { from: MONTH_START, to: MONTH_START });
  });

  it('is an error if a date is given', () => {
    assert.equal(outcome({ from: '2026-03-01' }, defaults), 'INVALID_DATE_RANGE');
    assert.equal(outcome({ to: '2026-03-01' }, defaults), 'INVALID_DATE_RANGE');
  });
});

describe('the current month', () => {
  it('starts at midnight UTC of its first day and is always a valid period', () => {
    const sinceYear100 = anyInstant.filter((instant) => instant > Date.parse('0100-01-01'));
    fc.assert(
      fc.property(sinceYear100, (now) => {
        const month = currentMonth(now);
        assert.equal(formatInstant(month.from), `${formatInstant(now).slice(0, 7)}-01T00:00:00.000Z`);
        assert.deepEqual(outcome({}, month), { from: month.from, to: now });
      }),
    );
  });
});

test('a date in the output format is read back exactly, and only if it exists', () => {
  const instants = fc.integer({ min: ALL_TIME.from, max: ALL_TIME.to - 1 });
  const isReadBack = (instant: number) => parseIsoDate(new Date(instant).toISOString()) === instant;
  fc.assert(fc.property(instants, isReadBack));
  for (const text of [
    '2026-02-29T00:00:00.000Z',
    '2026-02-30T00:00:00.000Z',
    '2026-04-31T00:00:00.000Z',
    '2026-00-01T00:00:00.000Z',
    '2026-13-01T00:00:00.000Z',
    '2026-01-00T00:00:00.000Z',
    '2026-01-01T24:00:00.000Z',
    '2026-01-01T00:60:00.000Z',
    '2026-01-01T00:00:60.000Z',
  ])
    assert.equal(parseIsoDate(text), undefined, text);
  assert.equal(parseIsoDate('2028-02-29T00:00:00.000Z'), Date.UTC(2028, 1, 29));
});
