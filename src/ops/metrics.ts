import fastifyPlugin from 'fastify-plugin';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { SECOND_MS } from '../domain/clock.ts';
import { ERROR_STATUS } from '../domain/errors.ts';

export type Metrics = {
  /** Counts one answer. `route` is a pattern of ours, never an address a client chose. */
  observeRequest(route: string, status: number, seconds: number): void;
  voteCast(outcome: 'accepted' | 'refused'): void;
  /** Everything, in the text format of Prometheus. */
  text(): Promise<string>;
  readonly contentType: string;
};

/** A vote check takes well under a millisecond on SQLite; a page of a thousand votes some tens of them. */
const DURATION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The label of all requests that met no route: their addresses are endless. */
const UNMATCHED = 'unmatched';

export function createMetrics(): Metrics {
  const register = new Registry();
  collectDefaultMetrics({ register });
  const registers = [register];
  const votes = new Counter({
    name: 'votary_votes_total',
    help: 'Votes that were cast, by whether they were accepted',
    labelNames: ['outcome'],
    registers,
  });
  // A counter with labels shows nothing until it is used: start at zero, so that rates and alerts work at once.
  votes.inc({ outcome: 'accepted' }, 0);
  votes.inc({ outcome: 'refused' }, 0);
  const observer = createRequestObserver(registers);
  return {
    observeRequest: observer.observe,
    voteCast: (outcome) => votes.inc({ outcome }),
    text: () => {
      observer.flush();
      return register.metrics();
    },
    contentType: register.contentType,
  };
}

/** One answer in a row of a hundred costs a tenth of what it costs alone, between all else that a request does. */
const OBSERVED_TOGETHER = 100;

type RequestObserver = { observe: Metrics['observeRequest']; flush(): void };

function createRequestObserver(registers: Registry[]): RequestObserver {
  const requests = new Counter({
    name: 'votary_http_requests_total',
    help: 'Answers given, by route and status',
    labelNames: ['route', 'status'],
    registers,
  });
  const limited = new Counter({
    name: 'votary_rate_limited_total',
    help: 'Requests refused because their caller was over the rate limit',
    registers,
  });
  const durations = new Histogram({
    name: 'votary_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer',
    labelNames: ['route'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  let waiting: { route: string; status: number; seconds: number }[] = [];
  function flush(): void {
    for (const { route, status, seconds } of waiting) {
      if (status === ERROR_STATUS.RATE_LIMITED) limited.inc();
      requests.inc({ route, status });
      durations.observe({ route }, seconds);
    }
    waiting = [];
  }
  return {
    observe: (route, status, seconds) => {
      waiting.push({ route, status, seconds });
      if (waiting.length >= OBSERVED_TOGETHER) flush();
    },
    flush,
  };
}

/** Observes every answer of the server. */
export const requestMetrics = fastifyPlugin<{ metrics: Metrics }>((app, { metrics }, done) => {
  app.addHook('onResponse', (request, reply, next) => {
    const route = request.routeOptions.url ?? UNMATCHED;
    metrics.observeRequest(route, reply.statusCode, reply.elapsedTime / SECOND_MS);
    next();
  });
  done();
});
