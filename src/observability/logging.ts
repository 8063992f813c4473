/**
 * Writes JSON lines to standard output, without secrets.
 *
 *   const logger = createLogger('info');
 *   const app = fastify({ ...loggingOptions(logger) });
 */

import type { IncomingMessage } from 'node:http';
import { type FastifyBaseLogger, type FastifyRequest, LogController } from 'fastify';
import { type Level, type Logger, pino } from 'pino';
import type { LogAddresses, LogLevel } from '../config.ts';
import { wideNetwork } from '../domain/address.ts';
import { sentMethod } from '../http/methods.ts';
import { type LogOutput, openLogOutput } from './log-output.ts';
import { createRandomIds } from './random-ids.ts';
import { redactText, redactUrl } from './redaction.ts';

let standardOutput: LogOutput | undefined;

/** Shared by all loggers of this process. */
export function standardLogOutput(): LogOutput {
  standardOutput ??= openLogOutput(process.stdout);
  return standardOutput;
}

/** Where lines are written: `text` is `count` lines, one if it is not given. */
type LineStream = { write(text: string, count?: number): void };

export type LoggerOptions = {
  /** Fields that every line contains. */
  fields?: object;
  /** VOTARY_LOG_ADDRESSES. Default: `full`. */
  addresses?: LogAddresses;
};

export function createLogger(
  level: LogLevel,
  to?: LineStream,
  { fields = {}, addresses = 'full' }: LoggerOptions = {},
): Logger {
  const address = ADDRESSES[addresses];
  const logger = pino(
    {
      level,
      base: { pid: process.pid, ...fields },
      formatters: { level: (label) => ({ level: label }) },
      // Here and not where lines are written, so that no line can contain more of an address than it should.
      serializers: {
        err: describeError,
        req: (request: FastifyRequest) => ({ ...describeRequest(request), ip: address(request.ip) }),
        ...(addresses === 'full' ? {} : { ip: address, network: address }),
      },
      // The last safeguard, on whole lines: no key is logged, whatever the caller passes.
      hooks: { streamWrite: redactText },
    },
    to ?? standardLogOutput(),
  );
  if (!to) standardLogOutput().onRecovery((dropped) => logger.warn({ dropped }, 'log lines were dropped'));
  return logger;
}

/**
 * Formats lines whose fields are already JSON, as `createLogger`'s logger would, and writes several together: for request
 * lines, which are nearly all lines of a busy process. pino formats any object and takes three times as long for theirs
 * (docs/decisions/0038-plain-vote-checks.md). `at` is a result of `time`, which lines that are
 * written together share. `loggedAddress` is what a line may contain of an address.
 */
export function createLineWriter(logger: Logger): {
  time(): string;
  format(level: Level, at: string, fields: string, message: string): string;
  write(lines: string, count: number): void;
  loggedAddress(ip: string | null): unknown;
} {
  const output: LineStream = Reflect.get(logger, pino.symbols.streamSym);
  // As text that starts with a comma: the time, and the fields of every line.
  const time: () => string = Reflect.get(logger, pino.symbols.timeSym);
  const base: string = Reflect.get(logger, pino.symbols.chindingsSym);
  const { ip: serialize = (ip: string | null): unknown => ip } = Reflect.get(
    logger,
    pino.symbols.serializersSym,
  );
  return {
    time,
    format: (level, at, fields, message) => `{"level":"${level}"${at}${base},${fields},"msg":"${message}"}\n`,
    write: (lines, count) => output.write(redactText(lines), count),
    loggedAddress: serialize,
  };
}

/** What a line contains of the address of a client; a property that is `undefined` is left out of the line. */
const ADDRESSES: Record<LogAddresses, (text: string | null) => string | null | undefined> = {
  full: (text) => text,
  network: (text) => (text === null ? null : wideNetwork(text)),
  off: () => undefined,
};

export const REQUEST_ID_HEADER = 'x-request-id';

const randomId = createRandomIds();

/** What proxies and clients use in request ids: UUIDs, hexadecimal numbers, trace ids. */
const REQUEST_ID = /^[\w.:@/+=~-]{1,128}$/;

/**
 * Fastify's logging options: our logger, request ids, and no request lines of its own. A trusted proxy may choose the
 * id of a request, so that its log and ours can be compared; other ids are random.
 */
export function loggingOptions(
  logger: Logger,
  isTrusted: (address: string) => boolean = () => false,
): {
  loggerInstance: FastifyBaseLogger;
  childLoggerFactory: typeof createLazyChild;
  logController: LogController;
  genReqId: (request: IncomingMessage) => string;
} {
  return {
    loggerInstance: logger,
    childLoggerFactory: createLazyChild,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (request) => requestIdOf(request, isTrusted),
  };
}

export function requestIdOf(
  { headers, socket }: IncomingMessage,
  isTrusted: (address: string) => boolean,
): string {
  const given = headers[REQUEST_ID_HEADER];
  const isUsable = typeof given === 'string' && REQUEST_ID.test(given);
  return isUsable && isTrusted(socket.remoteAddress ?? '') ? given : randomId();
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
  return { method: sentMethod(request.raw), url: redactUrl(request.originalUrl) };
}
