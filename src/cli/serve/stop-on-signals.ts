import type { EventEmitter } from 'node:events';
import type { Clock } from '../../domain/clock.ts';

/**
 * Ctrl+C reaches the whole process group, and npm and the launcher forward it, so one press arrives several times.
 * Signals this soon after the first count as the same press.
 */
export const SAME_PRESS_MS = 500;

export type StopSignals = {
  signals: EventEmitter;
  clock: Clock;
  stop: () => Promise<void>;
  /** On a second press: exits immediately. */
  exitNow: () => void;
};

/** Resolves after SIGINT or SIGTERM, once the service has stopped. */
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
