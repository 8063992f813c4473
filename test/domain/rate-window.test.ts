import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { MINUTE_MS } from '../../src/domain/clock.ts';
import { DEFAULT_RATE_LIMIT, nextWindow, type RateWindow, rateStatusOf } from '../../src/store/rates.ts';

const START = Date.parse('2026-03-20T10:00:00.000Z');

/** The window after requests at these instants, and the result of the last one. */
function afterRequests(instants: number[]) {
  let window: RateWindow | undefined;
  for (const now of instants) window = nextWindow(window, now, DEFAULT_RATE_LIMIT.windowMs);
  assert.ok(window);
  return { window, status: rateStatusOf(window, DEFAULT_RATE_LIMIT, instants.at(-1) ?? START) };
}

const times = (count: number, instant: number) => Array<number>(count).fill(instant);

describe('the rate limit', () => {
  it('is 30 requests in 60 seconds', () =>
    assert.deepEqual(DEFAULT_RATE_LIMIT, { requests: 30, windowMs: 60_000 }));

  const scenarios: [name: string, instants: number[], expected: ReturnType<typeof rateStatusOf>][] = [
    ['leaves 29 after the first request', [START], { isExceeded: false, remaining: 29, resetSeconds: 60 }],
    [
      'lets the 30th request through',
      times(30, START),
      { isExceeded: false, remaining: 0, resetSeconds: 60 },
    ],
    ['stops the 31st', times(31, START), { isExceeded: true, remaining: 0, resetSeconds: 60 }],
    ['never leaves less than 0', times(99, START), { isExceeded: true, remaining: 0, resetSeconds: 60 }],
    [
      'tells whole seconds, rounded up',
      [START, START + 100],
      { isExceeded: false, remaining: 28, resetSeconds: 60 },
    ],
    [
      'tells at least one second',
      [START, START + MINUTE_MS - 1],
      { isExceeded: false, remaining: 28, resetSeconds: 1 },
    ],
    [
      'starts anew when a minute has passed since the first request',
      [...times(31, START), START + MINUTE_MS],
      { isExceeded: false, remaining: 29, resetSeconds: 60 },
    ],
    [
      'is not put off by requests that come while it is exceeded',
      [...times(31, START), ...times(40, START + MINUTE_MS - 1), START + MINUTE_MS],
      { isExceeded: false, remaining: 29, resetSeconds: 60 },
    ],
  ];
  for (const [name, instants, expected] of scenarios) {
    it(name, () => assert.deepEqual(afterRequests(instants).status, expected));
  }

  it('allows at most 30 requests in any window, and admits a caller who waits for the reset', () => {
    const gaps = fc.array(fc.nat({ max: 5000 }), { minLength: 1, maxLength: 120 });
    fc.assert(
      fc.property(gaps, (gapsMs) => {
        let now = START;
        const instants = gapsMs.map((gap) => (now += gap));
        const { window, status } = afterRequests(instants);
        const inWindow = instants.filter((at) => at >= window.resetsAt - MINUTE_MS);
        assert.equal(window.hits, inWindow.length);
        assert.equal(status.isExceeded, inWindow.length > 30);
        assert.ok(status.resetSeconds >= 1 && status.resetSeconds <= 60);
        assert.equal(nextWindow(window, now + status.resetSeconds * 1000, MINUTE_MS).hits, 1);
      }),
    );
  });
});
