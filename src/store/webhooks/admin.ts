/** Webhook administration for the dashboard and the command line, implemented in src/webhooks. */
import type { Instant } from '../../domain/clock.ts';
import type { Locale } from '../../domain/locale.ts';
import type { EndpointKind, WebhookUrlFault } from '../../domain/webhooks/destination.ts';
import type { Templates } from '../../domain/webhooks/discord.ts';
import type { SubscribableEvent, WebhookEventType } from '../../domain/webhooks/event.ts';
import type { TopggFormat } from '../../domain/webhooks/topgg.ts';
import type { Activity, EndpointLabel } from '../activities.ts';
import type { AttemptRecord, AttemptResult, DeliveryRecord, Replayed, WebhookEndpoint } from './store.ts';

export const MAX_ENDPOINTS = 5;
export const ENDPOINT_NAME_MAX_LENGTH = 60;

/** A replay stops after the batch of events that reaches this number. */
export const MAX_REPLAYED = 100_000;

export type Actor = Activity['actor'];

/** Admin input. An empty name means no name. */
export type EndpointInput = {
  /** Default: https. It cannot be changed later. */
  kind?: EndpointKind;
  /** A URL, the webhook URL of a Discord channel, or host:port of a Votifier server. In an edit, empty: unchanged. */
  url: string;
  events: readonly SubscribableEvent[];
  name?: string | null;
  /** The language of the default texts in a Discord channel. Default: English. */
  language?: Locale;
  /** Texts of a Discord channel. Empty: the default. */
  templates?: Templates;
  /** The token of a Votifier server. An edit with an empty one keeps the stored token. */
  token?: string;
  /** Default: the host of the site. */
  serviceName?: string;
  /** As which a Votifier endpoint claims the votes that it delivers; empty: it does not. */
  consumer?: string;
  /** Of an endpoint of kind `topgg`. Default: topgg-v1. It cannot be changed later. */
  format?: TopggFormat;
  /** The secret of a top.gg format. Empty: a new one is generated; an edit keeps the stored one. */
  secret?: string;
};

/** `discord-url`: a plain endpoint was given the URL of a Discord channel. */
export type DestinationFault =
  | 'discord-url'
  | 'not-discord'
  | 'bad-template'
  | 'bad-address'
  | 'bad-token'
  | 'bad-secret'
  | 'bad-service-name'
  | 'bad-consumer';

export type SettingsFault = WebhookUrlFault | 'no-events' | 'bad-name' | DestinationFault;

export type AddFault = SettingsFault | 'too-many' | 'unknown-guild';

export type AddedEndpoint =
  /** `secret`: the new signing secret; null when the admin gave the secret. */
  { ok: true; endpoint: WebhookEndpoint; secret: string | null } | { ok: false; fault: AddFault };

export type EditedEndpoint =
  | { ok: true; endpoint: WebhookEndpoint }
  | { ok: false; fault: SettingsFault | 'unknown-endpoint' };

/** `replaces`: the expected sealed secret; nothing is changed if it is no longer the current one. */
export type RotationChoice = { now?: boolean; replaces?: string };

/** `write-only`: the token of a channel or server. `other-secret`: it was encrypted with a different master secret. */
export type RevealedSecret =
  | { shown: true; secret: string }
  | { shown: false; reason: 'unknown-endpoint' | 'write-only' | 'other-secret' };

export type TestResult = AttemptResult & { eventId: string; isDelivered: boolean };

/**
 * `under-way`: the endpoint already has a test in progress, in any process. `busy`: this process has reached its
 * limit of concurrent deliveries. `sanctioned`: nothing is sent for the guild.
 */
export type TestRefusal = 'unknown-endpoint' | 'under-way' | 'busy' | 'sanctioned';

export type SentTest = { sent: true; result: TestResult } | { sent: false; reason: TestRefusal };

export type ReplayChoice = { eventId: string } | { since: Instant };

export interface Endpoints {
  addEndpoint(guildId: string, input: EndpointInput, actor: Actor): Promise<AddedEndpoint>;
  /** Changes the given fields; the secret stays. */
  editEndpoint(
    guildId: string,
    endpointId: string,
    input: Partial<EndpointInput>,
    actor: Actor,
  ): Promise<EditedEndpoint>;
  /** Oldest first. */
  listEndpoints(guildId: string): Promise<WebhookEndpoint[]>;
  removeEndpoint(guildId: string, endpointId: string, actor: Actor): Promise<boolean>;
  /**
   * Creates a new secret. The previous one stays valid for a day, or stops immediately with `now` and in the formats of
   * top.gg, which have room for one; older ones stop in any case. `undefined` when nothing was changed, as for an endpoint without a signing secret.
   */
  rotateSecret(
    guildId: string,
    endpointId: string,
    actor: Actor,
    choice?: RotationChoice,
  ): Promise<string | undefined>;
  revealSecret(guildId: string, endpointId: string): Promise<RevealedSecret>;
  /** Re-enables an endpoint that was disabled because of failures. */
  enableEndpoint(guildId: string, endpointId: string, actor: Actor): Promise<boolean>;
  /** A paused endpoint only receives tests. Events are queued and sent once it is resumed. */
  pauseEndpoint(guildId: string, endpointId: string, actor: Actor): Promise<boolean>;
  resumeEndpoint(guildId: string, endpointId: string, actor: Actor): Promise<boolean>;
  /**
   * Sends a test now, even to a disabled endpoint, and returns the result. Default, and for types that this kind of
   * endpoint does not get: its first test type.
   */
  sendTest(guildId: string, endpointId: string, type?: WebhookEventType): Promise<SentTest>;
  /**
   * The addresses behind the host of a URL that nothing is sent to. For operators: they tell where names inside the
   * network of this machine point to.
   */
  refusedAddresses(url: string): Promise<string[]>;
  /** Queues deliveries again, for one endpoint or all: at most about `MAX_REPLAYED`. */
  replay(guildId: string, which: ReplayChoice, endpointId?: string): Promise<Replayed>;
  /** Newest deliveries first, each with its last attempt. */
  deliveryLog(guildId: string, limit: number): Promise<DeliveryRecord[]>;
  /** Every attempt for one event, by endpoint, oldest first. */
  eventLog(guildId: string, eventId: string): Promise<AttemptRecord[]>;
}

/** Identifies an endpoint in the activity log. */
export function labelOf({ endpointId, name, url }: WebhookEndpoint): EndpointLabel {
  return { id: endpointId, name, host: new URL(url).host };
}
