/**
 * The whole service as one Fastify instance, in the order a request passes it. The surrounding process (opening,
 * listening, stopping) is in service.ts, so tests can use the same server.
 */

import { createServer as createHttpServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import fastify from 'fastify';
import type { Logger } from 'pino';
import { ERROR_STATUS, errorBody, handleError } from './api/errors/responses.ts';
import { LISTFORGE_PREFIX, listforge } from './api/listforge.ts';
import type { ManageDeps } from './api/manage/endpoint.ts';
import { MANAGE_PREFIX, manage } from './api/manage/index.ts';
import { supportAllMethods } from './api/methods.ts';
import { TOPGG_PREFIX, topgg } from './api/topgg/index.ts';
import { unversioned } from './api/unversioned.ts';
import type { V7Deps } from './api/v7/endpoint.ts';
import { createFirstRequests } from './api/v7/first-requests.ts';
import { V7_PREFIX, v7 } from './api/v7/index.ts';
import { answerPlainVoteChecks, type PlainVoteCheckDeps } from './api/v7/plain-vote-check.ts';
import { DEFAULT_SITE } from './config/site.ts';
import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS } from './config.ts';
import { type DiscordEndpoint, discordApp, NO_DISCORD_APP } from './discord/app.ts';
import { SECOND_MS } from './domain/clock.ts';
import {
  createClientErrorHandler,
  ignoreExpectations,
  type RenderError,
  refuseTunnels,
} from './http/client-errors.ts';
import { connectionCaps } from './http/connection-limits.ts';
import { validateHost } from './http/host.ts';
import {
  DEFAULT_HSTS,
  httpsGate,
  requireHttpsProxy,
  securityHeaders,
  trustNetworks,
} from './http/https-gate.ts';
import type { Drain } from './http/listen.ts';
import { chooseRoutedMethod } from './http/methods.ts';
import { queuePipelinedRequests, refusePipelined } from './http/pipelining.ts';
import { routableUrl } from './http/routable-url.ts';
import { closeSlowReaders } from './http/slow-readers.ts';
import { batchRequests } from './http/ticks.ts';
import { health } from './observability/health.ts';
import { loggingOptions, requestIdOf } from './observability/logging.ts';
import { type Metrics, requestMetrics } from './observability/metrics.ts';
import { createClientErrorReport, createLimitReport } from './observability/reports.ts';
import { createRequestLog, requestLog, roundMs } from './observability/request-log.ts';
import { type Certificate, tlsOptions } from './secrets/certificate.ts';
import type { SiteDeps } from './site/deps.ts';
import { docs } from './site/docs/index.ts';
import { site } from './site/index.ts';
import { type Brand, createBrand } from './site/layout/brand.ts';
import { MANAGE_RATE_LIMIT } from './store/rates.ts';
import { createLeaderboards } from './store/votes/leaderboards.ts';
import { createVoting, type VoteCounters } from './voting/cast-vote.ts';
import type { VotingSettings } from './voting/settings.ts';

/** HTTPS only: either TLS directly, or plain HTTP behind proxies that terminate TLS. */
export type Transport =
  | { kind: 'tls'; certificate: Certificate }
  | { kind: 'proxy'; trusted: readonly string[] };

export type ServerDeps = Omit<V7Deps, 'leaderboards' | 'recordFirstRequest'> &
  Omit<SiteDeps, 'leaderboards' | 'voting'> &
  Partial<Pick<ManageDeps, 'manageRateLimit' | 'pause'>> & {
    /** Default: DEFAULT_VOTING. */
    integrity?: Partial<VotingSettings>;
    logger: Logger;
    metrics: Metrics;
    transport: Transport;
    connectionLimits?: ConnectionLimits;
    hsts?: string | null;
    drain?: Drain;
    /** Default: NO_DISCORD_APP. */
    discordApp?: DiscordEndpoint;
    /** Default: the name and colors of Votary. */
    brand?: Brand;
  };

/** Longer URLs exceed Node's header limit (16 KiB) and are rejected before routing. */
const MAX_PARAMETER_LENGTH = 16 * 1024;

/** A client that reads nothing of a pending response for this long is disconnected. */
const UNREAD_OUTPUT_MS = 30 * SECOND_MS;

const KEEP_ALIVE_MS = 65 * SECOND_MS;

const SERVER_OPTIONS: ServerOptions = {
  // How much of a streamed response is buffered per connection: a quarter of Node's default.
  highWaterMark: 16 * 1024,
  // Node would reject a request without Host with a bare status line; http/host.ts causes an error body.
  requireHostHeader: false,
  headersTimeout: 15 * SECOND_MS,
  requestTimeout: 30 * SECOND_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  connectionsCheckingInterval: 5 * SECOND_MS,
  optimizeEmptyRequests: true,
};

