/**
 * The whole service as one Fastify instance: what it serves, in the order a request meets it.
 * The process around it (opening, listening, stopping) is in service.ts, so that tests use this very server.
 */
import { createServer as createHttpServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { docs } from './api/docs/index.ts';
import { errorBody } from './api/error-body.ts';
import { answerError } from './api/error-handler.ts';
import { ERROR_STATUS } from './api/error-status.ts';
import { routableUrl } from './api/routable-url.ts';
import { type V7Deps, v7 } from './api/v7/index.ts';
import { knowAllMethods } from './api/v7/other-methods.ts';
import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS } from './config.ts';
import { SECOND_MS } from './domain/clock.ts';
import { batchRequests } from './ops/batch-by-tick.ts';
import { type Certificate, tlsOptions } from './ops/certificate.ts';
import {
  createClientErrorHandler,
  ignoreExpectations,
  refuseTunnels,
  requireHost,
} from './ops/client-errors.ts';
import { connectionCaps } from './ops/connections/limit-connections.ts';
import { createLimitReport } from './ops/connections/limit-report.ts';
import { queuePipelinedRequests } from './ops/connections/pipelining.ts';
import { closeUnreadOutput } from './ops/connections/unread-output.ts';
import type { RenderError } from './ops/error-answer.ts';
import { health } from './ops/health.ts';
import { httpsGate } from './ops/https-gate.ts';
import { loggingOptions } from './ops/logging.ts';
import { type Metrics, requestMetrics } from './ops/metrics.ts';
import { requireHttpsProxy, trustNetworks } from './ops/proxy.ts';
import { requestLog } from './ops/request-log.ts';
import { securityHeaders } from './ops/security-headers.ts';
import type { SiteDeps } from './site/deps.ts';
import { site } from './site/index.ts';

/** HTTPS only, in one of two ways: we speak TLS ourselves, or plain HTTP to proxies that do. */
export type Transport =
  | { kind: 'tls'; certificate: Certificate }
  | { kind: 'proxy'; trusted: readonly string[] };

export type ServerDeps = V7Deps &
  Omit<SiteDeps, 'onVote'> & {
    logger: Logger;
    metrics: Metrics;
    transport: Transport;
    connectionLimits?: ConnectionLimits;
  };

/** Longer addresses meet Node's own limit on headers (16 KiB), which is answered in words. */
const MAX_PARAMETER_LENGTH = 16 * 1024;

/** A client that takes no byte of a waiting response for so long is gone, or means harm. */
const UNREAD_OUTPUT_MS = 30 * SECOND_MS;

const SERVER_OPTIONS: ServerOptions = {
  // Node would refuse a request without Host in one bare line; ops/client-errors.ts does it in words.
  requireHostHeader: false,
  headersTimeout: 15 * SECOND_MS,
  requestTimeout: 30 * SECOND_MS,
  keepAliveTimeout: 65 * SECOND_MS,
  connectionsCheckingInterval: 5 * SECOND_MS,
  optimizeEmptyRequests: true,
};

export function buildServer(deps: ServerDeps): FastifyInstance {
  const { transport, store, logger, metrics, connectionLimits = DEFAULT_CONNECTION_LIMITS } = deps;
  const report = createLimitReport(deps);
  const isTrusted = transport.kind === 'proxy' ? trustNetworks(transport.trusted) : () => false;
  const app: FastifyInstance = fastify({
    ...loggingOptions(logger),
    serverFactory: (handler) => {
      const server = createServer(transport);
      const event = transport.kind === 'tls' ? 'secureConnection' : 'connection';
      const maxRequests = connectionLimits.maxPipelinedRequests;
      queuePipelinedRequests(server, batchRequests(handler), { event, maxRequests, report });
      closeUnreadOutput(server, { event, limitMs: UNREAD_OUTPUT_MS, report });
      return server;
    },
    clientErrorHandler: createClientErrorHandler(renderError),
    trustProxy: transport.kind === 'proxy' ? isTrusted : false,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    rewriteUrl: (request) => routableUrl(request.url ?? '/'),
    return503OnClosing: false,
  });
  refuseTunnels(app.server, 'BAD_REQUEST', renderError);
  ignoreExpectations(app.server);
  knowAllMethods(app);
  ignoreBodies(app);
  app.setErrorHandler(answerError);

  app.register(securityHeaders);
  app.register(requestLog, { logger });
  app.register(requireHost);
  app.register(requestMetrics, { metrics });
  if (transport.kind === 'tls') app.register(httpsGate, { render: renderError });
  else app.register(requireHttpsProxy);
  app.register(connectionCaps, { ...connectionLimits, isTrusted, report });

  app.register(health, { store });
  app.register(v7, { ...deps, prefix: '/v7' });
  app.register(docs);
  app.register(site, { ...deps, onVote: metrics.voteCast });
  return app;
}

const renderError: RenderError = (code, locale) => ({
  status: ERROR_STATUS[code],
  body: JSON.stringify(errorBody(code, locale)),
});

function createServer(transport: Transport): Server {
  if (transport.kind === 'proxy') return createHttpServer(SERVER_OPTIONS);
  return createHttpsServer({ ...SERVER_OPTIONS, ...tlsOptions(transport.certificate) });
}

/** No endpoint of the API reads a body, so none can be malformed, too large or of the wrong type. */
function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
}
