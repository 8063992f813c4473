import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { SAME_PRESS_MS, stopOnSignals } from '../../../src/cli/serve/output.ts';
import { testClock } from '../../support/clock.ts';

function waiting() {
  const signals = new EventEmitter();
  const clock = testClock('2026-11-15T12:00:00Z');
  const stopped = Promise.withResolvers<void>();
  const counts = { stops: 0, exits: 0 };
  const stop = () => {
    counts.stops += 1;
    return stopped.promise;
  };
  const exitNow = () => {
    counts.exits += 1;
  };
  return { signals, clock, counts, stopped, done: stopOnSignals({ signals, clock, stop, exitNow }) };
}

describe('signals to a running service', () => {
  it('stop it gracefully, and a second press ends it immediately', () => {
    const { signals, clock, counts } = waiting();
    signals.emit('SIGINT');
    clock.advance(SAME_PRESS_MS);
    signals.emit('SIGTERM');
    assert.deepEqual(counts, { stops: 1, exits: 1 });
  });

  it('that arrive together count as one press', () => {
    const { signals, clock, counts } = waiting();
    signals.emit('SIGINT');
    clock.advance(SAME_PRESS_MS - 1);
    signals.emit('SIGINT');
    assert.deepEqual(counts, { stops: 1, exits: 0 });
  });

  it('end the command when the service has stopped, and fail it if stopping fails', async () => {
    const good = waiting();
    good.signals.emit('SIGTERM');
    good.stopped.resolve();
    await good.done;

    const bad = waiting();
    bad.signals.emit('SIGTERM');
    bad.stopped.reject(new Error('the database is gone'));
    await assert.rejects(bad.done, /the database is gone/);
  });
});
