/** What operators do with the API key of a guild. Its admins see it in their dashboard, too. */
import type { Secrets } from '../domain/secrets.ts';
import type { ActivityAction } from '../store/activities.ts';
import { issueKey, revealKey } from '../store/guilds/guilds.ts';
import type { OperatorAction } from '../store/moderation/audit.ts';
import { type Moderator, moderate } from './moderator.ts';

async function moderateKey<Result>(
  moderator: Moderator,
  action: ActivityAction & OperatorAction,
  guildId: string,
  effect: () => Promise<Result>,
): Promise<Result> {
  const { store, clock } = moderator;
  await store.activities.record({ guildId, at: clock(), actor: null, action });
  return moderate(moderator, { action, guildId }, effect);
}

type UnknownGuild = { kind: 'unknown_guild' };

/** The previous key stops working immediately. */
export async function generateKey(
  moderator: Moderator,
  secrets: Secrets,
  guildId: string,
): Promise<{ kind: 'generated'; key: string } | UnknownGuild> {
  const { store, clock } = moderator;
  if (!(await store.guilds.find(guildId))) return { kind: 'unknown_guild' };
  const key = await moderateKey(moderator, 'key_generated', guildId, () =>
    issueKey(store, secrets, guildId, clock()),
  );
  return key === undefined ? { kind: 'unknown_guild' } : { kind: 'generated', key };
}

/** `other_secret`: the key still works, but it was encrypted with a different master secret. */
export type ShowOutcome = { kind: 'shown'; key: string } | { kind: 'no_key' } | { kind: 'other_secret' };

export async function showKey(moderator: Moderator, secrets: Secrets, guildId: string): Promise<ShowOutcome> {
  const revealed = await revealKey(moderator.store, secrets, guildId);
  if (!revealed.shown) return { kind: revealed.reason === 'no-key' ? 'no_key' : 'other_secret' };
  const { key } = revealed;
  return moderateKey(moderator, 'key_shown', guildId, async () => ({ kind: 'shown', key }));
}

export async function revokeKey(
  moderator: Moderator,
  guildId: string,
): Promise<{ kind: 'revoked' } | UnknownGuild> {
  const { guilds } = moderator.store;
  if (!(await guilds.find(guildId))) return { kind: 'unknown_guild' };
  const isKnown = await moderateKey(moderator, 'key_revoked', guildId, () => guilds.setKey(guildId, null));
  return { kind: isKnown ? 'revoked' : 'unknown_guild' };
}
