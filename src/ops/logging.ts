/**
 * JSON lines on standard output, one for each request, without secrets.
 *
 *   const app = fastify({ ...loggingOptions(createLogger('info')) });
 *   app.register(requestLog);
 */
import { randomUUID } from 'node:crypto';
import { type FastifyBaseLogger, type FastifyRequest, LogController } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { type DestinationStream, destination, type Logger, pino, symbols } from 'pino';
import type { LogLevel } from '../config.ts';
import { makeLazyLogger } from './lazy-logger.ts';
import { redactText, redactUrl } from './redact.ts';
import { requestLine } from './request-line.ts';

/** Standard output is written in the background, and to its end when the process exits. */
export function createLogger(
  level: LogLevel,
  to: DestinationStream = destination({ dest: 1, sync: false }),
): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError, req: describeRequest },
      // The last guard, over whole lines: whatever somebody logs one day, a key does not get out.
      hooks: { streamWrite: redactText },
    },
    to,
  );
}

/** The options of Fastify that belong to logging: our logger, a random id for each request, and silence of its own. */
export function loggingOptions(logger: Logger): {
  loggerInstance: FastifyBaseLogger;
  logController: LogController;
  childLoggerFactory: typeof makeLazyLogger;
  genReqId: () => string;
} {
  return {
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: makeLazyLogger,
    genReqId: () => randomUUID(),
  };
}

/** Levels at which requests are not logged. */
const SILENT_LEVELS = ['warn', 'error', 'fatal', 'silent'];

/** One line for each request that was answered; headers are never logged. The answer carries the id of the line. */
export const requestLog = fastifyPlugin((app, _options, done) => {
  app.addHook('onRequest', (request, reply, next) => {
    reply.header('x-request-id', request.id);
    next();
  });
  const to: DestinationStream = Reflect.get(app.log, symbols.streamSym);
  if (SILENT_LEVELS.includes(app.log.level)) return done();
  app.addHook('onResponse', (request, reply, next) => {
    to.write(
      requestLine({
        reqId: request.id,
        method: request.method,
        url: redactUrl(request.originalUrl),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 1000) / 1000,
        ip: request.ip,
      }),
    );
    next();
  });
  done();
});

/** Only what helps to find a fault: drivers hang queries and their parameters on errors. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  return { type: error.name, message: error.message, stack: stackOf(error) };
}

function stackOf(error: Error): string | undefined {
  if (!(error.cause instanceof Error)) return error.stack;
  return `${error.stack}\ncaused by: ${stackOf(error.cause)}`;
}

/** In the place of Fastify's own, which would write the address as it came. */
function describeRequest(request: FastifyRequest): object {
  return { method: request.method, url: redactUrl(request.originalUrl), ip: request.ip };
}
