/**
 * What admins and operators do with webhooks. The dashboard and the command line both ask for this; src/webhooks
 * does it.
 */
import type { Instant } from '../domain/clock.ts';
import type { SubscribableEvent } from '../domain/webhook-event.ts';
import type { WebhookUrlFault } from '../domain/webhook-url.ts';
import type { Activity } from './store.ts';
import type { AttemptRecord, AttemptResult, DeliveryRecord, WebhookEndpoint } from './webhook-store.ts';

export const MAX_ENDPOINTS = 5;

export type Actor = Activity['actor'];

export type AddFault = WebhookUrlFault | 'no-events' | 'too-many' | 'unknown-guild';

export type AddedEndpoint =
  | { ok: true; endpoint: WebhookEndpoint; secret: string }
  | { ok: false; fault: AddFault };

/** `other-secret`: it was sealed under a master secret that is not the present one. */
export type RevealedSecret =
  | { shown: true; secret: string }
  | { shown: false; reason: 'unknown-endpoint' | 'other-secret' };

export type TestResult = AttemptResult & { eventId: string; isDelivered: boolean };

/**
 * `under-way`: the endpoint has one test at a time, whichever process sends it. `busy`: as many deliveries are being
 * sent as this process may send at once. `sanctioned`: nothing is sent for the guild.
 */
export type TestRefusal = 'unknown-endpoint' | 'under-way' | 'busy' | 'sanctioned';

export type SentTest = { sent: true; result: TestResult } | { sent: false; reason: TestRefusal };

export type ReplayChoice = { eventId: string } | { since: Instant };

export interface Endpoints {
  addEndpoint(
    guildId: string,
    wish: { url: string; events: readonly SubscribableEvent[] },
    actor: Actor,
  ): Promise<AddedEndpoint>;
  /** The oldest first. */
  listEndpoints(guildId: string): Promise<WebhookEndpoint[]>;
  removeEndpoint(guildId: string, endpointId: string, actor: Actor): Promise<boolean>;
  /** A new secret; the one before stays valid for a day. `undefined` when there is no such endpoint. */
  rotateSecret(guildId: string, endpointId: string, actor: Actor): Promise<string | undefined>;
  revealSecret(guildId: string, endpointId: string): Promise<RevealedSecret>;
  /** Switches an endpoint on again that was switched off for its failures. */
  enableEndpoint(guildId: string, endpointId: string, actor: Actor): Promise<boolean>;
  /** Sends a test now, whether the endpoint is on or off, and tells what came back. */
  sendTest(guildId: string, endpointId: string): Promise<SentTest>;
  /** Queues deliveries again, to one endpoint or to all, and tells how many. */
  replay(guildId: string, which: ReplayChoice, endpointId?: string): Promise<number>;
  /** The newest deliveries first, each with its last try. */
  deliveryLog(guildId: string, limit: number): Promise<DeliveryRecord[]>;
  /** Every try of one event, endpoint by endpoint, the oldest first. */
  eventLog(guildId: string, eventId: string): Promise<AttemptRecord[]>;
}
