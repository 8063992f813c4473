/**
 * The counters of a process, for Prometheus.
 *
 *   const metrics = createMetrics();
 *   metrics.voteCast('accepted');
 *   await metrics.text();
 */
import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import { SECOND_MS } from '../domain/clock.ts';
import { REMINDER_RESULTS } from '../domain/reminders.ts';
import { CHALLENGE_EVENTS } from '../domain/votes/challenges.ts';
import { VOTE_REFUSALS } from '../domain/votes/refusals.ts';
import { ROLE_RESULTS } from '../domain/votes/voter-role.ts';
import { CLIENT_ERRORS } from '../http/client-errors.ts';
import { CONNECTION_LIMITS } from '../http/connection-limits.ts';
import { PlainHistogram } from './histogram.ts';
import { ATTEMPT_RESULTS, CLAIM_RESULTS, type Metrics, QUERY_KINDS, VOTE_OUTCOMES } from './metrics.ts';

export type PrometheusMetrics = Metrics & {
  /** Where gauges are added, and what workers send to their primary. */
  readonly registry: Registry;
  /** All metrics in the Prometheus text format. */
  text(): Promise<string>;
  readonly contentType: string;
};

/**
 * In seconds. A vote check takes well under a millisecond on SQLite, a page of a thousand votes takes tens of
 * milliseconds.
 */
const REQUEST_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const QUERY_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 10];
const ATTEMPT_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30];

const RATE_LIMITED_STATUS = 429;

export function createMetrics(): PrometheusMetrics {
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
  const countRequest = requestCounter(registry);
  const durations = new PlainHistogram({
    name: 'votary_http_request_duration_seconds',
    help: 'Time from reading a request to the end of its response, by route',
    label: 'route',
    buckets: REQUEST_BUCKETS,
    registry,
  });
  const attempts = new PlainHistogram({
    name: 'votary_webhook_attempt_duration_seconds',
    help: 'Time that receivers of webhooks took to respond',
    buckets: ATTEMPT_BUCKETS,
    registry,
  });
  const queries = new PlainHistogram({
    name: 'votary_database_query_duration_seconds',
    help: 'Time of queries and transactions, including the wait for a connection',
    label: 'kind',
    buckets: QUERY_BUCKETS,
    registry,
  });
  for (const kind of QUERY_KINDS) queries.start(kind);
  const count = counters(registry);
  const countAttempt = count('votary_webhook_attempts_total', WEBHOOK_HELP, 'result', ATTEMPT_RESULTS);
  const countFailedQuery = count('votary_database_errors_total', QUERY_HELP, 'kind', QUERY_KINDS);
  return {
    observeRequest: (route, status, seconds) => {
      countRequest(route, status);
      durations.add(route, seconds);
      if (status === RATE_LIMITED_STATUS) limited.inc();
    },
    locallyCounted: () => locallyCounted.inc(),
    voteCast: count('votary_votes_total', 'Votes, by whether they were accepted', 'outcome', VOTE_OUTCOMES),
    voteRefused: count('votary_vote_refusals_total', 'Refused votes, by reason', 'reason', VOTE_REFUSALS),
    challenge: count('votary_challenges_total', 'Challenges to voters', 'event', CHALLENGE_EVENTS),
    claim: count('votary_claims_total', 'Claims of votes, by result', 'result', CLAIM_RESULTS),
    webhookAttempt: (result, durationMs) => {
      countAttempt(result);
      attempts.add('', durationMs / SECOND_MS);
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
      queries.add(kind, durationMs / SECOND_MS);
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

/** Counts responses by route and status. The counter of prom-client is only filled when it is read. */
function requestCounter(registry: Registry): (route: string, status: number) => void {
  const counts: { route: string; status: number; count: number }[] = [];
  const byRoute = new Map<string, Map<number, { count: number }>>();
  new Counter({
    name: 'votary_http_requests_total',
    help: 'Responses, by route and status',
    labelNames: ['route', 'status'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { route, status, count } of counts) this.inc({ route, status }, count);
    },
  });
  const add = (route: string, status: number): { count: number } => {
    const added = { route, status, count: 0 };
    counts.push(added);
    byRoute.set(route, (byRoute.get(route) ?? new Map()).set(status, added));
    return added;
  };
  return (route, status) => {
    const counted = byRoute.get(route)?.get(status) ?? add(route, status);
    counted.count += 1;
  };
}
