/** The secrets that sign vote links: rotating, revoking and reading them. */
import { randomBytes } from 'node:crypto';
import { DAY_MS, type Instant } from '../../domain/clock.ts';
import { linkSecretContext, type Secrets, seal, unseal } from '../../domain/secrets.ts';
import type { IntegrityStore } from './integrity.ts';

const LINK_SECRET_BYTES = 32;

/** Links that were signed before a rotation stay valid for this long, unless the old secret is revoked. */
const LINK_SECRET_GRACE_MS = 7 * DAY_MS;

/** Gives the guild a new secret for vote links. */
export async function rotateLinkSecret(
  { integrity }: { integrity: IntegrityStore },
  secrets: Secrets,
  guildId: string,
  now: Instant,
): Promise<string> {
  const secret = `vls_${randomBytes(LINK_SECRET_BYTES).toString('base64url')}`;
  const previous = (await integrity.linkSecrets(guildId))?.current ?? null;
  await integrity.setLinkSecrets(guildId, {
    current: seal(secret, linkSecretContext(guildId), secrets.sealKey),
    previous,
    previousUntil: previous === null ? null : now + LINK_SECRET_GRACE_MS,
  });
  return secret;
}

/** From now on, only links signed with the current secret work. */
export async function revokePreviousLinkSecret(
  { integrity }: { integrity: IntegrityStore },
  guildId: string,
): Promise<void> {
  const stored = await integrity.linkSecrets(guildId);
  if (stored) await integrity.setLinkSecrets(guildId, { ...stored, previous: null, previousUntil: null });
}

/** The secrets that sign valid links, the current one first. Secrets that cannot be decrypted are left out. */
export async function revealLinkSecrets(
  { integrity }: { integrity: IntegrityStore },
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
