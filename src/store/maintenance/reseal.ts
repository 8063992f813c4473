/** The change of the master secret: every text that was encrypted with the old one is encrypted again. */
import {
  deriveSecrets,
  linkSecretContext,
  responseContext,
  seal,
  secretFingerprints,
  unseal,
  webhookSecretContext,
} from '../../domain/secrets.ts';
import type { Statements } from '../database.ts';
import { createFingerprintStore } from '../fingerprint.ts';
import { BackupError } from './backup.ts';

export type ResealCounts = {
  apiKeys: number;
  webhookSecrets: number;
  linkSecrets: number;
  /** Of the management API. */
  storedResponses: number;
  /** Encrypted with a secret that is no longer known; left unchanged. */
  unreadable: number;
};

export type Resealer = {
  apiKey(guildId: string, sealed: string): string;
  webhookSecret(guildId: string, endpointId: string, sealed: string): string;
  linkSecret(guildId: string, sealed: string): string;
  storedResponse(tokenId: string, key: string, sealed: string): string;
  /** The fingerprint of the new master secret. */
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

/**
 * Re-encrypts sealed values from one master secret to the next:
 *
 *   await withSealedTexts(config.database, (sealed) => sealed.reseal(createResealer(oldSecret, newSecret)));
 *
 * Values that were encrypted with the new secret before are accepted, so an interrupted rotation can be repeated.
 */
export function createResealer(from: string, to: string): Resealer {
  const [fromKey, toKey] = [deriveSecrets(from).sealKey, deriveSecrets(to).sealKey];
  const counts: ResealCounts = {
    apiKeys: 0,
    webhookSecrets: 0,
    linkSecrets: 0,
    storedResponses: 0,
    unreadable: 0,
  };
  const opening = Buffer.concat([fromKey, toKey]);

  function move(sealed: string, context: string, kind: Exclude<keyof ResealCounts, 'unreadable'>): string {
    const text = unseal(sealed, context, opening);
    counts[text === undefined ? 'unreadable' : kind] += 1;
    return text === undefined ? sealed : seal(text, context, toKey);
  }

  return {
    apiKey: (guildId, sealed) => move(sealed, guildId, 'apiKeys'),
    webhookSecret: (guildId, endpointId, sealed) =>
      move(sealed, webhookSecretContext(guildId, endpointId), 'webhookSecrets'),
    linkSecret: (guildId, sealed) => move(sealed, linkSecretContext(guildId), 'linkSecrets'),
    storedResponse: (tokenId, key, sealed) => move(sealed, responseContext(tokenId, key), 'storedResponses'),
    fingerprint: secretFingerprints(to)[0] ?? '',
    checkFingerprint: (kept) => {
      if (kept === undefined || secretFingerprints(`${from}\n${to}`).includes(kept)) return;
      throw new BackupError('the current master secret does not match this database');
    },
    counts: () => ({ ...counts }),
  };
}

type SealedKey = { guild_id: string; key_sealed: string };

type SealedEndpoint = {
  guild_id: string;
  endpoint_id: string;
  secret: string;
  previous_secret: string | null;
};

type SealedResponse = { token_id: string; key: string; body: string };

type SealedLinks = { guild_id: string; link_secret: string; previous_link_secret: string | null };

/** For one transaction: it reads every guild, endpoint and stored response, and writes by their primary keys. */
export async function resealAll(statements: Statements, resealer: Resealer): Promise<ResealCounts> {
  const { read, write } = statements;
  const fingerprint = createFingerprintStore(statements);
  resealer.checkFingerprint(await fingerprint.find());

  const keys = read<SealedKey>('SELECT guild_id, key_sealed FROM guilds WHERE key_sealed IS NOT NULL');
  const setKey = write('UPDATE guilds SET key_sealed = @key WHERE guild_id = @guildId');
  for (const { guild_id: guildId, key_sealed } of await keys())
    await setKey({ guildId, key: resealer.apiKey(guildId, key_sealed) });

  const endpoints = read<SealedEndpoint>(
    'SELECT guild_id, endpoint_id, secret, previous_secret FROM webhook_endpoints',
  );
  const setSecrets = write(
    `UPDATE webhook_endpoints SET secret = @current, previous_secret = @previous
     WHERE guild_id = @guildId AND endpoint_id = @endpointId`,
  );
  for (const { guild_id: guildId, endpoint_id: endpointId, secret, previous_secret } of await endpoints()) {
    const move = (sealed: string) => resealer.webhookSecret(guildId, endpointId, sealed);
    await setSecrets({ guildId, endpointId, ...moveBoth(move, secret, previous_secret) });
  }

  const links = read<SealedLinks>(
    'SELECT guild_id, link_secret, previous_link_secret FROM guild_rules WHERE link_secret IS NOT NULL',
  );
  const setLinks = write(
    `UPDATE guild_rules SET link_secret = @current, previous_link_secret = @previous
     WHERE guild_id = @guildId`,
  );
  for (const { guild_id: guildId, link_secret, previous_link_secret } of await links()) {
    const move = (sealed: string) => resealer.linkSecret(guildId, sealed);
    await setLinks({ guildId, ...moveBoth(move, link_secret, previous_link_secret) });
  }

  const responses = read<SealedResponse>(
    'SELECT token_id, key, body FROM stored_responses WHERE body IS NOT NULL',
  );
  const setBody = write('UPDATE stored_responses SET body = @body WHERE token_id = @tokenId AND key = @key');
  for (const { token_id: tokenId, key, body } of await responses())
    await setBody({ tokenId, key, body: resealer.storedResponse(tokenId, key, body) });

  await fingerprint.replace(resealer.fingerprint);
  return resealer.counts();
}

function moveBoth(move: (sealed: string) => string, current: string, previous: string | null) {
  return { current: move(current), previous: previous === null ? null : move(previous) };
}
