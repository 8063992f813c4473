import type { Clock, Instant } from '../domain/clock.ts';
import { unseal, webhookSecretContext } from '../domain/secrets.ts';
import { voteUrl } from '../domain/votes/vote-link.ts';
import {
  consequenceOf,
  evaluateAttempt,
  isDelivered,
  type Random,
  signatureHeaders,
} from '../domain/webhooks/delivery.ts';
import { type Destination, retriesOf } from '../domain/webhooks/destination.ts';
import { eventData } from '../domain/webhooks/payload.ts';
import { votifierName } from '../domain/webhooks/votifier.ts';
import type { Store } from '../store/store.ts';
import type { AttemptResult, ClaimedDelivery, WebhookEndpoint } from '../store/webhooks/store.ts';
import { claimDelivered } from './claim-delivered.ts';
import { createSendToChannel, type SendToChannel } from './discord.ts';
import { createSend, type Send, type SendDeps, type SendResult } from './send.ts';
import type { Slots } from './slots.ts';
import { sendInTopggFormat } from './topgg.ts';
import { createSendVote, type SendVote } from './votifier.ts';

/** How each kind of endpoint is reached. */
type Senders = { send: Send; sendToChannel: SendToChannel; sendVote: SendVote };

/** `discordApi`: the base URL of Discord's API; null for Discord itself. */
export function createSenders(deps: SendDeps & { discordApi: string | null }): Senders {
  return {
    send: createSend(deps),
    sendToChannel: createSendToChannel(deps, deps.discordApi),
    sendVote: createSendVote(deps),
  };
}

export type AttemptDeps = Senders & {
  store: Pick<Store, 'webhooks' | 'guilds' | 'users' | 'claims'>;
  clock: Clock;
  random: Random;
  sealKey: Buffer;
  slots: Pick<Slots, 'hold'>;
  /** The public URL of the site, for links in messages; null when it is not configured. */
  siteUrl: string | null;
};

type AttemptOptions = {
  stop?: AbortSignal;
  /** Called before the result is stored, if the receiver accepted the event. */
  onDelivered?: (attempt: AttemptResult) => void;
};

/**
 * Attempts a claimed delivery once and records the result. Returns `undefined` when `stop` fires before the
 * response: the delivery is released, and the next worker that claims it tries again.
 */
export async function attemptDelivery(deps: AttemptDeps, delivery: ClaimedDelivery): Promise<AttemptResult>;
export async function attemptDelivery(
  deps: AttemptDeps,
  delivery: ClaimedDelivery,
  options: AttemptOptions,
): Promise<AttemptResult | undefined>;
export async function attemptDelivery(
  deps: AttemptDeps,
  delivery: ClaimedDelivery,
  { stop, onDelivered }: AttemptOptions = {},
): Promise<AttemptResult | undefined> {
  const { store, clock } = deps;
  const startedAt = clock();
  const result = await send(deps, delivery, stop);
  const { status, answer, error } = result;
  const isInterrupted = status === null && error !== null && consequenceOf(error) === 'retry';
  if (isInterrupted && stop?.aborted) {
    await store.webhooks.release(delivery, clock());
    return undefined;
  }
  const attempt = { at: startedAt, status, durationMs: clock() - startedAt, answer, error };
  if (isDelivered(attempt)) onDelivered?.(attempt);
  await record(deps, delivery, attempt, result);
  return attempt;
}

