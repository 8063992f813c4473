import type { ChildProcess } from 'node:child_process';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Resolves when it holds or the process has ended. Asks without a pause: what it waits for lasts milliseconds. */
export async function pollUntil(child: ChildProcess, holds: () => boolean): Promise<void> {
  while (child.exitCode === null && child.signalCode === null && !holds()) await nextTurn();
}
