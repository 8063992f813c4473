import fastifyPlugin from 'fastify-plugin';
import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import { SECOND_MS } from '../domain/clock.ts';
import { msSinceArrival } from './arrival.ts';
import { CONNECTION_LIMITS, type ConnectionLimit } from './connections/limit-report.ts';
import { RequestTally } from './request-tally.ts';

export type Metrics = {
  /** Counts one answer. `route` is a pattern of ours, never an address a client chose. */
  observeRequest(route: string, status: number, seconds: number): void;
  voteCast(outcome: 'accepted' | 'refused'): void;
  connectionLimited(limit: ConnectionLimit): void;
  /** Everything, in the text format of Prometheus. */
  text(): Promise<string>;
  readonly contentType: string;
};

/** The label of all requests that met no route: their addresses are endless. */
const UNMATCHED = 'unmatched';

const RATE_LIMITED_STATUS = 429;

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
  const requests = new RequestTally();
  return {
    observeRequest: (route, status, seconds) => {
      requests.add(route, status, seconds);
      if (status === RATE_LIMITED_STATUS) limited.inc();
    },
    voteCast: (outcome) => votes.inc({ outcome }),
    connectionLimited: (limit) => connectionLimits.inc({ limit }),
    text: async () => `${await register.metrics()}\n${requests.text()}`,
    contentType: register.contentType,
  };
}

/** Observes every answer of the server. */
export const requestMetrics = fastifyPlugin<{ metrics: Metrics }>((app, { metrics }, done) => {
  app.addHook('onResponse', (request, reply, next) => {
    const route = request.routeOptions.url ?? UNMATCHED;
    metrics.observeRequest(route, reply.statusCode, msSinceArrival(request) / SECOND_MS);
    next();
  });
  done();
});
