/** Texts that a master secret encrypts, written to and read from a database. */
import type { DatabaseUrl } from '../../src/config.ts';
import {
  deriveSecrets,
  responseContext,
  seal,
  unseal,
  webhookSecretContext,
} from '../../src/domain/secrets.ts';
import { revealLinkSecrets, rotateLinkSecret } from '../../src/store/moderation/link-secrets.ts';
import { openStore } from '../../src/store/open.ts';
import { GUILD } from './votary.ts';

const CONTEXT = webhookSecretContext(GUILD, 'ep_1');

/** Adds an endpoint whose secret was rotated once, so that it has two. */
export async function sealWebhook(database: DatabaseUrl, master: string): Promise<void> {
  const { sealKey } = deriveSecrets(master);
  const store = await openStore(database);
  const secrets = { current: seal('whsec_now', CONTEXT, sealKey), previous: null };
  const previous = { sealed: seal('whsec_before', CONTEXT, sealKey), validUntil: 1 };
  await store.webhooks.addEndpoint(
    {
      guildId: GUILD,
      endpointId: 'ep_1',
      name: null,
      destination: { kind: 'https' },
      url: 'https://example.org/',
      events: ['vote_received'],
      secrets,
      createdAt: 0,
    },
    5,
  );
  await store.webhooks.setSecrets(GUILD, 'ep_1', { ...secrets, previous });
  await store.close();
}

/** The two secrets of the endpoint, if this master secret can decrypt them. */
export async function unsealWebhook(database: DatabaseUrl, master: string): Promise<(string | undefined)[]> {
  const { sealKey } = deriveSecrets(master);
  const store = await openStore(database);
  const endpoint = await store.webhooks.findEndpoint(GUILD, 'ep_1');
  await store.close();
  const { current, previous } = endpoint?.secrets ?? {};
  return [current, previous?.sealed].map((sealed) => unseal(sealed ?? '', CONTEXT, sealKey));
}

/** Adds two secrets for vote links to the guild, newest first. */
export async function addLinkSecrets(database: DatabaseUrl, master: string): Promise<string[]> {
  const store = await openStore(database);
  const add = () => rotateLinkSecret(store, deriveSecrets(master), GUILD, Date.UTC(2099, 0));
  const secrets = [await add(), await add()];
  await store.close();
  return secrets.toReversed();
}

export async function linkSecretsUnder(database: DatabaseUrl, master: string): Promise<string[]> {
  const store = await openStore(database);
  const secrets = await revealLinkSecrets(store, deriveSecrets(master), GUILD, Date.UTC(2099, 0));
  await store.close();
  return secrets;
}

const REQUEST = { tokenId: 'tok_1', key: 'order-1', requestHash: 'h', now: Date.UTC(2099, 0) };

/** Stores a response of the management API. */
export async function storeResponse(database: DatabaseUrl, master: string): Promise<void> {
  const store = await openStore(database);
  const { tokenId, key } = REQUEST;
  const token = { tokenId, hash: 'hash', name: 'Site', scopes: [], createdAt: 0, expiresAt: null };
  await store.tokens.add(token);
  const reserved = await store.responses.reserve(REQUEST);
  const sealedBody = seal('{"ok":true}', responseContext(tokenId, key), deriveSecrets(master).sealKey);
  if (reserved.kind === 'reserved')
    await store.responses.complete(reserved.reservation, { status: 201, sealedBody });
  await store.close();
}

export async function responseUnder(database: DatabaseUrl, master: string): Promise<string | undefined> {
  const store = await openStore(database);
  const found = await store.responses.reserve(REQUEST);
  await store.close();
  if (found.kind !== 'stored') return found.kind;
  const context = responseContext(REQUEST.tokenId, REQUEST.key);
  return unseal(found.response.sealedBody, context, deriveSecrets(master).sealKey);
}
