/** What is left of the key's budget: so many requests, until it is full again in so many seconds. */
export type RateLimit = { remaining: number; resetSeconds: number };

/** Reads `RateLimit: "default";r=12;t=41`. Null when the service, or a proxy in between, does not send it. */
export function readRateLimit(headers: Headers): RateLimit | null {
  const text = headers.get('ratelimit') ?? '';
  const remaining = /;\s*r=(\d+)/.exec(text)?.[1];
  const resetSeconds = /;\s*t=(\d+)/.exec(text)?.[1];
  if (remaining === undefined || resetSeconds === undefined) return null;
  return { remaining: Number(remaining), resetSeconds: Number(resetSeconds) };
}
