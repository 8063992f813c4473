/**
 * A test delivery: sent at once for somebody who waits for its result. It takes a slot like every other try, and an
 * endpoint has one test at a time.
 */
import { randomUUID } from 'node:crypto';
import { isActive } from '../domain/guild.ts';
import { sampleEvent, type WebhookEventType } from '../domain/webhook-event.ts';
import { isSuccess } from '../domain/webhook-outcome.ts';
import { CLAIM_MS } from '../domain/webhook-schedule.ts';
import type { Store } from '../store/store.ts';
import type { SentTest, TestRefusal } from '../store/webhook-admin.ts';
import type { ClaimedDelivery, WebhookEndpoint } from '../store/webhook-store.ts';
import { type AttemptDeps, attemptDelivery } from './attempt.ts';
import { isTroubled, type Slots } from './slots.ts';

export type TestDeps = Omit<AttemptDeps, 'store'> & { store: Store; slots: Slots };

export async function sendTest(
  deps: TestDeps,
  guildId: string,
  endpointId: string,
  type: WebhookEventType,
): Promise<SentTest> {
  const { store, clock, slots } = deps;
  const endpoint = await store.webhooks.findEndpoint(guildId, endpointId);
  const guild = await store.guilds.find(guildId);
  if (!endpoint || !guild) return refuse('unknown-endpoint');
  if (!isActive(guild)) return refuse('sanctioned');
  const slot = slots.takeIfFree(endpointId, clock(), endpoint.failingSince !== null);
  if (!slot) return refuse('busy');
  let wasTroubled: boolean | undefined;
  try {
    const delivery = await begin(deps, endpoint, type);
    if (!delivery) return refuse('under-way');
    const sent = await finish(deps, delivery);
    wasTroubled = isTroubled(sent.result);
    return sent;
  } finally {
    slots.giveBack(slot, clock(), wasTroubled);
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
    return { sent: true, result: { ...attempt, eventId, isDelivered: isSuccess(attempt.status) } };
  } finally {
    await deps.store.webhooks.endTest(delivery);
  }
}
