/**
 * The part of the store that webhooks need: endpoints, the queue of deliveries, and what became of them. Events of
 * votes are written by `votes.cast`, in the vote's own transaction.
 */
import type { Instant } from '../../domain/clock.ts';
import type { SubscribableEvent, WebhookEvent, WebhookEventType } from '../../domain/webhooks/event.ts';
import type { Failure } from '../../domain/webhooks/failure.ts';

/** Why an endpoint was switched off: it answered that it is gone, or nothing well for days. */
export type DisabledReason = 'gone' | 'failing';

/** Secrets are sealed. The one before the last rotation stays valid for a while. */
export type EndpointSecrets = {
  current: string;
  previous: { sealed: string; validUntil: Instant } | null;
};

export type WebhookEndpoint = {
  guildId: string;
  endpointId: string;
  /** What its admins call it. */
  name: string | null;
  url: string;
  events: SubscribableEvent[];
  secrets: EndpointSecrets;
  createdAt: Instant;
  /** The first failure since the last success. */
  failingSince: Instant | null;
  disabled: { at: Instant; reason: DisabledReason } | null;
  /** Since when an admin has held deliveries back. They stay queued until the endpoint is resumed. */
  pausedAt: Instant | null;
};

export type NewEndpoint = Omit<WebhookEndpoint, 'failingSince' | 'disabled' | 'pausedAt'>;

/** What can be edited. */
export type EndpointSettings = Pick<WebhookEndpoint, 'name' | 'url' | 'events'>;

export interface WebhookEndpointStore {
  /** With nothing changed when there is no such guild, or when it has `maxEndpoints` already. */
  addEndpoint(endpoint: NewEndpoint, maxEndpoints: number): Promise<'added' | 'too-many' | 'unknown-guild'>;
  /** The oldest first. */
  listEndpoints(guildId: string): Promise<WebhookEndpoint[]>;
  findEndpoint(guildId: string, endpointId: string): Promise<WebhookEndpoint | undefined>;
  /** What waits for it is dropped; what was delivered stays in the log. `false` when there is no such endpoint. */
  removeEndpoint(guildId: string, endpointId: string): Promise<boolean>;
  /**
   * What waits for it and is of a type that it no longer asks for is dropped. With another address it has not failed
   * yet. `false` when there is no such endpoint.
   */
  updateEndpoint(guildId: string, endpointId: string, settings: EndpointSettings): Promise<boolean>;
  /** `false`, with nothing changed, when there is no such endpoint, or when `replaces` is not its present secret. */
  setSecrets(
    guildId: string,
    endpointId: string,
    secrets: EndpointSecrets,
    replaces?: string,
  ): Promise<boolean>;
  /**
   * Pauses the endpoint, or resumes it with `null`: what was queued meanwhile is sent, as if it had never failed.
   * `false` when there is nothing to change.
   */
  setPaused(guildId: string, endpointId: string, at: Instant | null): Promise<boolean>;
  /** Switches the endpoint on again, as if it had never failed; what waits for it is sent. */
  enableEndpoint(guildId: string, endpointId: string): Promise<boolean>;
  /** Nothing is sent to it until it is enabled; what waits, and what later votes cause, stays pending. */
  disableEndpoint(guildId: string, endpointId: string, at: Instant, reason: DisabledReason): Promise<boolean>;
}

/** `pending` is waiting for a try or under way. */
export type DeliveryState = 'pending' | 'delivered' | 'failed';

export type DeliveryKey = { guildId: string; eventId: string; endpointId: string };

/** A delivery that belongs to one worker until `claimedUntil`. */
export type ClaimedDelivery = DeliveryKey & {
  type: WebhookEventType;
  body: string;
  isTest: boolean;
  /** Tries made since the event, or its last replay. */
  tries: number;
  claimedUntil: Instant;
  endpoint: WebhookEndpoint;
};

export type ClaimRequest = {
  now: Instant;
  /** When the claim ends by itself: a worker that died loses what it held. */
  until: Instant;
  /** Null: of all guilds. */
  guildId: string | null;
  /** Endpoints that have enough under way. */
  except: readonly string[];
  /** When it is there: of these endpoints alone. */
  only?: readonly string[];
  limit: number;
};

/** One try: what was answered, or what went wrong before an answer came. */
export type AttemptResult = {
  at: Instant;
  status: number | null;
  durationMs: number;
  /** The first bytes of the answer, as text. */
  answer: string;
  error: Failure | null;
};

/** A try, and whom it was made to. */
export type AttemptRecord = AttemptResult & { endpointId: string };

