/**
 * Erases a user, for the command line and the management API. The log of operators says that a user was erased, but
 * not who.
 *
 *   const outcome = await eraseUser(moderator, userId);
 *   if (outcome.kind === 'unknown_user') …
 */
import { type Moderator, moderate } from '../moderation/moderator.ts';
import type { Erased, ErasureOptions } from '../store/personal-data/erasure.ts';
import type { Store } from '../store/store.ts';

export type UserModerator = Pick<Moderator, 'clock' | 'actor'> & {
  store: Pick<Store, 'audit' | 'personalData'>;
};

/** `votes` of the user remain as anonymous votes, in `guilds` guilds. */
export type EraseOutcome = ({ kind: 'erased' } & Erased) | { kind: 'unknown_user' };

export async function eraseUser(
  moderator: UserModerator,
  userId: string,
  options?: ErasureOptions,
): Promise<EraseOutcome> {
  const { store, clock } = moderator;
  if (!(await store.personalData.isKnown(userId))) return { kind: 'unknown_user' };
  const erased = await moderate(moderator, { action: 'user_erased', guildId: null }, () =>
    store.personalData.erase(userId, clock(), options),
  );
  return { kind: 'erased', ...erased };
}
