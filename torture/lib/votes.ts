import { HOUR_MS } from '../../src/domain/clock.ts';
import type { Site } from './site.ts';
import { GUILD } from './site.ts';

/** When each user voted, oldest first. */
export function readVotes(site: Site, guildId: string = GUILD): Promise<Map<string, number[]>> {
  return site.withStore(async (store) => {
    const votes = new Map<string, number[]>();
    const everything = { from: 0, to: Date.now() + HOUR_MS };
    for await (const { userId, castAt } of store.votes.export(guildId, everything)) {
      const times = votes.get(userId) ?? [];
      votes.set(userId, [...times, castAt]);
    }
    return votes;
  });
}

/** Users with two votes within an hour. */
export function doubledUsers(votes: ReadonlyMap<string, number[]>): string[] {
  return [...votes]
    .filter(([, times]) => times.some((at, i) => i > 0 && at - (times[i - 1] ?? 0) < HOUR_MS))
    .map(([userId]) => userId);
}
