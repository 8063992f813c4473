/**
 * Implements the webhook administration interface of src/store/webhooks/admin.ts.
 *
 *   const webhooks = createEndpoints({ store, clock, sealKey, rule, resolve, send, slots, random });
 *   const added = await webhooks.addEndpoint(guildId, { url, events }, actor);
 *   if (added.ok) show(added.secret);
 */

import { randomUUID } from 'node:crypto';
import { isActive } from '../domain/guild.ts';
import { seal, unseal, webhookSecretContext } from '../domain/secrets.ts';
import { CLAIM_MS, isDelivered, ROTATION_MS } from '../domain/webhooks/delivery.ts';
import {
  hasOwnSecret,
  hostOf,
  type ReachRule,
  ruleFor,
  TESTS_OF_KIND,
} from '../domain/webhooks/destination.ts';
import { sampleEvent, type WebhookEventType } from '../domain/webhooks/event.ts';
import type { EndpointChange } from '../store/activities.ts';
import type { Store } from '../store/store.ts';
import {
  type Actor,
  type Endpoints,
  labelOf,
  MAX_REPLAYED,
  type RevealedSecret,
  type RotationChoice,
  type SentTest,
  type TestRefusal,
} from '../store/webhooks/admin.ts';
import type { ClaimedDelivery, WebhookEndpoint } from '../store/webhooks/store.ts';
import { type AttemptDeps, attemptDelivery } from './attempt.ts';
import { addEndpoint, describeEdit, editEndpoint, generateSecret } from './endpoint-settings.ts';
import { type Resolve, refusedAddresses } from './resolve.ts';
import { isUnhealthy, type Slots } from './slots.ts';

export type EndpointDeps = TestDeps & {
  rule: ReachRule;
  resolve: Resolve;
  /** Called with the guild for which something was queued. */
  onQueued?: (guildId: string) => void;
};

export function createEndpoints(deps: EndpointDeps): Endpoints {
  const { store, clock } = deps;
  const { webhooks } = store;

  async function logChange(endpoint: WebhookEndpoint, actor: Actor, change: EndpointChange): Promise<void> {
    const { guildId } = endpoint;
    const detail = { endpoint: labelOf(endpoint), change };
    await store.activities.record({ guildId, at: clock(), actor, action: 'webhook_changed', detail });
  }

  /** Returns whether the endpoint exists. Only changes are logged. */
  async function change(
    guildId: string,
    endpointId: string,
    actor: Actor,
    kind: 'removed' | 'enabled' | 'paused' | 'resumed',
    work: () => Promise<boolean>,
  ): Promise<boolean> {
    const endpoint = await webhooks.findEndpoint(guildId, endpointId);
    if (!endpoint) return false;
    if (await work()) await logChange(endpoint, actor, { kind });
    return true;
  }

  return {
    async addEndpoint(guildId, input, actor) {
      const added = await addEndpoint(deps, guildId, input);
      if (added.ok) await logChange(added.endpoint, actor, { kind: 'added' });
      return added;
    },
    async editEndpoint(guildId, endpointId, input, actor) {
      const before = await webhooks.findEndpoint(guildId, endpointId);
      if (!before) return { ok: false, fault: 'unknown-endpoint' };
      const edited = await editEndpoint(deps, before, input);
      const edit = edited.ok && describeEdit(before, edited.endpoint);
      if (edited.ok && edit) await logChange(edited.endpoint, actor, edit);
      return edited;
    },
    listEndpoints: (guildId) => webhooks.listEndpoints(guildId),
    removeEndpoint: (guildId, endpointId, actor) =>
      change(guildId, endpointId, actor, 'removed', () => webhooks.removeEndpoint(guildId, endpointId)),
    async rotateSecret(guildId, endpointId, actor, choice = {}) {
      const endpoint = await webhooks.findEndpoint(guildId, endpointId);
      if (!endpoint || !hasOwnSecret(endpoint.destination)) return undefined;
      // A message in a format of top.gg is signed once, so there is no time in which two secrets are valid.
      const now = choice.now || endpoint.destination.kind === 'topgg';
      const secret = await rotate(deps, endpoint, { ...choice, now });
      const kind = now ? 'secret_replaced' : 'secret_rotated';
      if (secret !== undefined) await logChange(endpoint, actor, { kind });
      return secret;
    },
    revealSecret: (guildId, endpointId) => reveal(deps, guildId, endpointId),
    enableEndpoint: (guildId, endpointId, actor) =>
      change(guildId, endpointId, actor, 'enabled', () => webhooks.enableEndpoint(guildId, endpointId)),
    pauseEndpoint: (guildId, endpointId, actor) =>
      change(guildId, endpointId, actor, 'paused', () => webhooks.setPaused(guildId, endpointId, clock())),
    async resumeEndpoint(guildId, endpointId, actor) {
      const resume = () => webhooks.setPaused(guildId, endpointId, null);
      const isKnown = await change(guildId, endpointId, actor, 'resumed', resume);
      if (isKnown) deps.onQueued?.(guildId);
      return isKnown;
    },
    async refusedAddresses(text) {
      const url = URL.parse(text);
      return url ? refusedAddresses(hostOf(url), deps.resolve, ruleFor(url, deps.rule)) : [];
    },
    sendTest: (guildId, endpointId, type) => sendTest(deps, guildId, endpointId, type),
    async replay(guildId, which, endpointId) {
      const now = clock();
      const request = { guildId, which, endpointId: endpointId ?? null, now, limit: MAX_REPLAYED };
      const replayed = await webhooks.replay(request);
      if (replayed.queued > 0) deps.onQueued?.(guildId);
      return replayed;
    },
    deliveryLog: (guildId, limit) => webhooks.deliveries(guildId, clock(), limit),
    eventLog: (guildId, eventId) => webhooks.attempts(guildId, eventId),
  };
}

