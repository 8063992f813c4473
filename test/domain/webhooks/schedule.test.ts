import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/domain/clock.ts';
import { nextTryAt, parseRetryAfter, STANDARD_RETRIES } from '../../../src/domain/webhooks/delivery.ts';

const NOW = Date.parse('2026-11-15T12:00:00.000Z');

describe('the retry schedule', () => {
  const pauses = [
    0,
    5 * SECOND_MS,
    5 * MINUTE_MS,
    30 * MINUTE_MS,
    2 * HOUR_MS,
    5 * HOUR_MS,
    10 * HOUR_MS,
    10 * HOUR_MS,
  ];

  test('is 0, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h, and then ends', () => {
    const found = pauses.map((_, tries) => nextTryAt(NOW, tries, undefined, () => 0.5));
    assert.deepEqual(
      found,
      pauses.map((pause) => NOW + pause),
    );
    assert.equal(STANDARD_RETRIES.delaysMs.length, 8);
    assert.equal(
      nextTryAt(NOW, 8, undefined, () => 0.5),
      undefined,
    );
    assert.equal(
      nextTryAt(NOW, 8, 5000, () => 0.5),
      undefined,
    );
  });

  test('varies by up to 10 % in either direction', () => {
    assert.equal(
      nextTryAt(NOW, 2, undefined, () => 0),
      NOW + 270 * SECOND_MS,
    );
    assert.equal(
      nextTryAt(NOW, 2, undefined, () => 1),
      NOW + 330 * SECOND_MS,
    );
  });

  test('waits as long as the receiver requests if that is longer, but at most a day', () => {
    assert.equal(
      nextTryAt(NOW, 1, 90 * SECOND_MS, () => 0.5),
      NOW + 90 * SECOND_MS,
    );
    assert.equal(
      nextTryAt(NOW, 2, 90 * SECOND_MS, () => 0.5),
      NOW + 5 * MINUTE_MS,
    );
    assert.equal(
      nextTryAt(NOW, 1, 365 * DAY_MS, () => 0.5),
      NOW + DAY_MS,
    );
  });
});

describe('Retry-After', () => {
  const headers: [string | undefined, number | undefined][] = [
    ['120', 120 * SECOND_MS],
    ['0', 0],
    [' 7 ', 7 * SECOND_MS],
    ['Sun, 15 Nov 2026 12:01:30 GMT', 90 * SECOND_MS],
    ['Sun, 15 Nov 2026 11:00:00 GMT', 0],
    ['Sunday, 15-Nov-26 12:00:05 GMT', 5 * SECOND_MS],
    ['-5', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['2026', 2026 * SECOND_MS],
    ['', undefined],
    [undefined, undefined],
  ];
  for (const [header, expected] of headers) {
    test(`${header} is ${expected} ms`, () => assert.equal(parseRetryAfter(header, NOW), expected));
  }
});
