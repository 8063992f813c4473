/** The requests that the key has left, and the seconds until its limit resets. */
export type RateLimit = { remaining: number; resetSeconds: number };

/** Parses `RateLimit: "default";r=12;t=41`. Null if the service or a proxy does not send it. */
export function readRateLimit(headers: Headers): RateLimit | null {
  const text = headers.get('ratelimit') ?? '';
  const remaining = /;\s*r=(\d+)/.exec(text)?.[1];
  const resetSeconds = /;\s*t=(\d+)/.exec(text)?.[1];
  if (remaining === undefined || resetSeconds === undefined) return null;
  return { remaining: Number(remaining), resetSeconds: Number(resetSeconds) };
}
