/** One log line per request. */
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type { Logger } from 'pino';
import { isSnowflake } from '../domain/identifiers.ts';
import { firstText } from '../domain/record.ts';
import { sentMethod } from '../http/methods.ts';
import { isProbeUrl } from '../http/probes.ts';
import { batchByTick, msSinceArrival } from '../http/ticks.ts';
import { createLineWriter, REQUEST_ID_HEADER } from './logging.ts';
import { redactUrl } from './redaction.ts';

const BAD_REQUEST_STATUS = 400;

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

/** Probes arrive every few seconds, so they are only worth a line if they fail. */
function levelOf(url: string, status: number): 'debug' | 'info' | 'warn' {
  if (!isProbeUrl(url)) return 'info';
  return status < BAD_REQUEST_STATUS ? 'debug' : 'warn';
}

/** The log output drops what does not fit into its buffer as a whole. */
const MAX_TOGETHER = 64;

export type LogRequest = (line: RequestLine) => void;

/** Writes lines at the end of their tick. `undefined`: no request is logged at this level. */
export function createRequestLog(logger: Logger): LogRequest | undefined {
  if (!logger.isLevelEnabled('warn')) return undefined;
  const lines = createLineWriter(logger);
  const fieldsOf = ({ reqId, method, url, status, ms, guild, user, ip: address }: RequestLine): string => {
    const ip = lines.loggedAddress(address);
    return (
      `"reqId":"${reqId}","method":"${method}","url":${quote(redactUrl(url))},"status":${status},"ms":${ms}` +
      (ip === undefined ? '' : `,"ip":${typeof ip === 'string' ? quote(ip) : null}`) +
      (guild === undefined ? '' : `,"guild":"${guild}"`) +
      (user === undefined ? '' : `,"user":"${user}"`)
    );
  };
  const write = batchByTick<RequestLine>((requests) => {
    const time = lines.time();
    for (let start = 0; start < requests.length; start += MAX_TOGETHER) {
      const together = requests.slice(start, start + MAX_TOGETHER);
      let text = '';
      for (const line of together) {
        text += lines.format(levelOf(line.url, line.status), time, fieldsOf(line), 'request');
      }
      lines.write(text, together.length);
    }
  });
  return (line) => {
    if (logger.isLevelEnabled(levelOf(line.url, line.status))) write(line);
  };
}

/** Text that JSON does not escape. */
const PLAIN_TEXT = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

function quote(text: string): string {
  return PLAIN_TEXT.test(text) ? `"${text}"` : JSON.stringify(text);
}

export function roundMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** One line per request with a response; headers are never logged. The response contains the request id. */
export const requestLog = fastifyPlugin<{ logger: Logger }>((app, { logger }, done) => {
  app.addHook('onRequest', (request, reply, next) => {
    reply.header(REQUEST_ID_HEADER, request.id);
    next();
  });
  const log = createRequestLog(logger);
  if (!log) return done();
  // Node does not know the address of a closed connection, unless it was read before.
  for (const event of ['connection', 'secureConnection'])
    app.server.on(event, (socket: Socket) => void socket.remoteAddress);
  app.addHook('onResponse', (request, reply, next) => {
    const { id: reqId, raw, originalUrl: url, ip = null } = request;
    const ms = roundMs(msSinceArrival(raw) ?? reply.elapsedTime);
    const line: RequestLine = { reqId, method: sentMethod(raw), url, status: reply.statusCode, ms, ip };
    const guild = guildOf(request);
    if (guild !== undefined) line.guild = guild;
    const userId = request.person?.userId;
    if (userId !== undefined) line.user = userId;
    log(line);
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