export function buildServer(given: ServerDeps): FastifyInstance {
  const voting = createVoting({ ...given, settings: given.integrity, ...voteCounters(given) });
  const recordFirstRequest = createFirstRequests(given);
  const deps = { ...given, leaderboards: createLeaderboards(given), voting, recordFirstRequest };
  const { transport, store, logger, metrics, connectionLimits = DEFAULT_CONNECTION_LIMITS } = deps;
  const { hsts = DEFAULT_HSTS, drain = { isDraining: false } } = deps;
  const { brand = createBrand(DEFAULT_SITE) } = deps;
  const report = createLimitReport(deps);
  const isTrusted = transport.kind === 'proxy' ? trustNetworks(transport.trusted) : () => false;
  const plainChecks: PlainVoteCheckDeps = {
    ...deps,
    hsts,
    drain,
    isTrustedProxy: transport.kind === 'proxy' ? isTrusted : null,
    requestIdOf: (request) => requestIdOf(request, isTrusted),
    onResponse: observeVoteCheck(deps),
  };
  const app: FastifyInstance = fastify({
    ...loggingOptions(logger, isTrusted),
    serverFactory: (handler) => {
      const server = createServer(transport);
      const event = transport.kind === 'tls' ? 'secureConnection' : 'connection';
      const maxRequests = connectionLimits.maxPipelinedRequests;
      const answer = answerPlainVoteChecks(plainChecks, { keepAliveTimeoutMs: KEEP_ALIVE_MS, next: handler });
      const handleInTurn = queuePipelinedRequests(server, answer, { maxRequests, report });
      const limit = { requests: maxRequests, refuse: refusePipelined(report) };
      server.on('request', batchRequests(handleInTurn, limit));
      closeSlowReaders(server, { event, limitMs: UNREAD_OUTPUT_MS, report });
      return server;
    },
    clientErrorHandler: createClientErrorHandler(renderError, createClientErrorReport(deps)),
    trustProxy: transport.kind === 'proxy' ? isTrusted : false,
    schemaController: { compilersFactory: COMPILERS },
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    rewriteUrl: (request) => {
      chooseRoutedMethod(request);
      return routableUrl(request.url ?? '/');
    },
    return503OnClosing: false,
    exposeHeadRoutes: false,
  });
  refuseTunnels(app.server, 'BAD_REQUEST', renderError);
  ignoreExpectations(app.server);
  supportAllMethods(app);
  ignoreBodies(app);
  ignoreTypesOfEmptyBodies(app);
  app.setErrorHandler(handleError);
  app.decorate('brand', brand);
  app.decorate('apiDocuments', new Map());
  app.decorate('operators', deps.operators ?? new Set<string>());
  app.decorate('publicUrl', deps.publicUrl ?? null);

  app.register(securityHeaders, { hsts, drain });
  app.register(requestLog, { logger });
  app.register(validateHost);
  app.register(requestMetrics, { metrics });
  if (transport.kind === 'tls') app.register(httpsGate, { render: renderError });
  else app.register(requireHttpsProxy);
  app.register(connectionCaps, { ...connectionLimits, isTrusted, report });

  app.register(health, { store, drain });
  app.register(v7, { ...deps, siteName: brand.name, prefix: V7_PREFIX });
  app.register(manage, {
    manageRateLimit: MANAGE_RATE_LIMIT,
    ...deps,
    siteName: brand.name,
    prefix: MANAGE_PREFIX,
  });
  app.register(unversioned);
  app.register(listforge, { ...deps, prefix: LISTFORGE_PREFIX });
  app.register(topgg, { ...deps, prefix: TOPGG_PREFIX });
  app.register(discordApp, { ...deps, ...(deps.discordApp ?? NO_DISCORD_APP), siteName: brand.name });
  app.register(docs, deps);
  app.register(site, deps);
  return app;
}

/** Counts votes, refusals and challenges for the metrics, and votes and refusals for the operator console. */
function voteCounters({ metrics, tallies }: ServerDeps): VoteCounters {
  return {
    onVote: (outcome) => {
      metrics.voteCast(outcome);
      if (outcome === 'accepted') tallies?.count('votes');
    },
    onRefusal: (reason) => {
      metrics.voteRefused(reason);
      tallies?.count(`refused_${reason}`);
    },
    onChallenge: metrics.challenge,
  };
}

/** The log line and the metrics of a vote check that did not pass Fastify. */
function observeVoteCheck({ logger, metrics }: ServerDeps): PlainVoteCheckDeps['onResponse'] {
  const log = createRequestLog(logger);
  return ({ reqId, url, route, ip, guild, ms }) => {
    metrics.observeRequest(route, 200, ms / SECOND_MS);
    log?.({ reqId, method: 'GET', url, status: 200, ms: roundMs(ms), ip, guild });
  };
}

/**
 * Node ends the stream of a request without a body before anyone reads it (`optimizeEmptyRequests`), so a parser would
 * wait for its end forever. Without a type there is nothing to parse.
 */
function ignoreTypesOfEmptyBodies(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw: { headers } }, _reply, next) => {
    const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    if (!hasBody) delete headers['content-type'];
    next();
  });
}

/** Instead of Fastify's, which load Ajv: a tenth of the start, and 6 MB. A scope sets its own validator. */
const COMPILERS: NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']> = {
  buildValidator: () => {
    throw new Error('a route with a schema is in a scope without a validator');
  },
  buildSerializer: () => () => JSON.stringify,
};

const renderError: RenderError = (code, locale) => ({
  status: ERROR_STATUS[code],
  body: JSON.stringify(errorBody(code, locale)),
});

function createServer(transport: Transport): Server {
  if (transport.kind === 'proxy') return createHttpServer(SERVER_OPTIONS);
  // Node lets plain HTTP clients half-close after the last request, but not TLS clients.
  return createHttpsServer({ ...SERVER_OPTIONS, ...tlsOptions(transport.certificate), allowHalfOpen: true });
}

/** Bodies are not read, so none can be malformed or too large. A scope that reads them adds its own parser. */
function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
}
