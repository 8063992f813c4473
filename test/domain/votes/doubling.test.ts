import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DAY_MS } from '../../../src/domain/clock.ts';
import { DOUBLING_RULES, isDoubledAt } from '../../../src/domain/votes/vote.ts';
import { anyInstant } from '../arbitraries.ts';

describe('doubling on weekends', () => {
  const scenarios: [castAt: string, isDoubled: boolean][] = [
    ['2026-03-20T23:59:59.999Z', false], // the last millisecond of a Friday
    ['2026-03-21T00:00:00.000Z', true], // the first of the Saturday
    ['2026-03-22T12:00:00.000Z', true],
    ['2026-03-22T23:59:59.999Z', true], // the last of the Sunday
    ['2026-03-23T00:00:00.000Z', false],
    ['1969-12-28T00:00:00.000Z', true], // a Sunday before the epoch
  ];
  for (const [castAt, isDoubled] of scenarios) {
    it(`${isDoubled ? 'counts' : 'does not count'} a vote of ${castAt}`, () => {
      assert.equal(isDoubledAt('weekends', Date.parse(castAt)), isDoubled);
    });
  }

  it('counts exactly two days of any seven', () => {
    fc.assert(
      fc.property(anyInstant, (instant) => {
        const week = Array.from({ length: 7 }, (_, day) => isDoubledAt('weekends', instant - day * DAY_MS));
        assert.equal(week.filter(Boolean).length, 2);
      }),
    );
  });
});

it('the rule "never" doubles no vote and the rule "always" every vote', () => {
  fc.assert(
    fc.property(anyInstant, (instant) => !isDoubledAt('never', instant) && isDoubledAt('always', instant)),
  );
  assert.deepEqual([...DOUBLING_RULES], ['never', 'weekends', 'always']);
});