export type DeliveryOutcome =
  | { state: 'delivered' }
  | { state: 'pending'; nextAttemptAt: Instant }
  | { state: 'failed' };

/** What a try says of its endpoint; a test says nothing. */
export type EndpointHealth = 'works' | 'fails' | 'unknown';

/** How many test events of a guild are kept. */
export const MAX_TESTS_KEPT = 50;

/** How many tries of one delivery are kept: those of its last replays. */
export const MAX_ATTEMPTS_KEPT = 20;

export interface WebhookQueueStore {
  /**
   * Takes deliveries that are due for this caller alone, the longest due first, and at most one for each endpoint:
   * a long queue of one endpoint keeps none of another's waiting. Nothing of a sanctioned guild is taken; it waits
   * until the sanction is lifted.
   */
  claim(request: ClaimRequest): Promise<ClaimedDelivery[]>;
  /**
   * Writes the try into the log and what comes next; of the delivery's tries the newest `MAX_ATTEMPTS_KEPT` stay there.
   * `false`, with nothing written, when the claim was lost.
   */
  finish(
    delivery: ClaimedDelivery,
    attempt: AttemptResult,
    outcome: DeliveryOutcome,
    health: EndpointHealth,
  ): Promise<boolean>;
  /** Gives a claim back without a try: the delivery is due at `now`. */
  release(delivery: ClaimedDelivery, now: Instant): Promise<void>;
  /**
   * Keeps a test for one endpoint, claimed by the caller, who sends it at once. `undefined`, with nothing written,
   * while another test of this endpoint is under way, or when the endpoint is gone. Of a guild's tests only the
   * newest `MAX_TESTS_KEPT` are kept.
   */
  beginTest(
    event: WebhookEvent,
    endpoint: WebhookEndpoint,
    claim: { now: Instant; until: Instant },
  ): Promise<ClaimedDelivery | undefined>;
  /** Lets the next test of the endpoint begin; one that is never ended is over when its claim is. */
  endTest(delivery: ClaimedDelivery): Promise<void>;
}

/** A delivery and its last try. */
export type DeliveryRecord = DeliveryKey & {
  type: WebhookEventType;
  isTest: boolean;
  occursAt: Instant;
  /** Null when the endpoint was removed. */
  url: string | null;
  state: DeliveryState;
  /** Tries ever made, replays included; more than the log keeps. */
  attempts: number;
  /** Null unless it is pending; for one that is under way, when it is taken up again if its worker dies. */
  nextAttemptAt: Instant | null;
  /** Null before the first try, and when the log no longer has it. */
  lastAttempt: AttemptResult | null;
};

/** Which events are sent again: one, or all that occurred from `since` on; to one endpoint, or to all. */
export type ReplayRequest = {
  guildId: string;
  which: { eventId: string } | { since: Instant };
  endpointId: string | null;
  now: Instant;
  /** Once so many deliveries are queued, the rest is left for another replay. */
  limit: number;
};

export type Replayed = {
  /** How many deliveries were queued. */
  queued: number;
  /** From when on events are left; null when there are none. */
  nextSince: Instant | null;
};

export type AttemptPruning = { after: string; keep: number; limit: number };

export interface WebhookHistoryStore {
  /**
   * Sends events again, under their own ids, to every endpoint that is on and asked for their type; tests never.
   * Deliveries that wait for a retry become due; those that are due or under way, and reminders of later, are left
   * alone. Events are queued in batches, the oldest first, each in a transaction of its own: what was queued before a
   * replay broke off stays queued, and a second replay queues the rest.
   */
  replay(request: ReplayRequest): Promise<Replayed>;
  /** Deliveries of events that have occurred, the newest first. */
  deliveries(guildId: string, now: Instant, limit: number): Promise<DeliveryRecord[]>;
  /** Every try of one event, endpoint by endpoint, the oldest first. */
  attempts(guildId: string, eventId: string): Promise<AttemptRecord[]>;
  /** Forgets at most `limit` events from before `before`, with their deliveries. Gives how many it were. */
  prune(before: Instant, limit: number): Promise<number>;
  /**
   * Looks at the first guild behind `after`, in the order of their ids, that has tries in the log, and forgets at most
   * `limit` of those that are not among its `keep` newest, by the time of their events. `undefined` when there is no
   * such guild.
   */
  pruneAttempts(request: AttemptPruning): Promise<{ guildId: string; dropped: number } | undefined>;
}

export interface WebhookStore extends WebhookEndpointStore, WebhookQueueStore, WebhookHistoryStore {}
