/**
 * Writes JSON lines to standard output, one per request, without secrets.
 *
 *   const logger = createLogger('info');
 *   const app = fastify({ ...loggingOptions(logger) });
 *   app.register(requestLog, { logger });
 */

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type FastifyBaseLogger, type FastifyRequest, LogController } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogAddresses, LogLevel } from '../config.ts';
import { wideNetwork } from '../domain/address.ts';
import { firstText, isSnowflake } from '../domain/text.ts';
import { isProbeUrl } from '../http/probes.ts';
import { batchByTick, msSinceArrival } from '../http/ticks.ts';
import { type LogOutput, openLogOutput } from './log-output.ts';

const BAD_REQUEST_STATUS = 400;

let standardOutput: LogOutput | undefined;

/** Shared by all loggers of this process. */
export function standardLogOutput(): LogOutput {
  standardOutput ??= openLogOutput(process.stdout);
  return standardOutput;
}

export type LoggerOptions = {
  /** Part of every line. */
  fields?: object;
  /** VOTARY_LOG_ADDRESSES. Default: `full`. */
  addresses?: LogAddresses;
};

export function createLogger(
  level: LogLevel,
  to?: DestinationStream,
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

/** What a line contains of the address of a client; a property that is `undefined` is left out of the line. */
const ADDRESSES: Record<LogAddresses, (text: string | null) => string | null | undefined> = {
  full: (text) => text,
  network: (text) => (text === null ? null : wideNetwork(text)),
  off: () => undefined,
};

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
    genReqId: ({ headers, socket }) => {
      const given = headers[REQUEST_ID_HEADER];
      const isUsable = typeof given === 'string' && REQUEST_ID.test(given);
      return isUsable && isTrusted(socket.remoteAddress ?? '') ? given : randomUUID();
    },
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
  return { method: request.method, url: redactUrl(request.originalUrl) };
}

/** Replaces a secret in the log. */
export const REDACTED = '[redacted]';

/** Recognizes our own secrets by their format: API keys, webhook secrets. */
const SECRET_TEXT = /(vty|whsec)_[0-9A-Za-z+/=]+/g;
const SECRET_NAME = /token|key|secret|password|authorization|^code$|^state$/i;
/** Matches every URL that could contain one of the above; most do not and are skipped. */
const SUSPICIOUS = /%|vty_|whsec_|token|key|secret|password|authorization|code|state/i;
const MAX_URL_LENGTH = 2048;

/** Removes everything that looks like one of our secrets from a line. */
export function redactText(text: string): string {
  // Runs on every log line, and few contain a secret: testing first is several times cheaper.
  if (!text.includes('vty_') && !text.includes('whsec_')) return text;
  return text.replace(SECRET_TEXT, (_secret, kind: string) => `${kind}_${REDACTED}`);
}

/**
 * Makes a URL safe to log: removes values of parameters with secret names, and everything that looks like one of our
 * secrets in any percent-encoding, because servers decode that too.
 */
export function redactUrl(url: string): string {
  if (!SUSPICIOUS.test(url)) return url.slice(0, MAX_URL_LENGTH);
  const queryStart = url.indexOf('?');
  if (queryStart === -1) return redactPart(url).slice(0, MAX_URL_LENGTH);
  const pairs = url.slice(queryStart + 1).split('&');
  const redacted = `${redactPart(url.slice(0, queryStart))}?${pairs.map(redactPair).join('&')}`;
  return redacted.slice(0, MAX_URL_LENGTH);
}

function redactPair(pair: string): string {
  const equals = pair.indexOf('=');
  if (equals === -1) return redactPart(pair);
  const name = redactPart(pair.slice(0, equals));
  const value = pair.slice(equals + 1);
  const decodedName = decodeFully(name);
  const isSecret = decodedName === undefined || SECRET_NAME.test(decodedName);
  return `${name}=${isSecret ? REDACTED : redactPart(value)}`;
}

/** Text that contains a secret only when decoded is removed as a whole. */
function redactPart(text: string): string {
  const redacted = redactText(text);
  if (!redacted.includes('%')) return redacted;
  const decoded = decodeFully(redacted);
  return decoded !== undefined && redactText(decoded) === decoded ? redacted : REDACTED;
}

/** A proxy or a careless client may encode a URL again, but not more often than this. */
const MAX_ENCODINGS = 4;

/** The fully decoded text; `undefined` when it is encoded too often. */
function decodeFully(text: string): string | undefined {
  let decoded = text;
  for (let round = 0; round <= MAX_ENCODINGS; round += 1) {
    const next = decode(decoded);
    if (next === decoded) return decoded;
    decoded = next;
  }
  return undefined;
}

/** Leaves malformed escapes as they are and decodes the rest. */
function decode(text: string): string {
  return text.replace(/%([0-7][0-9a-f])/gi, (_escape, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/**
 * `ip` is null when the client had disconnected before its connection was accepted. `guild` is the owner of the key or
 * of the requested page.
 */
type RequestLine = {
  reqId: string;
  method: string;
  url: string;
  status: number;
  ms: number;
  ip: string | null;
  guild?: string;
  user?: string;
};

const REQUEST_ID_HEADER = 'x-request-id';

/** Probes arrive every few seconds, so they are only worth a line if they fail. */
function levelOf(url: string, status: number): 'debug' | 'info' | 'warn' {
  if (!isProbeUrl(url)) return 'info';
  return status < BAD_REQUEST_STATUS ? 'debug' : 'warn';
}

/** One line per request with a response; headers are never logged. The response contains the request id. */
export const requestLog = fastifyPlugin<{ logger: Logger }>((app, { logger }, done) => {
  app.addHook('onRequest', (request, reply, next) => {
    reply.header(REQUEST_ID_HEADER, request.id);
    next();
  });
  if (!logger.isLevelEnabled('warn')) return done();
  // Node does not know the address of a closed connection, unless it was read before.
  for (const event of ['connection', 'secureConnection'])
    app.server.on(event, (socket: Socket) => void socket.remoteAddress);
  const write = batchByTick<RequestLine>((line) => {
    logger[levelOf(line.url, line.status)]({ ...line, url: redactUrl(line.url) }, 'request');
  });
  app.addHook('onResponse', (request, reply, next) => {
    const { id: reqId, method, originalUrl: url, ip = null } = request;
    if (!logger.isLevelEnabled(levelOf(url, reply.statusCode))) return next();
    const ms = Math.round(msSinceArrival(reply) * 1000) / 1000;
    const line: RequestLine = { reqId, method, url, status: reply.statusCode, ms, ip };
    const guild = guildOf(request);
    if (guild !== undefined) line.guild = guild;
    const userId = request.person?.userId;
    if (userId !== undefined) line.user = userId;
    write(line);
    next();
  });
  done();
});

/** Only values that look like an id, because the path is client input. */
function guildOf({ caller, params }: FastifyRequest): string | undefined {
  if (caller) return caller.kind === 'guild' ? caller.guild.guildId : undefined;
  const guildId = firstText(params, 'guildId') ?? firstText(params, 'guild_id');
  return guildId !== undefined && isSnowflake(guildId) ? guildId : undefined;
}
