/**
 * Issues and reveals a guild's key. The command line and the dashboard both use this, so a key is always stored in
 * the same two forms.
 */
import { randomBytes } from 'node:crypto';
import { generateApiKey, hashApiKey, type RandomInt } from '../domain/api-key.ts';
import { DAY_MS, type Instant } from '../domain/clock.ts';
import { linkSecretContext, type Secrets, seal, unseal } from '../domain/secrets.ts';
import type { Store } from './store.ts';

/** Gives the guild a new key; the previous one stops working immediately. `undefined` if the guild does not exist. */
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

/** `other-secret`: the key still works, but it was encrypted with a different master secret. */
export type RevealedKey = { shown: true; key: string } | { shown: false; reason: 'no-key' | 'other-secret' };

export async function revealKey(store: Store, secrets: Secrets, guildId: string): Promise<RevealedKey> {
  const stored = await store.guilds.findKey(guildId);
  if (!stored) return { shown: false, reason: 'no-key' };
  const key = unseal(stored.sealed, guildId, secrets.sealKey);
  return key === undefined ? { shown: false, reason: 'other-secret' } : { shown: true, key };
}

const LINK_SECRET_BYTES = 32;

/** Links that were signed before a rotation stay valid for this long, unless the old secret is revoked. */
const LINK_SECRET_GRACE_MS = 7 * DAY_MS;

/** Gives the guild a new secret for vote links. */
export async function rotateLinkSecret(
  store: Store,
  secrets: Secrets,
  guildId: string,
  now: Instant,
): Promise<string> {
  const secret = `vls_${randomBytes(LINK_SECRET_BYTES).toString('base64url')}`;
  const previous = (await store.integrity.linkSecrets(guildId))?.current ?? null;
  await store.integrity.setLinkSecrets(guildId, {
    current: seal(secret, linkSecretContext(guildId), secrets.sealKey),
    previous,
    previousUntil: previous === null ? null : now + LINK_SECRET_GRACE_MS,
  });
  return secret;
}

/** From now on, only links signed with the current secret work. */
export async function revokePreviousLinkSecret({ integrity }: Store, guildId: string): Promise<void> {
  const stored = await integrity.linkSecrets(guildId);
  if (stored) await integrity.setLinkSecrets(guildId, { ...stored, previous: null, previousUntil: null });
}

/** The secrets that sign valid links, the current one first. Secrets that cannot be decrypted are left out. */
export async function revealLinkSecrets(
  { integrity }: Store,
  secrets: Secrets,
  guildId: string,
  now: Instant,
): Promise<string[]> {
  const stored = await integrity.linkSecrets(guildId);
  if (!stored) return [];
  const isPreviousValid = stored.previousUntil !== null && now < stored.previousUntil;
  return [stored.current, isPreviousValid ? stored.previous : null]
    .map((sealed) => (sealed === null ? undefined : openLinkSecret(sealed, guildId, secrets)))
    .filter((secret) => secret !== undefined);
}

/** `undefined` when it was encrypted with a different master secret. */
export function openLinkSecret(sealed: string, guildId: string, { sealKey }: Secrets): string | undefined {
  return unseal(sealed, linkSecretContext(guildId), sealKey);
}
