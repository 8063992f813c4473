/**
 * What admins and operators do with webhooks. The dashboard and the command line both ask for this; src/webhooks
 * does it.
 */
import type { Instant } from '../../domain/clock.ts';
import type { SubscribableEvent, WebhookEventType } from '../../domain/webhooks/event.ts';
import type { WebhookUrlFault } from '../../domain/webhooks/url.ts';
import type { Activity, EndpointLabel } from '../activities.ts';
import type { AttemptRecord, AttemptResult, DeliveryRecord, Replayed, WebhookEndpoint } from './store.ts';

export const MAX_ENDPOINTS = 5;
export const ENDPOINT_NAME_MAX_LENGTH = 60;

/** One replay ends with the batch of events that brings it here. */
export const MAX_REPLAYED = 100_000;

export type Actor = Activity['actor'];

/** What an admin fills in. An empty name is none. */
export type EndpointWish = { url: string; events: readonly SubscribableEvent[]; name?: string | null };

export type SettingsFault = WebhookUrlFault | 'no-events' | 'bad-name';

export type AddFault = SettingsFault | 'too-many' | 'unknown-guild';

export type AddedEndpoint =
  | { ok: true; endpoint: WebhookEndpoint; secret: string }
  | { ok: false; fault: AddFault };

export type EditedEndpoint =
  | { ok: true; endpoint: WebhookEndpoint }
  | { ok: false; fault: SettingsFault | 'unknown-endpoint' };

/** `replaces`: the sealed secret that is meant; nothing is changed when it is not the present one any more. */
export type RotationChoice = { now?: boolean; replaces?: string };

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
  addEndpoint(guildId: string, wish: EndpointWish, actor: Actor): Promise<AddedEndpoint>;
  /** Changes what is given; its secret stays. */
  editEndpoint(
    guildId: string,
    endpointId: string,
    wish: Partial<EndpointWish>,
    actor: Actor,
  ): Promise<EditedEndpoint>;
  /** The oldest first. */
  listEndpoints(guildId: string): Promise<WebhookEndpoint[]>;
  removeEndpoint(guildId: string, endpointId: string, actor: Actor): Promise<boolean>;
  /**
   * Gives a new secret. The one before stays valid for a day, or stops with `now`; one from before that stops in any
   * case. `undefined` when nothing was changed.
   */
  rotateSecret(
    guildId: string,
    endpointId: string,
    actor: Actor,
    choice?: RotationChoice,
  ): Promise<string | undefined>;
  revealSecret(guildId: string, endpointId: string): Promise<RevealedSecret>;
  /** Switches an endpoint on again that was switched off for its failures. */
  enableEndpoint(guildId: string, endpointId: string, actor: Actor): Promise<boolean>;
  /** Nothing but tests is sent to a paused endpoint. Events are queued for it, and sent once it is resumed. */
  pauseEndpoint(guildId: string, endpointId: string, actor: Actor): Promise<boolean>;
  resumeEndpoint(guildId: string, endpointId: string, actor: Actor): Promise<boolean>;
  /** Sends a test now, whether the endpoint is on or off, and tells what came back. Default: `webhook_test`. */
  sendTest(guildId: string, endpointId: string, type?: WebhookEventType): Promise<SentTest>;
  /** Queues deliveries again, to one endpoint or to all: about `MAX_REPLAYED` of them at most. */
  replay(guildId: string, which: ReplayChoice, endpointId?: string): Promise<Replayed>;
  /** The newest deliveries first, each with its last try. */
  deliveryLog(guildId: string, limit: number): Promise<DeliveryRecord[]>;
  /** Every try of one event, endpoint by endpoint, the oldest first. */
  eventLog(guildId: string, eventId: string): Promise<AttemptRecord[]>;
}

/** Names an endpoint in the activity log. */
export function labelOf({ endpointId, name, url }: WebhookEndpoint): EndpointLabel {
  return { id: endpointId, name, host: new URL(url).host };
}
