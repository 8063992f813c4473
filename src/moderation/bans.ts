import { formatInstantOrNull } from '../domain/clock.ts';
import type { Ban } from '../domain/votes/bans.ts';
import { type Moderator, moderate } from './moderator.ts';

export type BanOutcome = { kind: 'banned'; ban: Ban } | { kind: 'already_over' };

/** Bans a user from voting for every guild, immediately. Null for `until` means forever. */
export async function banVoter(
  moderator: Moderator,
  { userId, until, reason, publicReason }: Omit<Ban, 'since'>,
): Promise<BanOutcome> {
  const since = moderator.clock();
  if (until !== null && until <= since) return { kind: 'already_over' };
  const ban: Ban = { userId, since, until, reason, publicReason };
  const detail = {
    userId,
    until: formatInstantOrNull(until),
    reason,
    ...(publicReason === null ? {} : { publicReason }),
  };
  await moderate(moderator, { action: 'voter_banned', guildId: null, detail }, () =>
    moderator.store.moderation.ban(ban),
  );
  return { kind: 'banned', ban };
}

export type UnbanOutcome = { kind: 'lifted' } | { kind: 'not_banned' };

export async function unbanVoter(moderator: Moderator, userId: string): Promise<UnbanOutcome> {
  const { store, clock } = moderator;
  if (!(await store.moderation.findBan(userId, clock()))) return { kind: 'not_banned' };
  await moderate(moderator, { action: 'voter_unbanned', guildId: null, detail: { userId } }, () =>
    store.moderation.unban(userId, clock()),
  );
  return { kind: 'lifted' };
}
