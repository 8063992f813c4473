import fastifyPlugin from 'fastify-plugin';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type Instant, SECOND_MS } from '../domain/clock.ts';
import {
  CHALLENGE_EVENTS,
  type ChallengeEvent,
  VOTE_REFUSALS,
  type VoteRefusal,
} from '../domain/votes/refusal.ts';
import { CONNECTION_LIMITS, type ConnectionLimit } from '../http/connections/limits.ts';
import { batchByTick, msSinceArrival } from '../http/ticks.ts';

export type Metrics = {
  /** Counts one response. `route` is a route pattern, never a path chosen by a client. */
  observeRequest(route: string, status: number, seconds: number): void;
  voteCast(outcome: 'accepted' | 'refused'): void;
  voteRefused(reason: VoteRefusal): void;
  challenge(event: ChallengeEvent): void;
  connectionLimited(limit: ConnectionLimit): void;
  watchCertificate(expiresAt: () => Instant): void;
  /** All metrics in the Prometheus text format. */
  text(): Promise<string>;
  readonly contentType: string;
};

/** The label of all requests without a route, because their paths are unbounded. */
const UNMATCHED = 'unmatched';

/** In seconds. A vote check takes well under a millisecond on SQLite, a page of a thousand votes tens of them. */
const DURATION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const RATE_LIMITED_STATUS = 429;

/** Values counted elsewhere, read at every scrape. */
export type MetricSources = { droppedLogLines?: () => number };

export function createMetrics({ droppedLogLines = () => 0 }: MetricSources = {}): Metrics {
  const register = new Registry();
  collectDefaultMetrics({ register });
  const registers = [register];
  new Counter({
    name: 'votary_log_lines_dropped_total',
    help: 'Log lines that were lost because the output was full or not read',
    registers,
    collect() {
      this.reset();
      this.inc(droppedLogLines());
    },
  });
  const votes = new Counter({
    name: 'votary_votes_total',
    help: 'Votes that were cast, by whether they were accepted',
    labelNames: ['outcome'],
    registers,
  });
  // A labelled counter is absent until it is used: start at zero, so that rates and alerts work immediately.
  votes.inc({ outcome: 'accepted' }, 0);
  votes.inc({ outcome: 'refused' }, 0);
  const refusals = new Counter({
    name: 'votary_vote_refusals_total',
    help: 'Votes that were refused, by reason',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of VOTE_REFUSALS) refusals.inc({ reason }, 0);
  const challenges = new Counter({
    name: 'votary_challenges_total',
    help: 'Challenges to voters, by what happened',
    labelNames: ['event'],
    registers,
  });
  for (const event of CHALLENGE_EVENTS) challenges.inc({ event }, 0);
  const limited = new Counter({
    name: 'votary_rate_limited_total',
    help: 'Requests refused because their caller was over the rate limit',
    registers,
  });
  const connectionLimits = new Counter({
    name: 'votary_connection_limits_total',
    help: 'Times a limit on connections was applied, by limit',
    labelNames: ['limit'],
    registers,
  });
  for (const limit of CONNECTION_LIMITS) connectionLimits.inc({ limit }, 0);
  const requests = new Counter({
    name: 'votary_http_requests_total',
    help: 'Answers given, by route and status',
    labelNames: ['route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'votary_http_request_duration_seconds',
    help: 'Time from when a request was read to the end of its answer',
    labelNames: ['route'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  return {
    observeRequest: (route, status, seconds) => {
      requests.inc({ route, status });
      durations.observe({ route }, seconds);
      if (status === RATE_LIMITED_STATUS) limited.inc();
    },
    voteCast: (outcome) => votes.inc({ outcome }),
    voteRefused: (reason) => refusals.inc({ reason }),
    challenge: (event) => challenges.inc({ event }),
    connectionLimited: (limit) => connectionLimits.inc({ limit }),
    watchCertificate: (expiresAt) => {
      new Gauge({
        name: 'votary_certificate_expiry_timestamp_seconds',
        help: 'When the certificate expires, as a Unix time',
        registers,
        collect() {
          this.set(expiresAt() / SECOND_MS);
        },
      });
    },
    text: () => register.metrics(),
    contentType: register.contentType,
  };
}

/** Observes every response. */
export const requestMetrics = fastifyPlugin<{ metrics: Metrics }>((app, { metrics }, done) => {
  const observe = batchByTick<Parameters<Metrics['observeRequest']>>((answer) =>
    metrics.observeRequest(...answer),
  );
  app.addHook('onResponse', (request, reply, next) => {
    const route = request.routeOptions.url ?? UNMATCHED;
    observe([route, reply.statusCode, msSinceArrival(reply) / SECOND_MS]);
    next();
  });
  done();
});
