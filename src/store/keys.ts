/**
 * A guild's key, issued and shown. The command line and the dashboard both go through here, so that a key is
 * always kept in the same two forms.
 */
import { generateApiKey, hashApiKey, type RandomInt } from '../domain/api-key.ts';
import type { Instant } from '../domain/clock.ts';
import { type Secrets, seal, unseal } from '../domain/secrets.ts';
import type { Store } from './store.ts';

/** Gives the guild a new key; the one before stops at once. `undefined` when there is no such guild. */
export async function issueKey(
  store: Store,
  secrets: Secrets,
  guildId: string,
  now: Instant,
  random?: RandomInt,
): Promise<string | undefined> {
  const key = generateApiKey(random);
  const stored = { hash: hashApiKey(key), sealed: seal(key, guildId, secrets.sealKey), createdAt: now };
  return (await store.guilds.setKey(guildId, stored)) ? key : undefined;
}

/** `other-secret`: the key still works, but it was sealed under a master secret that is not the present one. */
export type RevealedKey = { shown: true; key: string } | { shown: false; reason: 'no-key' | 'other-secret' };

export async function revealKey(store: Store, secrets: Secrets, guildId: string): Promise<RevealedKey> {
  const stored = await store.guilds.findKey(guildId);
  if (!stored) return { shown: false, reason: 'no-key' };
  const key = unseal(stored.sealed, guildId, secrets.sealKey);
  return key === undefined ? { shown: false, reason: 'other-secret' } : { shown: true, key };
}
