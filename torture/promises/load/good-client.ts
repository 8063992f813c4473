/** A well-behaved client, and how long it waits while others misbehave. */
import { setTimeout as pause } from 'node:timers/promises';
import { newClient } from '../../lib/client.ts';
import type { Findings } from '../../lib/promise.ts';
import { percentile } from '../../lib/random.ts';

export type GoodClient = {
  url: string;
  /** Used in turn, so that no rate limit interferes. */
  keys: readonly string[];
  forMs: number;
  /** The limit for the slowest 1 % of requests. */
  p99LimitMs: number;
  findings: Findings;
  onAnswer?: () => void;
};

const BETWEEN_MS = 10;

/** Sends vote checks one after the other, on kept and on new connections, and expects each response in time. */
export async function measureGoodClient(good: GoodClient): Promise<Record<string, Record<string, number>>> {
  const [kept, fresh] = await Promise.all([ask(good, true), ask(good, false)]);
  return {
    kept_alive: judge(kept, 'a kept connection', good),
    new_connection: judge(fresh, 'a new connection', good),
  };
}

/** Returns how long each took, including the handshake of a new connection. */
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
