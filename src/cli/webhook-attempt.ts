import { formatInstant } from '../domain/clock.ts';
import type { AttemptResult } from '../store/webhook-store.ts';

const SHOWN_ANSWER = 80;

/** A try for a program. */
export function describeAttempt(attempt: AttemptResult): Record<string, unknown> {
  const { at, status, durationMs, answer, error } = attempt;
  return { at: formatInstant(at), status, duration_ms: durationMs, answer, error };
}

/** A try for a person, on one line. */
export function attemptText({ status, durationMs, answer, error }: AttemptResult): string {
  const answered = status === null ? 'no answer' : `status ${status}`;
  const details = [error, answer && `answered ${quote(answer)}`].filter(Boolean).map((text) => `; ${text}`);
  return `${answered} after ${durationMs} ms${details.join('')}`;
}

/** A stranger's words: nothing in them may steer the terminal. */
function quote(answer: string): string {
  const start = Array.from(answer).slice(0, SHOWN_ANSWER).join('');
  return JSON.stringify(start).replace(/\p{C}/gu, '\ufffd') + (start === answer ? '' : '…');
}
