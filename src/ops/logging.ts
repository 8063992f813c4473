/**
 * JSON lines on standard output, one for each request, without secrets.
 *
 *   const logger = createLogger('info');
 *   const app = fastify({ ...loggingOptions(logger) });
 *   app.register(requestLog, { logger });
 */
import { randomUUID } from 'node:crypto';
import { type FastifyBaseLogger, type FastifyRequest, LogController } from 'fastify';
import { type DestinationStream, destination, type Logger, pino } from 'pino';
import type { LogLevel } from '../config.ts';
import { withLazyChildren } from './lazy-logger.ts';
import { redactText, redactUrl } from './redact.ts';

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
  genReqId: () => string;
} {
  return {
    loggerInstance: withLazyChildren(logger),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
  };
}

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
