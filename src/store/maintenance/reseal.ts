/** The change of the master secret: every text that was encrypted with the old one is encrypted again. */
import {
  deriveSecrets,
  linkSecretContext,
  seal,
  secretFingerprints,
  unseal,
  webhookSecretContext,
} from '../../domain/secrets.ts';
import { BackupError } from './backup.ts';

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

/** `isShared`: other programs may use the database, because all of them know both master secrets. Default: false. */
export type SealedTextsOptions = { isShared?: boolean };

/** All sealed values of a database. */
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

/**
 * Re-encrypts sealed values from one master secret to the next:
 *
 *   await withSealedTexts(config.database, (sealed) => sealed.reseal(createResealer(oldSecret, newSecret)));
 *
 * Values that were encrypted with the new secret before are accepted, so an interrupted rotation can be repeated.
 */
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
