/**
 * Opens a database that may not be reachable yet, for a service that starts before it does:
 *
 *   await openWhenReachable({ open, pause, clock, onWait: ({ message }) => logger.warn(message) });
 *
 * Every other failure needs the operator, and is thrown.
 */
import { type Clock, MINUTE_MS, SECOND_MS } from '../domain/clock.ts';
import { StoreOpenError } from './store.ts';

const FIRST_DELAY_MS = SECOND_MS / 2;
const MAX_DELAY_MS = 5 * SECOND_MS;
const REMIND_EVERY_MS = 5 * MINUTE_MS;

export type OpenAttempts = {
  open: () => Promise<void>;
  /** Rejects when the service stops. */
  pause: (delayMs: number) => Promise<unknown>;
  clock: Clock;
  /** Called when the wait begins, when its reason changes, and then rarely. */
  onWait: (reason: StoreOpenError) => void;
};

export async function openWhenReachable({ open, pause, clock, onWait }: OpenAttempts): Promise<void> {
  const report = createReport(clock, onWait);
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)) {
    const reason = await tryToOpen(open);
    if (!reason) return;
    report(reason);
    await pause(delayMs);
  }
}

/** Why the database cannot be reached at the moment; `undefined` when it is open. */
export async function tryToOpen(open: () => Promise<void>): Promise<StoreOpenError | undefined> {
  try {
    await open();
    return undefined;
  } catch (error) {
    if (error instanceof StoreOpenError && error.isUnreachable) return error;
    throw error;
  }
}

function createReport(clock: Clock, onWait: OpenAttempts['onWait']): OpenAttempts['onWait'] {
  let reported: string | undefined;
  let remindAt = Number.NEGATIVE_INFINITY;
  return (reason) => {
    if (reason.message === reported && clock() < remindAt) return;
    reported = reason.message;
    remindAt = clock() + REMIND_EVERY_MS;
    onWait(reason);
  };
}
