import type { EventEmitter } from 'node:events';
import type { Clock } from '../domain/clock.ts';

/**
 * Ctrl+C reaches the whole group of processes, and npm and the launcher each hand theirs on: one press arrives
 * several times. What comes this soon after the first is the same wish.
 */
export const SAME_PRESS_MS = 500;

export type StopSignals = {
  signals: EventEmitter;
  clock: Clock;
  stop: () => Promise<void>;
  /** For the person who presses again: ends now, whatever is under way. */
  exitNow: () => void;
};

/** Resolves when SIGINT or SIGTERM came and the stop they asked for is done. */
export function stopOnSignals({ signals, clock, stop, exitNow }: StopSignals): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let firstAt: number | undefined;
  const onSignal = () => {
    if (firstAt === undefined) {
      firstAt = clock();
      stop().then(resolve, reject);
    } else if (clock() - firstAt >= SAME_PRESS_MS) {
      exitNow();
    }
  };
  signals.on('SIGINT', onSignal);
  signals.on('SIGTERM', onSignal);
  return promise;
}
