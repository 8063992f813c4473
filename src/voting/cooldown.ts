/**
 * How long users have to wait. A vote that was voided does not count, but the next one has to wait all the same, so the
 * stored cooldowns are read, and not the votes.
 */
import type { Instant } from '../domain/clock.ts';
import { COOLDOWN_MS, type CooldownState, cooldownAt } from '../domain/votes/vote.ts';
import type { Store } from '../store/store.ts';

/** `nextVoteAt` is null if the user can vote now. */
export type Wait = Pick<CooldownState, 'nextVoteAt' | 'remainingSeconds'>;

export async function readWait(
  store: Pick<Store, 'listing'>,
  guildId: string,
  userId: string,
  now: Instant,
): Promise<Wait> {
  return (await readWaits(store, [guildId], userId, now)).get(guildId) ?? cooldownAt(now, undefined);
}

/** Returns only the guilds that the user has to wait for. */
export async function readWaits(
  { listing }: Pick<Store, 'listing'>,
  guildIds: readonly string[],
  userId: string,
  now: Instant,
): Promise<Map<string, Wait>> {
  const lastVotes = await listing.lastVotes(userId, guildIds, now - COOLDOWN_MS);
  const waitAfter = (castAt: Instant): Wait => cooldownAt(now, { castAt, isDoubled: false });
  return new Map([...lastVotes].map(([guildId, castAt]) => [guildId, waitAfter(castAt)]));
}
