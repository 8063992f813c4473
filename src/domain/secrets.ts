import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** One key for each purpose, all derived from the master secret: knowing one reveals nothing about another. */
export type Secrets = {
  sealKey: Buffer;
  cursorKey: Buffer;
  sessionKey: Buffer;
  networkKey: Buffer;
  challengeKey: Buffer;
};

/**
 * A master secret is one line. During a rotation it has a second line, which is only used to decrypt, so a crash
 * during a rotation leaves nothing unreadable.
 */
export function deriveSecrets(masterSecret: string): Secrets {
  const [current = '', ...others] = masterSecret.split('\n');
  const sealKeys = [current, ...others].map((secret) => deriveKey(secret, 'votary/seal-api-keys/v1'));
  return {
    sealKey: Buffer.concat(sealKeys),
    cursorKey: deriveKey(current, 'votary/cursor/v1'),
    sessionKey: deriveKey(current, 'votary/session/v1'),
    networkKey: deriveKey(current, 'votary/network/v1'),
    challengeKey: deriveKey(current, 'votary/challenge/v1'),
  };
}

const FINGERPRINT_BYTES = 8;

/** Identifies a master secret without revealing it; one fingerprint per line. */
export function secretFingerprints(masterSecret: string): string[] {
  return masterSecret
    .split('\n')
    .map((secret) => deriveKey(secret, 'votary/fingerprint/v1').toString('hex', 0, FINGERPRINT_BYTES));
}

function deriveKey(masterSecret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterSecret, '', purpose, 32));
}

const ALGORITHM = 'aes-256-gcm';
const KEY_LENGTH = 32;
const IV_LENGTH = 12;
const TAG_LENGTH = 16;

/** The context of a webhook secret: copied to another endpoint's row it cannot be decrypted. */
export function webhookSecretContext(guildId: string, endpointId: string): string {
  return `webhook ${guildId} ${endpointId}`;
}

/** The context of the secret for a guild's vote links. */
export function linkSecretContext(guildId: string): string {
  return `vote links ${guildId}`;
}

/**
 * Encrypts a text that must be shown again later (an API key, to its admins). `context` is what the text belongs to:
 * a sealed key copied to another guild's row cannot be decrypted there. A `sealKey` is one or more concatenated keys:
 * the first one encrypts, and each of them decrypts.
 */
export function seal(text: string, context: string, sealKey: Buffer): string {
  const iv = randomBytes(IV_LENGTH);
  const key = sealKey.subarray(0, KEY_LENGTH);
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** The plain text, or `undefined` if it was sealed with another secret or context, or was modified. */
export function unseal(sealed: string, context: string, sealKey: Buffer): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < IV_LENGTH + TAG_LENGTH) return undefined;
  for (let start = 0; start < sealKey.length; start += KEY_LENGTH) {
    const opened = openWith(sealKey.subarray(start, start + KEY_LENGTH), bytes, context);
    if (opened !== undefined) return opened;
  }
  return undefined;
}

function openWith(key: Buffer, bytes: Buffer, context: string): string | undefined {
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_LENGTH))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(IV_LENGTH, IV_LENGTH + TAG_LENGTH));
  try {
    const opened = decipher.update(bytes.subarray(IV_LENGTH + TAG_LENGTH));
    return Buffer.concat([opened, decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
