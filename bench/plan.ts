/** How long each kind of run measures. */

export type Mode = 'full' | 'quick' | 'smoke';

export type Plan = {
  rounds: number;
  /** The length of one round of one server. */
  seconds: number;
  /** The least number of requests, and the longest time for each server: see measures/warm-up.ts. */
  warmUp: { requests: number; seconds: number };
  connections: number;
};

/** Many short rounds are better than few long ones: other activity on the machine then affects both sides alike. */
export const PLANS: Record<Mode, Plan> = {
  full: { rounds: 15, seconds: 1, warmUp: { requests: 120_000, seconds: 60 }, connections: 32 },
  quick: { rounds: 6, seconds: 0.2, warmUp: { requests: 60_000, seconds: 30 }, connections: 32 },
  smoke: { rounds: 1, seconds: 0.1, warmUp: { requests: 60, seconds: 1 }, connections: 4 },
};
