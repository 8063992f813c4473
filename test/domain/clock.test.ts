import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, formatInstant, writeInstant } from '../../src/domain/clock.ts';

test('a formatted instant matches the calendar, in any order and any year', () => {
  const instants = fc.oneof(
    fc.integer({ min: -8.64e15, max: 8.64e15 }),
    fc.integer({ min: 0, max: 4e12 }),
    // Just before and after midnight.
    fc.integer({ min: -2000, max: 2000 }).map((offset) => 20_000 * DAY_MS + offset),
  );
  fc.assert(
    fc.property(fc.array(instants, { maxLength: 20 }), (list) => {
      for (const instant of list) {
        const expected = new Date(instant).toISOString();
        assert.equal(formatInstant(instant), expected);
        const bytes = Buffer.alloc(40, ' ');
        const end = writeInstant(bytes, instant, 3);
        assert.equal(bytes.toString(), `   ${expected}`.padEnd(40));
        assert.equal(end, 3 + expected.length);
      }
    }),
    { numRuns: 2000 },
  );
});
