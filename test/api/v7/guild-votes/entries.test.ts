import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { writeEntries } from '../../../../src/api/v7/votes/vote-entries.ts';

test('the entries of a list are the JSON of its votes', () => {
  const vote = fc.record({
    userId: fc
      .bigInt({ min: 10n ** 16n, max: 10n ** 20n - 1n })
      .map(String)
      .filter((digits) => digits.length >= 17),
    castAt: fc.integer({ min: 0, max: 4e12 }),
    // SQLite has no booleans.
    isDoubled: fc.constantFrom(true, false, 1, 0),
  });
  fc.assert(
    fc.property(fc.array(vote, { maxLength: 20 }), (votes) => {
      const expected = votes.map(({ userId, castAt, isDoubled }) => ({
        user_id: userId,
        timestamp: new Date(castAt).toISOString(),
        is_doubled: Boolean(isDoubled),
      }));
      assert.equal(`[${writeEntries(votes)}]`, JSON.stringify(expected));
    }),
  );
});