async function record(
  { store, clock, random, slots }: AttemptDeps,
  delivery: ClaimedDelivery,
  attempt: AttemptResult,
  { retryAfter, pauseMs = 0 }: SendResult,
): Promise<void> {
  const { guildId, endpointId, tries, occursAt, isTest, endpoint } = delivery;
  const now = clock();
  const { status, error } = attempt;
  const { next, health, disable } = evaluateAttempt(
    { status, error, retryAfter },
    {
      ...{ now, occursAt, tries, isTest, random },
      failingSince: endpoint.failingSince,
      retries: retriesOf(endpoint.destination),
    },
  );
  if (endpoint.destination.kind === 'discord' && pauseMs > 0) slots.hold(endpointId, now + pauseMs);
  if (next.state === 'pending' && next.hold) slots.hold(endpointId, next.nextAttemptAt);
  if (next.state === 'pending' && next.hold === 'postponed')
    return store.webhooks.release(delivery, next.nextAttemptAt);
  await store.webhooks.finish(delivery, attempt, next, health);
  if (disable) await store.webhooks.disableEndpoint(guildId, endpointId, now, disable);
}

async function send(deps: AttemptDeps, delivery: ClaimedDelivery, stop?: AbortSignal): Promise<SendResult> {
  const { body, eventId, endpoint } = delivery;
  const { destination } = endpoint;
  const now = deps.clock();
  const secrets = validSecrets(endpoint, now, deps.sealKey);
  if (secrets === undefined) return unsent('SECRET_UNREADABLE');
  switch (destination.kind) {
    case 'topgg':
      return sendInTopggFormat(deps, delivery, destination.format, secrets[0], stop);
    case 'discord':
      return sendMessage(deps, delivery, destination, secrets[0], stop);
    case 'votifier':
      return sendVote(deps, delivery, destination, secrets[0], stop);
    case 'https': {
      const headers = signatureHeaders({ id: eventId, at: now, body }, secrets);
      return deps.send({ url: endpoint.url, headers, body }, stop);
    }
  }
}

async function sendMessage(
  { store, sendToChannel, siteUrl }: AttemptDeps,
  { guildId, type, body, endpoint: { url } }: ClaimedDelivery,
  { language, templates }: Destination & { kind: 'discord' },
  token: string,
  stop?: AbortSignal,
): Promise<SendResult> {
  const community = (await store.guilds.find(guildId))?.name ?? guildId;
  const link = siteUrl === null ? null : voteUrl(siteUrl, guildId);
  return sendToChannel({ url, token, type, body, context: { community, link, language, templates } }, stop);
}

async function sendVote(
  { store, clock, sendVote: sendNow }: AttemptDeps,
  delivery: ClaimedDelivery,
  { serviceName, consumer }: Destination & { kind: 'votifier' },
  token: string,
  stop?: AbortSignal,
): Promise<SendResult> {
  const { url } = delivery.endpoint;
  const data = eventData(delivery.body);
  const named = votifierName(data.external_id);
  if ('failure' in named) return unsent(named.failure);
  const vote = { serviceName, username: named.name, timestamp: Date.parse(String(data.timestamp)) };
  let claim: Awaited<ReturnType<typeof claimDelivered>> | undefined;
  const beforeWrite = async () => {
    if (!(await store.webhooks.markSent(delivery))) return false;
    if (consumer !== null && !delivery.isTest)
      claim = await claimDelivered(store, delivery, consumer, clock());
    return true;
  };
  const result = await sendNow({ url, token, vote, beforeWrite }, stop);
  // The server has not counted the vote, so others may claim it until the next attempt.
  const isRefused = result.error !== null && consequenceOf(result.error) === 'retry';
  if (claim && isRefused) await store.claims.release(claim);
  return result;
}

function unsent(error: AttemptResult['error']): SendResult {
  return { status: null, answer: '', error, retryAfter: undefined };
}

/**
 * The current secret, and the previous one while it is valid. `undefined` when the current one cannot be
 * decrypted.
 */
function validSecrets(
  { guildId, endpointId, secrets: { current, previous } }: WebhookEndpoint,
  now: Instant,
  sealKey: Buffer,
): [string, ...string[]] | undefined {
  const context = webhookSecretContext(guildId, endpointId);
  const secret = unseal(current, context, sealKey);
  if (secret === undefined) return undefined;
  const old = previous && now < previous.validUntil ? unseal(previous.sealed, context, sealKey) : undefined;
  return old === undefined ? [secret] : [secret, old];
}
