import {
  deriveSecrets,
  linkSecretContext,
  seal,
  secretFingerprints,
  unseal,
  webhookSecretContext,
} from '../domain/secrets.ts';

/** The contents of a verified copy of the database. */
export type CheckedCopy = { schemaVersion: number; guilds: number; votes: number };

export type BackupRequest = {
  file: string;
  /** Runs once the copy is verified and before the file appears, while the secret cannot be rotated. */
  beforePublish: () => Promise<void>;
};

export type RestoreRequest = {
  file: string;
  /** Where the current database is moved to, if there is one. */
  previousPath: string;
  /** Run while no program has the database open, just before and just after the file is put in place. */
  before: () => Promise<void>;
  after: () => Promise<void>;
};

/** `kept`: the new location of the previous database. */
export type Restored = CheckedCopy & { kept: string | null };

/** A backup or restore that is not possible. The message is one line; nothing was changed. */
export class BackupError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'BackupError';
  }
}

/**
 * Re-encrypts sealed values from one master secret to the next, with exclusive access to the database:
 *
 *   await withSealedTexts(config.database, (sealed) => sealed.reseal(createResealer(oldSecret, newSecret)));
 */

export type ResealCounts = {
  apiKeys: number;
  webhookSecrets: number;
  linkSecrets: number;
  /** Encrypted with a secret that is no longer known; left unchanged. */
  unreadable: number;
};

export type Resealer = {
  apiKey(guildId: string, sealed: string): string;
  webhookSecret(guildId: string, endpointId: string, sealed: string): string;
  linkSecret(guildId: string, sealed: string): string;
  /** Of the new master secret. */
  readonly fingerprint: string;
  /** Throws unless the database belongs to the old or the new master secret. */
  checkFingerprint(kept: string | undefined): void;
  counts(): ResealCounts;
};

/** All sealed values of a database that no other program uses. */
export interface SealedTexts {
  /** All or nothing. */
  reseal(resealer: Resealer): Promise<ResealCounts>;
}

/** The sealed columns of a webhook endpoint, as both databases return them. */
export type SealedEndpoint = {
  guild_id: string;
  endpoint_id: string;
  secret: string;
  previous_secret: string | null;
};

/** The columns of a guild's rules that contain sealed texts. */
export type SealedLinks = { guild_id: string; link_secret: string; previous_link_secret: string | null };

export type SealedKey = { guild_id: string; key_sealed: string };

/** Values that were encrypted with the new secret before are accepted, so an interrupted rotation can be repeated. */
export function createResealer(from: string, to: string): Resealer {
  const [fromKey, toKey] = [deriveSecrets(from).sealKey, deriveSecrets(to).sealKey];
  const counts: ResealCounts = { apiKeys: 0, webhookSecrets: 0, linkSecrets: 0, unreadable: 0 };
  const opening = Buffer.concat([fromKey, toKey]);

  function move(sealed: string, context: string, kind: 'apiKeys' | 'webhookSecrets' | 'linkSecrets'): string {
    const text = unseal(sealed, context, opening);
    counts[text === undefined ? 'unreadable' : kind] += 1;
    return text === undefined ? sealed : seal(text, context, toKey);
  }

  return {
    apiKey: (guildId, sealed) => move(sealed, guildId, 'apiKeys'),
    webhookSecret: (guildId, endpointId, sealed) =>
      move(sealed, webhookSecretContext(guildId, endpointId), 'webhookSecrets'),
    linkSecret: (guildId, sealed) => move(sealed, linkSecretContext(guildId), 'linkSecrets'),
    fingerprint: secretFingerprints(to)[0] ?? '',
    checkFingerprint: (kept) => {
      if (kept === undefined || secretFingerprints(`${from}\n${to}`).includes(kept)) return;
      throw new BackupError('the current master secret does not match this database');
    },
    counts: () => ({ ...counts }),
  };
}
