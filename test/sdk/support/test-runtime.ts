import { once } from 'node:events';
import type { Runtime } from '../../../sdk/src/requests/runtime.ts';

/** A clock that only the test advances. */
export type TestRuntime = Runtime & {
  advance(milliseconds: number): void;
  /** Waits for a sleep of exactly this length, then advances the time by it. */
  passAfterSleep(milliseconds: number): Promise<void>;
  /** The lengths of all pending sleeps. */
  sleeping(): number[];
};

type Sleeper = { milliseconds: number; due: number; wake: () => void };

export const START = Date.parse('2026-11-15T12:00:00.000Z');

export function testRuntime(): TestRuntime {
  let now = START;
  const sleepers = new Set<Sleeper>();
  const events = new EventTarget();
  const advance = (milliseconds: number) => {
    now += milliseconds;
    for (const sleeper of sleepers) if (sleeper.due <= now) sleeper.wake();
  };
  return {
    now: () => now,
    sleep: (milliseconds, signal) => {
      if (signal.aborted) return Promise.reject(signal.reason);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const sleeper = { milliseconds, due: now + milliseconds, wake: () => resolve() };
      sleepers.add(sleeper);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      events.dispatchEvent(new Event('sleep'));
      return promise.finally(() => sleepers.delete(sleeper));
    },
    advance,
    passAfterSleep: async (milliseconds) => {
      while (![...sleepers].some((sleeper) => sleeper.milliseconds === milliseconds))
        await once(events, 'sleep');
      advance(milliseconds);
    },
    sleeping: () => [...sleepers].map(({ milliseconds }) => milliseconds),
  };
}
