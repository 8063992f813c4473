/**
 * The top voters of a guild's month, shared by the API, the pages and the Discord app. Counting reads every voter of
 * the guild, so the result is kept for ten seconds, and requests that arrive in the meantime wait for the same one.
 *
 *   const leaderboards = createLeaderboards({ store, clock });
 *   const { voters, total } = await leaderboards.ofMonth(guildId, clock(), 10);
 */
import { type Clock, type Instant, SECOND_MS } from '../../domain/clock.ts';
import { ttlCache } from '../../domain/ttl-cache.ts';
import { wholeMonth } from '../../domain/votes/period.ts';
import type { Store } from '../store.ts';
import type { NamedVoter, Voter } from './votes.ts';

export type Leaderboards = {
  /** The top voters of the UTC month that contains an instant. `total`: all votes of that month, always current. */
  ofMonth(guildId: string, instant: Instant, limit: number): Promise<{ voters: Voter[]; total: number }>;
  /** The external ids with the most votes in that month. */
  namesOfMonth(guildId: string, instant: Instant, limit: number): Promise<NamedVoter[]>;
};

/** The most that any caller asks for. Shorter lists are the start of the same result. */
export const MAX_LEADERS = 100;
export const MAX_LEADING_NAMES = 1000;

const KEPT_MS = 10 * SECOND_MS;
/** About 10 kB each. */
const MAX_LISTS_KEPT = 1000;
/** About 100 kB each. */
const MAX_NAME_LISTS_KEPT = 100;

export function createLeaderboards({ store, clock }: { store: Store; clock: Clock }): Leaderboards {
  const limits = { clock, maxAgeMs: KEPT_MS, ageFrom: 'end' } as const;
  const voters = ttlCache<Voter[]>({ ...limits, maxEntries: MAX_LISTS_KEPT });
  const names = ttlCache<NamedVoter[]>({ ...limits, maxEntries: MAX_NAME_LISTS_KEPT });
  return {
    async ofMonth(guildId, instant, limit) {
      const month = wholeMonth(instant);
      const total = await store.votes.countInMonth(guildId, month.from);
      // The first vote of a month is shown immediately.
      if (total === 0) return { voters: [], total };
      // The total of a past month changes only when votes are voided, restored or imported, which is seen at once.
      const version = month.to <= clock() ? total : 'current';
      const top = await voters.get(`${guildId} ${month.from} ${version}`, () =>
        store.votes.topVoters(guildId, month, MAX_LEADERS),
      );
      return { voters: top.slice(0, limit), total };
    },
    async namesOfMonth(guildId, instant, limit) {
      const month = wholeMonth(instant);
      const top = await names.get(`${guildId} ${month.from}`, () =>
        store.votes.topNames(guildId, month, MAX_LEADING_NAMES),
      );
      return top.slice(0, limit);
    },
  };
}
