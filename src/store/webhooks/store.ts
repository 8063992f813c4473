/**
 * Webhook storage: endpoints, the delivery queue and the delivery log. Vote events are written by `votes.cast`, in
 * the transaction of the vote.
 */
import type { Instant } from '../../domain/clock.ts';
import type { Destination, StoredKind } from '../../domain/webhooks/destination.ts';
import type { SubscribableEvent, WebhookEvent, WebhookEventType } from '../../domain/webhooks/event.ts';
import type { Failure } from '../../domain/webhooks/failure.ts';

/** Why an endpoint was disabled: the receiver responded with 410, or nothing was delivered for days. */
export type DisabledReason = 'gone' | 'failing';

/**
 * Secrets are encrypted: the signing secret, the token of a Discord URL, or that of a Votifier server. The previous
 * signing secret of Standard Webhooks stays valid for a while after a rotation.
 */
export type EndpointSecrets = {
  current: string;
  previous: { sealed: string; validUntil: Instant } | null;
};

export type WebhookEndpoint = {
  guildId: string;
  endpointId: string;
  /** The name given by its admins. */
  name: string | null;
  destination: Destination;
  /** Without secrets, except in a path that an admin chose. */
  url: string;
  events: SubscribableEvent[];
  secrets: EndpointSecrets;
  createdAt: Instant;
  /** The first failure since the last success. */
  failingSince: Instant | null;
  disabled: { at: Instant; reason: DisabledReason } | null;
  /** When an admin paused deliveries. They stay queued until the endpoint is resumed. */
  pausedAt: Instant | null;
};

export type NewEndpoint = Omit<WebhookEndpoint, 'failingSince' | 'disabled' | 'pausedAt'>;

/** The editable fields. `secret`: a sealed one that replaces the current one immediately. */
export type EndpointSettings = Pick<WebhookEndpoint, 'name' | 'destination' | 'url' | 'events'> & {
  secret?: string;
};

export interface WebhookEndpointStore {
  /** Changes nothing if the guild does not exist or already has `maxEndpoints`. */
  addEndpoint(endpoint: NewEndpoint, maxEndpoints: number): Promise<'added' | 'too-many' | 'unknown-guild'>;
  /** Oldest first. */
  listEndpoints(guildId: string): Promise<WebhookEndpoint[]>;
  findEndpoint(guildId: string, endpointId: string): Promise<WebhookEndpoint | undefined>;
  /** Deletes pending deliveries; past ones stay in the log. Returns false if the endpoint does not exist. */
  removeEndpoint(guildId: string, endpointId: string): Promise<boolean>;
  /**
   * Deletes pending deliveries of types it no longer subscribes to. A new URL or secret resets its failures. The kind
   * of an endpoint never changes. Returns false if the endpoint does not exist.
   */
  updateEndpoint(guildId: string, endpointId: string, settings: EndpointSettings): Promise<boolean>;
  /** Returns false, without changes, if the endpoint does not exist or `replaces` is not its current secret. */
  setSecrets(
    guildId: string,
    endpointId: string,
    secrets: EndpointSecrets,
    replaces?: string,
  ): Promise<boolean>;
  /**
   * Pauses the endpoint, or resumes it with `null`: queued deliveries are then sent, and failures are reset. Returns
   * false if nothing changes.
   */
  setPaused(guildId: string, endpointId: string, at: Instant | null): Promise<boolean>;
  /** Re-enables the endpoint and resets its failures; pending deliveries are sent. */
  enableEndpoint(guildId: string, endpointId: string): Promise<boolean>;
  /** Nothing is sent until it is re-enabled; current and future deliveries stay pending. */
  disableEndpoint(guildId: string, endpointId: string, at: Instant, reason: DisabledReason): Promise<boolean>;
}

/**
 * `pending`: waiting for an attempt, or in progress. `skipped`: the receiver cannot accept this event. `uncertain`:
 * the vote was sent but no response arrived; since the server could count it twice, it is only resent on request.
 */
export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'skipped' | 'uncertain';

export type DeliveryKey = { guildId: string; eventId: string; endpointId: string };

/** A delivery that one worker holds until `claimedUntil`. */
export type ClaimedDelivery = DeliveryKey & {
  type: WebhookEventType;
  occursAt: Instant;
  body: string;
  isTest: boolean;
  /** Counted attempts since the event or its last replay. */
  tries: number;
  claimedUntil: Instant;
  endpoint: WebhookEndpoint;
};

/** An endpoint with a due delivery. */
export type DueEndpoint = { guildId: string; endpointId: string };

export type DueRequest = {
  now: Instant;
  /** Null: all guilds. */
  guildIds: readonly string[] | null;
  /** Endpoints that have reached their limit. */
  except: readonly string[];
  /** If given, only these endpoints. */
  only?: readonly string[];
  limit: number;
};

/** `until`: when the claim expires, in case the worker dies. */
export type ClaimTime = { now: Instant; until: Instant };

/** One attempt: the response, or the error. */
export type AttemptResult = {
  at: Instant;
  status: number | null;
  durationMs: number;
  /** The first bytes of the response, as text. */
  answer: string;
  error: Failure | null;
};

/** An attempt with its endpoint. */
export type AttemptRecord = AttemptResult & { endpointId: string };

export type DeliveryOutcome =
  | { state: Exclude<DeliveryState, 'pending'> }
  /** With `hold`, the attempt is logged, but does not count: the receiver asked for a pause. */
  | { state: 'pending'; nextAttemptAt: Instant; hold?: 'postponed' | 'busy' };

