/**
 * Does what admins and operators want of webhooks, as src/store/webhook-admin.ts says it.
 *
 *   const webhooks = createEndpoints({ store, clock, sealKey, rule, resolve, send, slots, random });
 *   const added = await webhooks.addEndpoint(guildId, { url, events }, actor);
 *   if (added.ok) show(added.secret);
 */
import { randomBytes } from 'node:crypto';
import { seal, unseal, webhookSecretContext } from '../domain/seal.ts';
import type { SubscribableEvent } from '../domain/webhook-event.ts';
import { ROTATION_MS } from '../domain/webhook-schedule.ts';
import { generateWebhookSecret } from '../domain/webhook-signature.ts';
import { checkWebhookUrl, hostOf, type ReachRule } from '../domain/webhook-url.ts';
import {
  type Actor,
  type AddedEndpoint,
  type Endpoints,
  MAX_ENDPOINTS,
  type RevealedSecret,
} from '../store/webhook-admin.ts';
import { leadsIntoPrivateNetwork, type Resolve } from './resolve.ts';
import { sendTest, type TestDeps } from './send-test.ts';

export type EndpointDeps = TestDeps & {
  rule: ReachRule;
  resolve: Resolve;
  /** Told of a guild that something was queued for. */
  onQueued?: (guildId: string) => void;
};

export function createEndpoints(deps: EndpointDeps): Endpoints {
  const { store, clock } = deps;
  const { webhooks } = store;

  async function noteChange(guildId: string, actor: Actor): Promise<void> {
    await store.activities.record({ guildId, at: clock(), actor, action: 'webhook_changed' });
  }

  async function noting(guildId: string, actor: Actor, change: Promise<boolean>): Promise<boolean> {
    const isChanged = await change;
    if (isChanged) await noteChange(guildId, actor);
    return isChanged;
  }

  return {
    async addEndpoint(guildId, wish, actor) {
      const added = await add(deps, guildId, wish);
      if (added.ok) await noteChange(guildId, actor);
      return added;
    },
    listEndpoints: (guildId) => webhooks.listEndpoints(guildId),
    removeEndpoint: (guildId, endpointId, actor) =>
      noting(guildId, actor, webhooks.removeEndpoint(guildId, endpointId)),
    async rotateSecret(guildId, endpointId, actor) {
      const secret = await rotate(deps, guildId, endpointId);
      if (secret !== undefined) await noteChange(guildId, actor);
      return secret;
    },
    revealSecret: (guildId, endpointId) => reveal(deps, guildId, endpointId),
    enableEndpoint: (guildId, endpointId, actor) =>
      noting(guildId, actor, webhooks.enableEndpoint(guildId, endpointId)),
    sendTest: (guildId, endpointId) => sendTest(deps, guildId, endpointId),
    async replay(guildId, which, endpointId) {
      const now = clock();
      const replayed = await webhooks.replay({ guildId, which, endpointId: endpointId ?? null, now });
      if (replayed > 0) deps.onQueued?.(guildId);
      return replayed;
    },
    deliveryLog: (guildId, limit) => webhooks.deliveries(guildId, clock(), limit),
    eventLog: (guildId, eventId) => webhooks.attempts(guildId, eventId),
  };
}

async function add(
  { store, clock, sealKey, rule, resolve }: EndpointDeps,
  guildId: string,
  { url: text, events }: { url: string; events: readonly SubscribableEvent[] },
): Promise<AddedEndpoint> {
  const checked = checkWebhookUrl(text, rule);
  if (!checked.ok) return checked;
  if (events.length === 0) return { ok: false, fault: 'no-events' };
  if (await leadsIntoPrivateNetwork(hostOf(new URL(checked.url)), resolve, rule)) {
    return { ok: false, fault: 'private-address' };
  }
  const endpointId = `ep_${randomBytes(8).toString('hex')}`;
  const secret = generateWebhookSecret();
  const current = seal(secret, webhookSecretContext(guildId, endpointId), sealKey);
  const endpoint = {
    guildId,
    endpointId,
    url: checked.url,
    events: [...new Set(events)],
    secrets: { current, previous: null },
    createdAt: clock(),
  };
  const outcome = await store.webhooks.addEndpoint(endpoint, MAX_ENDPOINTS);
  if (outcome !== 'added') return { ok: false, fault: outcome };
  return { ok: true, endpoint: { ...endpoint, failingSince: null, disabled: null }, secret };
}

async function rotate(
  { store, clock, sealKey }: EndpointDeps,
  guildId: string,
  endpointId: string,
): Promise<string | undefined> {
  const endpoint = await store.webhooks.findEndpoint(guildId, endpointId);
  if (!endpoint) return undefined;
  const secret = generateWebhookSecret();
  const current = seal(secret, webhookSecretContext(guildId, endpointId), sealKey);
  const previous = { sealed: endpoint.secrets.current, validUntil: clock() + ROTATION_MS };
  return (await store.webhooks.setSecrets(guildId, endpointId, { current, previous })) ? secret : undefined;
}

async function reveal(
  { store, sealKey }: EndpointDeps,
  guildId: string,
  endpointId: string,
): Promise<RevealedSecret> {
  const endpoint = await store.webhooks.findEndpoint(guildId, endpointId);
  if (!endpoint) return { shown: false, reason: 'unknown-endpoint' };
  const secret = unseal(endpoint.secrets.current, webhookSecretContext(guildId, endpointId), sealKey);
  return secret === undefined ? { shown: false, reason: 'other-secret' } : { shown: true, secret };
}
