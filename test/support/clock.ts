import type { Clock, Instant } from '../../src/domain/clock.ts';

/** A clock that only the test advances. */
export type TestClock = Clock & { set(to: string | Instant): void; advance(milliseconds: number): void };

export function testClock(start: string): TestClock {
  let now = Date.parse(start);
  return Object.assign(() => now, {
    set(to: string | Instant) {
      now = typeof to === 'string' ? Date.parse(to) : to;
    },
    advance(milliseconds: number) {
      now += milliseconds;
    },
  });
}
