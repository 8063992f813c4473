/**
 * What is counted in a process. `createMetrics` in prometheus.ts counts it for Prometheus; values that are only read
 * during a scrape are in gauges.ts.
 */
import fastifyPlugin from 'fastify-plugin';
import { SECOND_MS } from '../domain/clock.ts';
import type { ReminderResult } from '../domain/reminders.ts';
import type { ChallengeEvent } from '../domain/votes/challenges.ts';
import type { VoteRefusal } from '../domain/votes/refusals.ts';
import type { RoleResult } from '../domain/votes/voter-role.ts';
import type { ClientError } from '../http/client-errors.ts';
import type { ConnectionLimit } from '../http/connection-limits.ts';
import { msSinceArrival } from '../http/ticks.ts';
import type { QueryKind, QueryObserver, Store } from '../store/store.ts';
import type { DeliveryState } from '../store/webhooks/store.ts';

export const VOTE_OUTCOMES = ['accepted', 'refused'] as const;
export const CLAIM_RESULTS = ['claimed', 'empty', 'replayed', 'mismatch', 'released'] as const;
export const ATTEMPT_RESULTS = ['delivered', 'retried', 'failed', 'skipped', 'uncertain'] as const;
export const QUERY_KINDS = ['query', 'transaction'] as const satisfies QueryKind[];

export type ClaimMetric = (typeof CLAIM_RESULTS)[number];
export type AttemptMetric = (typeof ATTEMPT_RESULTS)[number];

export type Metrics = {
  /** Counts one response. `route` is a route pattern, never a path chosen by a client. */
  observeRequest(route: string, status: number, seconds: number): void;
  voteCast(outcome: (typeof VOTE_OUTCOMES)[number]): void;
  voteRefused(reason: VoteRefusal): void;
  challenge(event: ChallengeEvent): void;
  claim(result: ClaimMetric): void;
  webhookAttempt(result: AttemptMetric, durationMs: number): void;
  reminder(result: ReminderResult): void;
  voterRole(result: RoleResult): void;
  databaseQuery: QueryObserver;
  /** A request that could not be counted in the database. */
  locallyCounted(): void;
  connectionLimited(limit: ConnectionLimit): void;
  clientError(error: ClientError): void;
};

const ignore = (): void => undefined;

/** For a service whose metrics nobody can read: it has no VOTARY_METRICS_PORT. */
export const NO_METRICS: Metrics = {
  observeRequest: ignore,
  voteCast: ignore,
  voteRefused: ignore,
  challenge: ignore,
  claim: ignore,
  webhookAttempt: ignore,
  reminder: ignore,
  voterRole: ignore,
  databaseQuery: ignore,
  locallyCounted: ignore,
  connectionLimited: ignore,
  clientError: ignore,
};

/** The label of all requests without a route, because their paths are unbounded. */
const UNMATCHED = 'unmatched';

/** Observes every response. */
export const requestMetrics = fastifyPlugin<{ metrics: Metrics }>((app, { metrics }, done) => {
  app.addHook('onResponse', (request, reply, next) => {
    const route = request.routeOptions.url ?? UNMATCHED;
    const ms = msSinceArrival(request.raw) ?? reply.elapsedTime;
    metrics.observeRequest(route, reply.statusCode, ms / SECOND_MS);
    next();
  });
  done();
});

/** Wraps a store to count claims and webhook attempts. Tests of an endpoint are not counted. */
export function countChanges(store: Store, metrics: Pick<Metrics, 'claim' | 'webhookAttempt'>): Store {
  const claim: Store['claims']['claim'] = async (request) => {
    const result = await store.claims.claim(request);
    if (result.kind === 'too-many-consumers') return result;
    if (result.kind === 'mismatch') metrics.claim('mismatch');
    else if (result.replayed) metrics.claim('replayed');
    else metrics.claim(result.claimed ? 'claimed' : 'empty');
    return result;
  };
  const release: Store['claims']['release'] = async (...which) => {
    const isReleased = await store.claims.release(...which);
    if (isReleased) metrics.claim('released');
    return isReleased;
  };
  const finish: Store['webhooks']['finish'] = async (delivery, attempt, outcome, health) => {
    const isRecorded = await store.webhooks.finish(delivery, attempt, outcome, health);
    if (!delivery.isTest) metrics.webhookAttempt(ATTEMPT_OF[outcome.state], attempt.durationMs);
    return isRecorded;
  };
  return {
    ...store,
    claims: { ...store.claims, claim, release },
    webhooks: { ...store.webhooks, finish },
  };
}

const ATTEMPT_OF: Record<DeliveryState, AttemptMetric> = {
  delivered: 'delivered',
  pending: 'retried',
  failed: 'failed',
  skipped: 'skipped',
  uncertain: 'uncertain',
};
