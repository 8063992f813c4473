import type { ChildProcess } from 'node:child_process';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Resolves when the condition holds or the process has ended. Polls without a pause, because what it waits for takes
 * milliseconds.
 */
export async function pollUntil(child: ChildProcess, holds: () => boolean): Promise<void> {
  while (child.exitCode === null && child.signalCode === null && !holds()) await nextTurn();
}
