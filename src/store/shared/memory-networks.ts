import { type Instant, MINUTE_MS } from '../../domain/clock.ts';
import { NETWORK_WINDOW_MS, type NetworkStanding } from '../../domain/votes/network.ts';

const SWEEP_EVERY_MS = MINUTE_MS;

/**
 * The accounts that voted from each network within the last hour, in this process only, which is enough for SQLite.
 */
export class MemoryNetworks {
  readonly #networks = new Map<string, Map<string, Instant>>();
  #sweepAt: Instant = Number.NEGATIVE_INFINITY;

  standing(network: string, userId: string, now: Instant): NetworkStanding {
    const accounts = [...(this.#networks.get(network) ?? [])];
    const fresh = accounts.filter(([account, at]) => account !== userId && at > now - NETWORK_WINDOW_MS);
    return { otherVotes: fresh.map(([, at]) => at).toSorted((one, other) => one - other) };
  }

  add(network: string, userId: string, now: Instant): void {
    if (now >= this.#sweepAt) this.#sweep(now);
    const accounts = this.#networks.get(network) ?? new Map<string, Instant>();
    this.#networks.set(network, accounts.set(userId, now));
  }

  #sweep(now: Instant): void {
    this.#sweepAt = now + SWEEP_EVERY_MS;
    for (const [network, accounts] of this.#networks) {
      for (const [account, at] of accounts) if (at <= now - NETWORK_WINDOW_MS) accounts.delete(account);
      if (accounts.size === 0) this.#networks.delete(network);
    }
  }
}
