/**
 * The counters of a process. Values that are only read during a scrape are in gauges.ts.
 *
 *   const metrics = createMetrics();
 *   metrics.voteCast('accepted');
 *   await metrics.text();
 */
import fastifyPlugin from 'fastify-plugin';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { SECOND_MS } from '../domain/clock.ts';
import { REMINDER_RESULTS, type ReminderResult } from '../domain/reminders.ts';
import { CHALLENGE_EVENTS, type ChallengeEvent } from '../domain/votes/challenges.ts';
import { VOTE_REFUSALS, type VoteRefusal } from '../domain/votes/refusals.ts';
import { ROLE_RESULTS, type RoleResult } from '../domain/votes/voter-role.ts';
import { CLIENT_ERRORS, type ClientError } from '../http/client-errors.ts';
import { CONNECTION_LIMITS, type ConnectionLimit } from '../http/connection-limits.ts';
import { batchByTick, msSinceArrival } from '../http/ticks.ts';
import type { QueryKind, QueryObserver, Store } from '../store/store.ts';
import type { DeliveryState } from '../store/webhooks/store.ts';

const VOTE_OUTCOMES = ['accepted', 'refused'] as const;
const CLAIM_RESULTS = ['claimed', 'empty', 'replayed', 'mismatch', 'released'] as const;
const ATTEMPT_RESULTS = ['delivered', 'retried', 'failed', 'skipped', 'uncertain'] as const;
const QUERY_KINDS = ['query', 'transaction'] as const satisfies QueryKind[];

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
  /** Where gauges are added, and what workers send to their primary. */
  readonly registry: Registry;
  /** All metrics in the Prometheus text format. */
  text(): Promise<string>;
  readonly contentType: string;
};

/** The label of all requests without a route, because their paths are unbounded. */
const UNMATCHED = 'unmatched';

/**
 * In seconds. A vote check takes well under a millisecond on SQLite, a page of a thousand votes takes tens of
 * milliseconds.
 */
const REQUEST_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const QUERY_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 10];
const ATTEMPT_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30];

const RATE_LIMITED_STATUS = 429;

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const limited = new Counter({
    name: 'votary_rate_limited_total',
    help: 'Requests refused because their caller was over the rate limit',
    registers,
  });
  const locallyCounted = new Counter({
    name: 'votary_rate_limit_local_total',
    help: 'Requests that this process counted on its own, because the shared counter was unavailable',
    registers,
  });
  const requests = new Counter({
    name: 'votary_http_requests_total',
    help: 'Responses, by route and status',
    labelNames: ['route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'votary_http_request_duration_seconds',
    help: 'Time from reading a request to the end of its response, by route',
    labelNames: ['route'],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  const attempts = new Histogram({
    name: 'votary_webhook_attempt_duration_seconds',
    help: 'Time that receivers of webhooks took to respond',
    buckets: ATTEMPT_BUCKETS,
    registers,
  });
  const queries = new Histogram({
    name: 'votary_database_query_duration_seconds',
    help: 'Time of queries and transactions, including the wait for a connection',
    labelNames: ['kind'],
    buckets: QUERY_BUCKETS,
    registers,
  });
  for (const kind of QUERY_KINDS) queries.zero({ kind });
  const timed = { query: queries.labels('query'), transaction: queries.labels('transaction') };
  const count = counters(registry);
  const countAttempt = count('votary_webhook_attempts_total', WEBHOOK_HELP, 'result', ATTEMPT_RESULTS);
  const countFailedQuery = count('votary_database_errors_total', QUERY_HELP, 'kind', QUERY_KINDS);
  return {
    observeRequest: (route, status, seconds) => {
      requests.inc({ route, status });
      durations.observe({ route }, seconds);
      if (status === RATE_LIMITED_STATUS) limited.inc();
    },
    locallyCounted: () => locallyCounted.inc(),
    voteCast: count('votary_votes_total', 'Votes, by whether they were accepted', 'outcome', VOTE_OUTCOMES),
    voteRefused: count('votary_vote_refusals_total', 'Refused votes, by reason', 'reason', VOTE_REFUSALS),
    challenge: count('votary_challenges_total', 'Challenges to voters', 'event', CHALLENGE_EVENTS),
    claim: count('votary_claims_total', 'Claims of votes, by result', 'result', CLAIM_RESULTS),
    webhookAttempt: (result, durationMs) => {
      countAttempt(result);
      attempts.observe(durationMs / SECOND_MS);
    },
    reminder: count(
      'votary_reminders_total',
      'Reminders, by what became of them',
      'result',
      REMINDER_RESULTS,
    ),
    voterRole: count(
      'votary_voter_roles_total',
      'Voter roles in Discord, by what was done',
      'result',
      ROLE_RESULTS,
    ),
    databaseQuery: (kind, durationMs, hasFailed) => {
      timed[kind].observe(durationMs / SECOND_MS);
      if (hasFailed) countFailedQuery(kind);
    },
    connectionLimited: count(
      'votary_connection_limits_total',
      'Times a limit on connections was applied, by limit',
      'limit',
      CONNECTION_LIMITS,
    ),
    clientError: count(
      'votary_malformed_requests_total',
      'Requests that could not be parsed, by error code of the response',
      'error',
      CLIENT_ERRORS,
    ),
    registry,
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

const WEBHOOK_HELP =
  'Attempts to deliver a webhook: delivered, to be retried, failed for good, skipped, or without a known result';
const QUERY_HELP = 'Queries and transactions that failed';

/**
 * Makes counters with one label. Every value starts at zero, because a labelled counter is absent until it is used, and
 * rates and alerts need the first increase. The label sets are made once and not at every increase.
 */
function counters(registry: Registry) {
  return <Value extends string>(name: string, help: string, label: string, values: readonly Value[]) => {
    const counter = new Counter({ name, help, labelNames: [label], registers: [registry] });
    const children = new Map<Value, Counter.Internal>();
    for (const value of values) {
      counter.inc({ [label]: value }, 0);
      children.set(value, counter.labels(value));
    }
    return (value: Value): void => children.get(value)?.inc();
  };
}

/** Observes responses at the end of their tick. */
export function createResponseObserver(metrics: Pick<Metrics, 'observeRequest'>) {
  const observe = batchByTick<[route: string, status: number, ms: number]>(([route, status, ms]) =>
    metrics.observeRequest(route, status, ms / SECOND_MS),
  );
  return (route: string, status: number, ms: number): void => observe([route, status, ms]);
}

/** Observes every response. */
export const requestMetrics = fastifyPlugin<{ metrics: Metrics }>((app, { metrics }, done) => {
  const observe = createResponseObserver(metrics);
  app.addHook('onResponse', (request, reply, next) => {
    const route = request.routeOptions.url ?? UNMATCHED;
    observe(route, reply.statusCode, msSinceArrival(request.raw) ?? reply.elapsedTime);
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
