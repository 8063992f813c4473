import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HOUR_MS, SECOND_MS } from '../../../src/domain/clock.ts';
import { CLOCK_SKEW_MS, cooldownAt, recentWindow } from '../../../src/domain/votes/vote.ts';
import { anyInstant } from '../arbitraries.ts';

const CAST_AT = Date.parse('2026-03-20T10:00:00.000Z');
const OVER = { hasVoted: false, isDoubled: false, lastVoteAt: null, nextVoteAt: null, remainingSeconds: 0 };

describe('the cooldown', () => {
  it('does not exist for a user who never voted', () =>
    assert.deepEqual(cooldownAt(CAST_AT, undefined), OVER));

  const scenarios: [name: string, elapsedMs: number, remainingSeconds: number][] = [
    ['is a whole hour at the moment of the vote', 0, 3600],
    ['is still a whole hour a millisecond later, because seconds are rounded up', 1, 3600],
    ['is 3599 seconds after one second', SECOND_MS, 3599],
    ['is 1 second in its last second', HOUR_MS - SECOND_MS, 1],
    ['is 1 second in its last millisecond', HOUR_MS - 1, 1],
    ['is never more than an hour, even for a vote stamped a little ahead of our clock', -CLOCK_SKEW_MS, 3600],
  ];
  for (const [name, elapsedMs, remainingSeconds] of scenarios) {
    it(name, () => {
      assert.deepEqual(cooldownAt(CAST_AT + elapsedMs, { castAt: CAST_AT, isDoubled: true }), {
        hasVoted: true,
        isDoubled: true,
        lastVoteAt: CAST_AT,
        nextVoteAt: CAST_AT + HOUR_MS,
        remainingSeconds,
      });
    });
  }

  it('ends at exactly one hour, and then contains nothing about the vote', () => {
    assert.deepEqual(cooldownAt(CAST_AT + HOUR_MS, { castAt: CAST_AT, isDoubled: true }), OVER);
  });

  it('has 1 to 3600 whole seconds left exactly while the user counts as having voted', () => {
    const elapsed = fc.integer({ min: -CLOCK_SKEW_MS, max: 2 * HOUR_MS });
    fc.assert(
      fc.property(anyInstant, elapsed, fc.boolean(), (castAt, elapsedMs, isDoubled) => {
        const state = cooldownAt(castAt + elapsedMs, { castAt, isDoubled });
        assert.equal(state.hasVoted, elapsedMs < HOUR_MS);
        assert.ok(Number.isInteger(state.remainingSeconds) && state.remainingSeconds <= 3600);
        assert.equal(state.remainingSeconds >= 1, state.hasVoted);
        assert.equal(state.isDoubled, state.hasVoted && isDoubled);
      }),
    );
  });

  it('starts with every vote inside the recent window, and with none before it', () => {
    const { after, until } = recentWindow(CAST_AT);
    assert.equal(cooldownAt(CAST_AT, { castAt: after, isDoubled: false }).hasVoted, false);
    assert.equal(cooldownAt(CAST_AT, { castAt: after + 1, isDoubled: false }).hasVoted, true);
    assert.equal(until, CAST_AT + CLOCK_SKEW_MS);
  });
});
