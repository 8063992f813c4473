import type { Clock } from '../domain/clock.ts';
import { unseal, webhookSecretContext } from '../domain/secrets.ts';
import { evaluateAttempt, type Random } from '../domain/webhooks/delivery.ts';
import { signatureHeaders } from '../domain/webhooks/signature.ts';
import type { Store } from '../store/store.ts';
import type { AttemptResult, ClaimedDelivery, WebhookEndpoint } from '../store/webhooks/store.ts';
import type { Send, SendResult } from './send.ts';

export type AttemptDeps = {
  store: Pick<Store, 'webhooks'>;
  clock: Clock;
  random: Random;
  sealKey: Buffer;
  send: Send;
};

/**
 * Attempts a claimed delivery once and records the result. Returns `undefined` when `stop` fires before the
 * response: the delivery is released, and the next worker that claims it tries again.
 */
export async function attemptDelivery(deps: AttemptDeps, delivery: ClaimedDelivery): Promise<AttemptResult>;
export async function attemptDelivery(
  deps: AttemptDeps,
  delivery: ClaimedDelivery,
  stop: AbortSignal,
): Promise<AttemptResult | undefined>;
export async function attemptDelivery(
  deps: AttemptDeps,
  delivery: ClaimedDelivery,
  stop?: AbortSignal,
): Promise<AttemptResult | undefined> {
  const { store, clock } = deps;
  const startedAt = clock();
  const result = await send(deps, delivery, stop);
  if (result.status === null && stop?.aborted) {
    await store.webhooks.release(delivery, clock());
    return undefined;
  }
  const { status, answer, error } = result;
  const attempt = { at: startedAt, status, durationMs: clock() - startedAt, answer, error };
  await record(deps, delivery, attempt, result.retryAfter);
  return attempt;
}

async function record(
  { store, clock, random }: AttemptDeps,
  delivery: ClaimedDelivery,
  attempt: AttemptResult,
  retryAfter: string | undefined,
): Promise<void> {
  const { guildId, endpointId, tries, isTest, endpoint } = delivery;
  const now = clock();
  const { next, health, disable } = evaluateAttempt(
    { status: attempt.status, retryAfter },
    { now, tries, failingSince: endpoint.failingSince, isTest, random },
  );
  await store.webhooks.finish(delivery, attempt, next, health);
  if (disable) await store.webhooks.disableEndpoint(guildId, endpointId, now, disable);
}

async function send(deps: AttemptDeps, delivery: ClaimedDelivery, stop?: AbortSignal): Promise<SendResult> {
  const { body, eventId, endpoint } = delivery;
  const now = deps.clock();
  const secrets = validSecrets(endpoint, now, deps.sealKey);
  if (secrets === undefined) {
    return { status: null, answer: '', error: 'SECRET_UNREADABLE', retryAfter: undefined };
  }
  const headers = signatureHeaders({ id: eventId, at: now, body }, secrets);
  return deps.send({ url: endpoint.url, headers, body }, stop);
}

/**
 * The current secret, and the previous one while it is valid. `undefined` when the current one cannot be
 * decrypted.
 */
function validSecrets(
  { guildId, endpointId, secrets: { current, previous } }: WebhookEndpoint,
  now: number,
  sealKey: Buffer,
): string[] | undefined {
  const context = webhookSecretContext(guildId, endpointId);
  const secret = unseal(current, context, sealKey);
  if (secret === undefined) return undefined;
  const old = previous && now < previous.validUntil ? unseal(previous.sealed, context, sealKey) : undefined;
  return old === undefined ? [secret] : [secret, old];
}
