import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/**
 * One key for each purpose, all derived from the master secret: knowing one reveals nothing about another. Each is one
 * or more concatenated keys of `KEY_LENGTH` bytes, see `keysOf`: the first one encrypts and signs, and each of them
 * decrypts and verifies.
 */
export type Secrets = {
  sealKey: Buffer;
  cursorKey: Buffer;
  sessionKey: Buffer;
  /** A single key: networks are only compared, and nothing of them can be read again. */
  networkKey: Buffer;
  challengeKey: Buffer;
};

const KEY_LENGTH = 32;

/**
 * A master secret is one line. While it is being replaced it has a second line, which is only used to read, so neither
 * a crash during a rotation nor a process that still has the other secret leaves anything unreadable.
 */
export function deriveSecrets(masterSecret: string): Secrets {
  const lines = masterSecret.split('\n');
  const derive = (purpose: string) => Buffer.concat(lines.map((secret) => deriveKey(secret, purpose)));
  return {
    sealKey: derive('votary/seal-api-keys/v1'),
    cursorKey: derive('votary/cursor/v1'),
    sessionKey: derive('votary/session/v1'),
    networkKey: derive('votary/network/v1').subarray(0, KEY_LENGTH),
    challengeKey: derive('votary/challenge/v1'),
  };
}

/** The single keys of a key of `Secrets`, the current one first. */
export function keysOf(key: Buffer): [Buffer, ...Buffer[]] {
  const keys: [Buffer, ...Buffer[]] = [key.subarray(0, KEY_LENGTH)];
  for (let start = KEY_LENGTH; start < key.length; start += KEY_LENGTH) {
    keys.push(key.subarray(start, start + KEY_LENGTH));
  }
  return keys;
}

const FINGERPRINT_BYTES = 8;

/** Identifies a master secret without revealing it; one fingerprint per line. */
export function secretFingerprints(masterSecret: string): string[] {
  return masterSecret
    .split('\n')
    .map((secret) => deriveKey(secret, 'votary/fingerprint/v1').toString('hex', 0, FINGERPRINT_BYTES));
}

function deriveKey(masterSecret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterSecret, '', purpose, KEY_LENGTH));
}

const ALGORITHM = 'aes-256-gcm';
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

/** The context of a stored response of the management API. */
export function responseContext(tokenId: string, idempotencyKey: string): string {
  return `response ${tokenId} ${idempotencyKey}`;
}

/**
 * Encrypts a text that must be shown again later (an API key, to its admins). `context` is what the text belongs to:
 * a sealed key copied to another guild's row cannot be decrypted there.
 */
export function seal(text: string, context: string, sealKey: Buffer): string {
  const iv = randomBytes(IV_LENGTH);
  const [key] = keysOf(sealKey);
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** The plain text, or `undefined` if it was sealed with another secret or context, or was modified. */
export function unseal(sealed: string, context: string, sealKey: Buffer): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < IV_LENGTH + TAG_LENGTH) return undefined;
  for (const key of keysOf(sealKey)) {
    const opened = openWith(key, bytes, context);
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
