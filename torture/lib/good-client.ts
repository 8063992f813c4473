/** A client that behaves well, and how long it has to wait while others do not. */
import { setTimeout as pause } from 'node:timers/promises';
import { newClient } from './client.ts';
import type { Findings } from './promise.ts';
import { percentile } from './random.ts';

export type GoodClient = {
  url: string;
  /** Used in turn, so that no rate limit is in the way. */
  keys: readonly string[];
  forMs: number;
  /** What the slowest hundredth of requests may take. */
  p99LimitMs: number;
  findings: Findings;
  onAnswer?: () => void;
};

const BETWEEN_MS = 10;

/** Sends vote checks, one after the other, on kept connections and on new ones; expects each in good time. */
export async function measureGoodClient(good: GoodClient): Promise<Record<string, Record<string, number>>> {
  const [kept, fresh] = await Promise.all([ask(good, true), ask(good, false)]);
  return {
    kept_alive: judge(kept, 'a kept connection', good),
    new_connection: judge(fresh, 'a new connection', good),
  };
}

/** Gives how long each took, a new connection's handshake with it. */
async function ask(
  { url, keys, forMs, findings, onAnswer }: GoodClient,
  keepAlive: boolean,
): Promise<number[]> {
  const client = newClient(url, { keepAlive, maxSockets: 4 });
  const times: number[] = [];
  for (const start = performance.now(); performance.now() - start < forMs; await pause(BETWEEN_MS)) {
    const before = performance.now();
    const { status } = await client.call('/v7/vote-check?discord_id=200000000000000001', {
      headers: { 'x-api-token': keys[times.length % keys.length] ?? '' },
    });
    times.push(performance.now() - before);
    findings.expect(status === 200, `a good request got ${status}`);
    onAnswer?.();
  }
  client.close();
  return times;
}

function judge(times: number[], on: string, { p99LimitMs, findings }: GoodClient): Record<string, number> {
  const p99 = Math.round(percentile(times, 0.99));
  findings.expect(p99 < p99LimitMs, `p99 of good requests on ${on} was ${p99} ms`);
  return { requests: times.length, p50_ms: Math.round(percentile(times, 0.5)), p99_ms: p99 };
}
