/**
 * Everything that is sealed in a site's database, and what it has to open to.
 *
 *   const sealed = await sealMuch(site, 3000);
 *   const faults = await findUnreadable(site, sealed);   // [] when all opens with what the data folder holds
 */

import { DAY_MS } from '../../../src/domain/clock.ts';
import { hashApiKey } from '../../../src/domain/keys/api-key.ts';
import { seal, unseal, webhookSecretContext } from '../../../src/domain/secrets.ts';
import { generateWebhookSecret } from '../../../src/domain/webhooks/delivery.ts';
import type { Store } from '../../../src/store/store.ts';
import { addGuilds, numberedGuild, readFileSecrets, type Site } from '../../lib/site.ts';

const ENDPOINTS = 100;

type EndpointSecrets = { guildId: string; endpointId: string; current: string; previous: string };

export type Sealed = { keys: ReadonlyMap<string, string>; endpoints: readonly EndpointSecrets[] };

export function countWebhookSecrets({ endpoints }: Sealed): number {
  return 2 * endpoints.length;
}

/** This many guilds with a key each; the first of them with a webhook whose secret was rotated once. */
export async function sealMuch(site: Site, guilds: number): Promise<Sealed> {
  const keys = new Map((await addGuilds(site, guilds)).map((key, i) => [numberedGuild(i), key]));
  const endpoints = [...keys.keys()].slice(0, ENDPOINTS).map((guildId, i) => ({
    guildId,
    endpointId: `ep_${i}`,
    current: generateWebhookSecret(),
    previous: generateWebhookSecret(),
  }));
  await site.withStore(async (store) => {
    for (const endpoint of endpoints) await addEndpoint(store, site, endpoint);
  });
  return { keys, endpoints };
}

async function addEndpoint(store: Store, { secrets }: Site, endpoint: EndpointSecrets): Promise<void> {
  const { guildId, endpointId } = endpoint;
  const close = (secret: string) => seal(secret, webhookSecretContext(guildId, endpointId), secrets.sealKey);
  const former = close(endpoint.previous);
  await store.webhooks.addEndpoint(
    {
      guildId,
      endpointId,
      name: null,
      destination: { kind: 'https' },
      url: 'http://127.0.0.1:1029/',
      events: ['vote_received'],
      secrets: { current: former, previous: null },
      createdAt: Date.now(),
    },
    1,
  );
  await store.webhooks.setSecrets(guildId, endpointId, {
    current: close(endpoint.current),
    previous: { sealed: former, validUntil: Date.now() + DAY_MS },
  });
}

/** Values that cannot be decrypted with the current secret of the data folder, or decrypt to something else. */
export async function findUnreadable(site: Site, { keys, endpoints }: Sealed): Promise<string[]> {
  const { sealKey } = await readFileSecrets(site);
  return site.withStore(async (store) => {
    const faults: string[] = [];
    for (const [guildId, key] of keys) {
      const kept = await store.guilds.findKey(guildId);
      const isReadable = kept?.hash === hashApiKey(key) && unseal(kept.sealed, guildId, sealKey) === key;
      if (!isReadable) faults.push(`the key of guild ${guildId}`);
    }
    for (const { guildId, endpointId, current, previous } of endpoints) {
      const kept = (await store.webhooks.findEndpoint(guildId, endpointId))?.secrets;
      const context = webhookSecretContext(guildId, endpointId);
      const open = (text = '') => unseal(text, context, sealKey);
      if (open(kept?.current) !== current) faults.push(`the webhook secret of guild ${guildId}`);
      if (open(kept?.previous?.sealed) !== previous) faults.push(`the former secret of guild ${guildId}`);
    }
    return faults;
  });
}
