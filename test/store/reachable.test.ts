import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openWhenReachable } from '../../src/store/reachable.ts';
import { StoreOpenError } from '../../src/store/store.ts';
import { testClock } from '../support/clock.ts';

const unreachable = (message: string) => new StoreOpenError(message, undefined, true);

/** `outcomes`: what each attempt throws; after them the database opens. */
async function openAfter(outcomes: readonly Error[]) {
  const clock = testClock('2026-11-15T12:00:00Z');
  const left = [...outcomes];
  const delays: number[] = [];
  const lines: string[] = [];
  let attempts = 0;
  const opening = openWhenReachable({
    open: async () => {
      attempts += 1;
      const failure = left.shift();
      if (failure) throw failure;
    },
    pause: async (delayMs) => {
      delays.push(delayMs);
      clock.advance(delayMs);
    },
    clock,
    onWait: ({ message }) => lines.push(message),
  });
  const failure = await opening.then(
    () => undefined,
    (error: unknown) => error,
  );
  return { failure, attempts, delays, lines };
}

test('a database that is reachable is opened without a pause', async () => {
  assert.deepEqual(await openAfter([]), { failure: undefined, attempts: 1, delays: [], lines: [] });
});

test('an unreachable database is tried again with growing pauses, until it opens', async () => {
  const { attempts, delays, lines } = await openAfter(
    Array.from({ length: 6 }, () => unreachable('refused')),
  );
  assert.deepEqual(delays, [500, 1000, 2000, 4000, 5000, 5000]);
  assert.deepEqual([attempts, lines], [7, ['refused']]);
});

test('the reason is reported when it changes, and otherwise every five minutes', async () => {
  const { lines } = await openAfter([
    unreachable('refused'),
    unreachable('starting up'),
    ...Array.from({ length: 11 * 12 }, () => unreachable('refused')),
  ]);
  // The pauses after the third report are five seconds each: eleven minutes have two more reports.
  assert.deepEqual(lines, ['refused', 'starting up', 'refused', 'refused', 'refused']);
});

test('any other failure ends the wait', async () => {
  const wrong = new StoreOpenError('wrong password');
  const { failure, attempts } = await openAfter([unreachable('refused'), wrong]);
  assert.deepEqual([failure, attempts], [wrong, 2]);
});
