import type { Instant } from '../../domain/clock.ts';
import { parseDestination, type StoredKind } from '../../domain/webhooks/destination.ts';
import {
  isSubscribable,
  type SubscribableEvent,
  type WebhookEvent,
  type WebhookEventType,
} from '../../domain/webhooks/event.ts';
import { toFailure } from '../../domain/webhooks/failure.ts';
import type {
  AttemptRecord,
  AttemptResult,
  ClaimedDelivery,
  DeliveryOutcome,
  DeliveryRecord,
  DeliveryState,
  DisabledReason,
  WebhookEndpoint,
} from './store.ts';

/** Rows as both databases return them. Column checks guarantee the types of state and reason. */
export type EndpointRow = {
  guild_id: string;
  endpoint_id: string;
  name: string | null;
  kind: StoredKind;
  url: string;
  options: string;
  events: string;
  secret: string;
  previous_secret: string | null;
  previous_secret_until: Instant | null;
  created_at: Instant;
  failing_since: Instant | null;
  disabled_at: Instant | null;
  disabled_reason: DisabledReason | null;
  paused_at: Instant | null;
};

export type ClaimRow = EndpointRow & {
  event_id: string;
  type: WebhookEventType;
  occurs_at: Instant;
  body: string;
  is_test: boolean | number;
  tries: number;
  claimed_until: Instant;
};

type AttemptRow = {
  at: Instant;
  status: number | null;
  duration_ms: number;
  answer: string;
  error: string | null;
};

export type EventTime = { event_id: string; occurs_at: Instant };

/** The position of an attempt within its guild. */
export type AttemptKey = { event_id: string; endpoint_id: string; number: number };

export type AttemptRecordRow = AttemptRow & { endpoint_id: string };

export type DeliveryRow = { [column in keyof AttemptRow]: AttemptRow[column] | null } & {
  guild_id: string;
  event_id: string;
  endpoint_id: string;
  type: WebhookEventType;
  is_test: boolean | number;
  occurs_at: Instant;
  kind: StoredKind | null;
  url: string | null;
  state: DeliveryState;
  attempts: number;
  next_attempt_at: Instant;
};

export function formatEvents(events: readonly SubscribableEvent[]): string {
  return events.join(',');
}

export function parseEvents(text: string): SubscribableEvent[] {
  return text.split(',').filter(isSubscribable);
}

export function toEndpoint(row: EndpointRow): WebhookEndpoint {
  return {
    guildId: row.guild_id,
    endpointId: row.endpoint_id,
    name: row.name,
    destination: parseDestination(row.kind, row.options),
    url: row.url,
    events: parseEvents(row.events),
    secrets: {
      current: row.secret,
      previous:
        row.previous_secret === null || row.previous_secret_until === null
          ? null
          : { sealed: row.previous_secret, validUntil: row.previous_secret_until },
    },
    createdAt: row.created_at,
    failingSince: row.failing_since,
    disabled:
      row.disabled_at === null || row.disabled_reason === null
        ? null
        : { at: row.disabled_at, reason: row.disabled_reason },
    pausedAt: row.paused_at,
  };
}

export function toClaimedDelivery(row: ClaimRow): ClaimedDelivery {
  return {
    guildId: row.guild_id,
    eventId: row.event_id,
    endpointId: row.endpoint_id,
    type: row.type,
    occursAt: row.occurs_at,
    body: row.body,
    isTest: Boolean(row.is_test),
    tries: row.tries,
    claimedUntil: row.claimed_until,
    endpoint: toEndpoint(row),
  };
}

/** A test is claimed when it is stored, so no worker sends it. */
export function toClaimedTest(
  { guildId, eventId, type, occursAt, body }: WebhookEvent,
  endpoint: WebhookEndpoint,
  claimedUntil: Instant,
): ClaimedDelivery {
  const { endpointId } = endpoint;
  return {
    guildId,
    eventId,
    endpointId,
    type,
    occursAt,
    body,
    isTest: true,
    tries: 0,
    claimedUntil,
    endpoint,
  };
}

export function toAttemptRecord(row: AttemptRecordRow): AttemptRecord {
  return { endpointId: row.endpoint_id, ...toAttempt(row) };
}

function toAttempt(row: AttemptRow): AttemptResult {
  const { at, status, duration_ms: durationMs, answer, error } = row;
  return { at, status, durationMs, answer, error: error === null ? null : toFailure(error) };
}

export function toDeliveryRecord(row: DeliveryRow): DeliveryRecord {
  const { at, status, duration_ms, answer, error } = row;
  const isTried = at !== null && duration_ms !== null && answer !== null;
  return {
    guildId: row.guild_id,
    eventId: row.event_id,
    endpointId: row.endpoint_id,
    type: row.type,
    isTest: Boolean(row.is_test),
    occursAt: row.occurs_at,
    kind: row.kind,
    url: row.url,
    state: row.state,
    attempts: row.attempts,
    nextAttemptAt: row.state === 'pending' ? row.next_attempt_at : null,
    lastAttempt: isTried ? toAttempt({ at, status, duration_ms, answer, error }) : null,
  };
}

/** How many of the delivery's attempts an attempt uses. */
export function countedTries(outcome: DeliveryOutcome): 0 | 1 {
  return outcome.state === 'pending' && outcome.hold ? 0 : 1;
}