/** What an attempt says about its endpoint; nothing for a test. */
export type EndpointHealth = 'works' | 'fails' | 'unknown';

/** The number of test events kept per guild. */
export const MAX_TESTS_KEPT = 50;

/** The number of attempts kept per delivery: the latest ones. */
export const MAX_ATTEMPTS_KEPT = 20;

/** Counting stops here, because it reads every entry: on SQLite, requests wait in the meantime. */
export const MAX_BACKLOG_COUNTED = 10_000;

/** Deliveries that are not completed. */
export type Backlog = {
  /** Should have been sent by now. */
  due: number;
  /** Will be sent later: retries, reminders and attempts in progress. */
  scheduled: number;
  /** Waiting for an endpoint that is paused or disabled, or for a sanction to be lifted. */
  held: number;
  /** When the delivery that is due the longest should have been sent. Null if none is due. */
  dueSince: Instant | null;
};

export interface WebhookQueueStore {
  /**
   * Endpoints with due deliveries, longest due first. Deliveries of sanctioned guilds wait until the sanction is lifted.
   */
  findDue(request: DueRequest): Promise<DueEndpoint[]>;
  /**
   * Claims the first due delivery of each endpoint for this caller: one per endpoint, so a long queue of one endpoint does
   * not delay the others.
   */
  claim(endpoints: readonly DueEndpoint[], time: ClaimTime): Promise<ClaimedDelivery[]>;
  /**
   * Logs the attempt and schedules what comes next; the latest `MAX_ATTEMPTS_KEPT` attempts of the delivery are kept.
   * Returns false, without changes, if the claim was lost.
   */
  finish(
    delivery: ClaimedDelivery,
    attempt: AttemptResult,
    outcome: DeliveryOutcome,
    health: EndpointHealth,
  ): Promise<boolean>;
  /**
   * Makes a claimed delivery `uncertain` until `finish`, so that it is not sent again if the process ends in between.
   * Returns false, without changes, if the claim was lost.
   */
  markSent(delivery: ClaimedDelivery): Promise<boolean>;
  /** Releases a claim without an attempt, also after `markSent`: the delivery is due at `dueAt`. */
  release(delivery: ClaimedDelivery, dueAt: Instant): Promise<void>;
  /**
   * Stores a test for one endpoint, claimed by the caller, who sends it immediately. Returns `undefined`, without
   * changes, while another test of this endpoint is in progress or if the endpoint does not exist. Only the latest
   * `MAX_TESTS_KEPT` tests of a guild are kept.
   */
  beginTest(
    event: WebhookEvent,
    endpoint: WebhookEndpoint,
    claim: { now: Instant; until: Instant },
  ): Promise<ClaimedDelivery | undefined>;
  /** Counts at most `MAX_BACKLOG_COUNTED` deliveries of each kind. */
  backlog(now: Instant): Promise<Backlog>;
  /** Allows the next test of the endpoint; an unfinished one ends when its claim expires. */
  endTest(delivery: ClaimedDelivery): Promise<void>;
}

/** A delivery with its last attempt. */
export type DeliveryRecord = DeliveryKey & {
  type: WebhookEventType;
  isTest: boolean;
  occursAt: Instant;
  /** Null when the endpoint was removed. */
  kind: StoredKind | null;
  url: string | null;
  state: DeliveryState;
  /** All attempts including replays; can be more than the log keeps. */
  attempts: number;
  /** Null unless pending; for one in progress, when it is retried if its worker dies. */
  nextAttemptAt: Instant | null;
  /** Null before the first attempt, and when it is no longer in the log. */
  lastAttempt: AttemptResult | null;
};

/** Which events to resend: one, or all since `since`; to one endpoint, or to all. */
export type ReplayRequest = {
  guildId: string;
  which: { eventId: string } | { since: Instant };
  endpointId: string | null;
  now: Instant;
  /** After this many deliveries, the rest is left for another replay. */
  limit: number;
};

export type Replayed = {
  /** The number of queued deliveries. */
  queued: number;
  /** The time of the first event that was not queued; null when there is none. */
  nextSince: Instant | null;
};

export type AttemptPruning = { after: string; keep: number; limit: number };

export interface WebhookHistoryStore {
  /**
   * Resends events, with their original ids, to every active endpoint that subscribes to their type; never tests.
   * Deliveries waiting for a retry become due; those that are due or in progress, and future reminders, are left alone.
   * Discord, Votifier and receivers of top.gg's formats do not recognize duplicates: what they may have received is only
   * resent if both the event and the endpoint are given. Events are queued in batches, oldest first, each in a separate transaction: if a replay is
   * interrupted, what was queued stays queued, and a second replay queues the rest.
   */
  replay(request: ReplayRequest): Promise<Replayed>;
  /** Deliveries of past events, newest first. */
  deliveries(guildId: string, now: Instant, limit: number): Promise<DeliveryRecord[]>;
  /** Every attempt for one event, by endpoint, oldest first. */
  attempts(guildId: string, eventId: string): Promise<AttemptRecord[]>;
  /** Deletes at most `limit` events from before `before`, with their deliveries. Returns the number. */
  prune(before: Instant, limit: number): Promise<number>;
  /**
   * For the first guild after `after`, by id, that has attempts in the log, deletes at most `limit` of those beyond
   * its `keep` latest, by the time of their events. `undefined` when there is no such guild.
   */
  pruneAttempts(request: AttemptPruning): Promise<{ guildId: string; dropped: number } | undefined>;
}

export interface WebhookStore extends WebhookEndpointStore, WebhookQueueStore, WebhookHistoryStore {}