async function rotate(
  { store, clock, sealKey }: EndpointDeps,
  { guildId, endpointId, secrets, destination }: WebhookEndpoint,
  { now = false, replaces = secrets.current }: RotationChoice,
): Promise<string | undefined> {
  const secret = generateSecret(destination);
  const current = seal(secret, webhookSecretContext(guildId, endpointId), sealKey);
  const previous = now ? null : { sealed: replaces, validUntil: clock() + ROTATION_MS };
  const isSet = await store.webhooks.setSecrets(guildId, endpointId, { current, previous }, replaces);
  return isSet ? secret : undefined;
}

async function reveal(
  { store, sealKey }: EndpointDeps,
  guildId: string,
  endpointId: string,
): Promise<RevealedSecret> {
  const endpoint = await store.webhooks.findEndpoint(guildId, endpointId);
  if (!endpoint) return { shown: false, reason: 'unknown-endpoint' };
  const secret = unseal(endpoint.secrets.current, webhookSecretContext(guildId, endpointId), sealKey);
  if (secret === undefined) return { shown: false, reason: 'other-secret' };
  return hasOwnSecret(endpoint.destination)
    ? { shown: true, secret }
    : { shown: false, reason: 'write-only' };
}

/**
 * Sends a test delivery immediately, because the admin waits for the result. It takes a slot like any other
 * attempt, and an endpoint runs one test at a time.
 */

export type TestDeps = Omit<AttemptDeps, 'store'> & { store: Store; slots: Slots };

export async function sendTest(
  deps: TestDeps,
  guildId: string,
  endpointId: string,
  wanted?: WebhookEventType,
): Promise<SentTest> {
  const { store, clock, slots } = deps;
  const endpoint = await store.webhooks.findEndpoint(guildId, endpointId);
  const guild = await store.guilds.find(guildId);
  if (!endpoint || !guild) return refuse('unknown-endpoint');
  if (!isActive(guild)) return refuse('sanctioned');
  const slot = slots.takeIfFree(endpointId, clock(), endpoint.failingSince !== null);
  if (!slot) return refuse('busy');
  let wasUnhealthy: boolean | undefined;
  const types = TESTS_OF_KIND[endpoint.destination.kind];
  const type = types.find((known) => known === wanted) ?? types[0];
  try {
    const delivery = await begin(deps, endpoint, type);
    if (!delivery) return refuse('under-way');
    const sent = await finish(deps, delivery);
    wasUnhealthy = isUnhealthy(sent.result);
    return sent;
  } finally {
    slots.release(slot, clock(), wasUnhealthy);
  }
}

function refuse(reason: TestRefusal): SentTest {
  return { sent: false, reason };
}

function begin(
  { store, clock }: TestDeps,
  endpoint: WebhookEndpoint,
  type: WebhookEventType,
): Promise<ClaimedDelivery | undefined> {
  const now = clock();
  const event = sampleEvent(type, endpoint.guildId, now, randomUUID());
  return store.webhooks.beginTest(event, endpoint, { now, until: now + CLAIM_MS });
}

async function finish(deps: TestDeps, delivery: ClaimedDelivery): Promise<SentTest & { sent: true }> {
  try {
    const attempt = await attemptDelivery(deps, delivery);
    const { eventId } = delivery;
    return { sent: true, result: { ...attempt, eventId, isDelivered: isDelivered(attempt) } };
  } finally {
    await deps.store.webhooks.endTest(delivery);
  }
}
