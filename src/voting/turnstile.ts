/**
 * Cloudflare Turnstile instead of proof of work, when the operator configures it.
 * https://developers.cloudflare.com/turnstile/get-started/server-side-validation/
 */
import type { TurnstileConfig } from '../config.ts';
import { type Clock, type Instant, MINUTE_MS, SECOND_MS } from '../domain/clock.ts';
import { isRecord } from '../domain/record.ts';
import type { Solver } from './proof-of-work.ts';

export const TURNSTILE_ORIGIN = 'https://challenges.cloudflare.com';
const TURNSTILE_API = `${TURNSTILE_ORIGIN}/turnstile/v0`;

/** A voter waits for the response, and proof of work is the alternative. */
const TIME_LIMIT_MS = 3 * SECOND_MS;
const PAUSE_MS = MINUTE_MS;

/** Passed to the widget, and returned by siteverify. */
export const TURNSTILE_ACTION = 'vote';

export type Turnstile = {
  readonly siteKey: string;
  /** Whether it can be used now: after a failure, proof of work is used for a minute. */
  isUp(): boolean;
  verify(token: string, solver: Solver, ip: string | null): Promise<'passed' | 'refused' | 'unreachable'>;
};

type TurnstileOptions = TurnstileConfig & { clock: Clock; timeLimitMs?: number };

export function turnstileVoter({ guildId, userId }: Solver): string {
  return `${guildId}-${userId}`;
}

export function openTurnstile(options: TurnstileOptions): Turnstile {
  const { siteKey, secret, api, clock, timeLimitMs = TIME_LIMIT_MS } = options;
  let downUntil: Instant = Number.NEGATIVE_INFINITY;

  async function ask(token: string, ip: string | null): Promise<unknown> {
    const response = await fetch(`${api ?? TURNSTILE_API}/siteverify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ secret, response: token, ...(ip !== null && { remoteip: ip }) }),
      signal: AbortSignal.timeout(timeLimitMs),
      redirect: 'error',
    });
    const body: unknown = await response.json();
    if (!isRecord(body) || typeof body.success !== 'boolean')
      throw new Error('siteverify returned an unexpected body');
    return body;
  }

  return {
    siteKey,
    isUp: () => clock() >= downUntil,
    async verify(token, solver, ip) {
      try {
        const answer = await ask(token, ip);
        return isPassed(answer, solver) ? 'passed' : 'refused';
      } catch {
        downUntil = clock() + PAUSE_MS;
        return 'unreachable';
      }
    },
  };
}

/** A token is only valid for the voter who solved it. Cloudflare's test keys return neither action nor data. */
function isPassed(answer: unknown, solver: Solver): boolean {
  if (!isRecord(answer) || answer.success !== true) return false;
  const { action = TURNSTILE_ACTION, cdata = turnstileVoter(solver) } = answer;
  return action === TURNSTILE_ACTION && cdata === turnstileVoter(solver);
}
