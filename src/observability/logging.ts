/**
 * Writes JSON lines to standard output, one per request, without secrets.
 *
 *   const logger = createLogger('info');
 *   const app = fastify({ ...loggingOptions(logger) });
 *   app.register(requestLog, { logger });
 */
import { randomUUID } from 'node:crypto';
import { type FastifyBaseLogger, type FastifyRequest, LogController } from 'fastify';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from '../config.ts';
import { type LogOutput, openLogOutput } from './log-output.ts';
import { redactText, redactUrl } from './redact.ts';

let standardOutput: LogOutput | undefined;

/** Shared by all loggers of this process. */
export function standardLogOutput(): LogOutput {
  standardOutput ??= openLogOutput(process.stdout);
  return standardOutput;
}

/** `fields` are part of every line. */
export function createLogger(level: LogLevel, to?: DestinationStream, fields: object = {}): Logger {
  const logger = pino(
    {
      level,
      base: { pid: process.pid, ...fields },
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError, req: describeRequest },
      // The last safeguard, on whole lines: no key is logged, whatever the caller passes.
      hooks: { streamWrite: redactText },
    },
    to ?? standardLogOutput(),
  );
  if (!to) standardLogOutput().onRecovery((dropped) => logger.warn({ dropped }, 'log lines were dropped'));
  return logger;
}

/** Fastify's logging options: our logger, a random request id, and no request lines of its own. */
export function loggingOptions(logger: Logger): {
  loggerInstance: FastifyBaseLogger;
  childLoggerFactory: typeof createLazyChild;
  logController: LogController;
  genReqId: () => string;
} {
  return {
    loggerInstance: logger,
    childLoggerFactory: createLazyChild,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
  };
}

/** Creates the child on first use: few requests log through it, and creating it takes 4 µs. */
function createLazyChild(parent: FastifyBaseLogger, bindings: object): FastifyBaseLogger {
  let child: FastifyBaseLogger | undefined;
  const use = (): FastifyBaseLogger => {
    child ??= parent.child(bindings);
    return child;
  };
  const method =
    (name: pino.Level | 'silent') =>
    (...line: unknown[]) =>
      Reflect.apply(use()[name], child, line);
  return {
    level: parent.level,
    fatal: method('fatal'),
    error: method('error'),
    warn: method('warn'),
    info: method('info'),
    debug: method('debug'),
    trace: method('trace'),
    silent: method('silent'),
    child: (...given) => use().child(...given),
  };
}

/** Only what helps with debugging: drivers attach queries and parameters to errors. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  return { type: error.name, message: error.message, stack: stackOf(error) };
}

function stackOf(error: Error): string | undefined {
  if (!(error.cause instanceof Error)) return error.stack;
  return `${error.stack}\ncaused by: ${stackOf(error.cause)}`;
}

/** Replaces Fastify's serializer, which would log the URL unredacted. */
function describeRequest(request: FastifyRequest): object {
  return { method: request.method, url: redactUrl(request.originalUrl), ip: request.ip };
}
