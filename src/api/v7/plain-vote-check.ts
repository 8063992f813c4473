/**
 * Answers plain vote checks without Fastify: see docs/decisions/0038-plain-vote-checks.md.
 *
 * A plain vote check is `GET /v7/vote-check` or its alias with one identifier, a complete key in `Authorization` and no
 * header that changes the response. Everything else is passed on before it is counted. A request that turns out to be
 * refused is passed on with its caller, so that it is not counted again. The response is the one of vote-check.ts, byte
 * for byte.
 */

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { type Instant, SECOND_MS } from '../../domain/clock.ts';
import { isValidHost } from '../../domain/host.ts';
import { chooseLocale, type Locale } from '../../domain/locale.ts';
import { cooldownAt, recentWindow } from '../../domain/votes/vote.ts';
import { hasValidHostHeader } from '../../http/host.ts';
import type { Drain } from '../../http/listen.ts';
import { sendPrepared } from '../../http/prepared-response.ts';
import { batchByTick, msSinceArrival, readTogether } from '../../http/ticks.ts';
import { type RateLimit, rateStatusOf } from '../../store/rates.ts';
import {
  createFindCaller,
  limitOfCaller,
  rateLimitHeader,
  rateLimitPolicy,
  setCountedCaller,
} from './access.ts';
import type { V7Deps } from './endpoint.ts';
import { type FindKey, type RememberedKey, rememberKeys } from './remembered-keys.ts';
import { toCheckFields, writeVoteCheck } from './vote-check.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

export type PlainVoteCheckDeps = Pick<V7Deps, 'store' | 'clock' | 'rateLimit' | 'recordFirstRequest'> & {
  hsts: string | null;
  drain: Drain;
  /** The proxies behind which the service serves plain HTTP; `null` if it serves TLS itself. */
  isTrustedProxy: ((address: string) => boolean) | null;
  requestIdOf: (request: IncomingMessage) => string;
  /** For the log and the metrics. Called when the response was sent. */
  onResponse: (response: AnsweredVoteCheck) => void;
};

export type AnsweredVoteCheck = {
  reqId: string;
  url: string;
  route: string;
  ip: string;
  guild: string;
  ms: number;
};

/** Identifiers without an escape, so that they are what they stand for. */
const PLAIN_URL = /^\/v7\/(?:(vote-check)|check-vote)\?(?:discord_id=(\d{17,20})|external_id=([\w-]{1,32}))$/;

const ROUTE = '/v7/vote-check';
const ALIAS_ROUTE = '/v7/check-vote';

/** Node writes this by default if `keepAliveTimeout` is set. */
const KEEP_ALIVE = 'Connection: keep-alive\r\nKeep-Alive: timeout=';

/** Returns a listener that passes everything else to `next`. */
export function answerPlainVoteChecks(
  deps: PlainVoteCheckDeps,
  { keepAliveTimeoutMs, next }: { keepAliveTimeoutMs: number; next: Listener },
): Listener {
  const { rateLimit, hsts, drain, isTrustedProxy } = deps;
  const clock = readTogether(deps.clock);
  const findCaller = createFindCaller(deps);
  const findKey = rememberKeys();
  const start = `HTTP/1.1 200 OK\r\n${hsts === null ? '' : `strict-transport-security: ${hsts}\r\n`}x-content-type-options: nosniff\r\nx-request-id: `;
  // In a row, after the responses of this tick: see batchByTick.
  const reportSoon = batchByTick<AnsweredVoteCheck>((answered) => {
    for (const each of answered) deps.onResponse(each);
  });
  const middleOf = rememberMiddle(rateLimit);
  const endOf = rememberEnd(keepAliveTimeoutMs);

  const answer = async (request: IncomingMessage, response: ServerResponse, check: PlainCheck) => {
    const { url, route, ip } = check;
    const now = clock();
    const window = recentWindow(now);
    const voteQuery =
      check.userId === undefined
        ? { externalId: check.externalId, window }
        : { userId: check.userId, window };
    const { key } = check;
    const { keyHash, rateKey } = key;
    const caller = await findCaller({ keyHash, rateKey, ip, voteQuery, now, memory: key });
    const limit = limitOfCaller(caller, rateLimit);
    const answeredAt = clock();
    const rate = rateStatusOf(caller.window, limit, answeredAt);
    if (caller.kind !== 'guild' || rate.isExceeded || drain.isDraining) {
      setCountedCaller(request, caller);
      return next(request, response);
    }
    const { guildId } = caller.guild;
    if (!key.isRecorded) deps.recordFirstRequest(guildId);
    key.isRecorded = true;
    const reqId = deps.requestIdOf(request);
    const body = writeVoteCheck(guildId, toCheckFields(cooldownAt(answeredAt, caller.vote)));
    const head =
      `${start}${reqId}${middleOf(check.locale, limit)}${rateLimitHeader(rate)}` +
      `\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${body.length}${endOf(answeredAt)}`;
    const answered = (): AnsweredVoteCheck => {
      return { reqId, url, route, ip, guild: guildId, ms: msSinceArrival(request) ?? 0 };
    };
    if (sendPrepared(response, head, body)) reportSoon(answered());
    else onceSent(response, () => deps.onResponse(answered()));
  };

  return (request, response) => {
    const check = drain.isDraining ? undefined : readPlainCheck(request, findKey, isTrustedProxy);
    if (check === undefined) next(request, response);
    else void answer(request, response, check);
  };
}

/** Calls `report` once, when the response was sent or failed; never if the client left before. */
function onceSent(response: ServerResponse, report: () => void): void {
  let isReported = false;
  const onEnd = (): void => {
    if (!isReported) report();
    isReported = true;
  };
  response.on('finish', onEnd).on('error', onEnd);
}

type PlainCheck = {
  url: string;
  route: string;
  userId: string | undefined;
  externalId: string;
  key: RememberedKey;
  ip: string;
  locale: Locale;
};

/** `undefined` if anything about the request is unusual. */
function readPlainCheck(
  request: IncomingMessage,
  findKey: FindKey,
  isTrustedProxy: PlainVoteCheckDeps['isTrustedProxy'],
): PlainCheck | undefined {
  const { url = '', headers } = request;
  if (request.method !== 'GET' || request.httpVersion !== '1.1') return undefined;
  const match = PLAIN_URL.exec(url);
  if (match === null || hasUnusualHeaders(headers) || !hasValidHostHeader(request)) return undefined;
  const key = findKey(headers.authorization ?? '');
  const ip = isTrustedProxy ? forwardedAddress(request, isTrustedProxy) : request.socket.remoteAddress;
  if (key === undefined || ip === undefined) return undefined;
  const [, mainRoute, userId, externalId = ''] = match;
  return {
    url,
    // A constant, because metrics are found by it: V8 would intern the matched text at every request.
    route: mainRoute === undefined ? ALIAS_ROUTE : ROUTE,
    userId,
    externalId,
    key,
    ip,
    locale: chooseLocale({ acceptLanguage: headers['accept-language'] }),
  };
}

/** Whether a header asks for another response, another connection or another version, or announces a body. */
function hasUnusualHeaders(headers: IncomingHttpHeaders): boolean {
  const { connection } = headers;
  return (
    (connection !== undefined && connection !== 'keep-alive') ||
    headers['x-locale'] !== undefined ||
    headers['content-length'] !== undefined ||
    headers['transfer-encoding'] !== undefined ||
    headers.expect !== undefined ||
    headers['accept-version'] !== undefined
  );
}

/** The address of the client of a trusted proxy that has received the request over HTTPS. */
function forwardedAddress(
  { headers, socket }: IncomingMessage,
  isTrusted: (address: string) => boolean,
): string | undefined {
  const peer = socket.remoteAddress;
  if (peer === undefined || !isTrusted(peer) || headers['x-forwarded-proto'] !== 'https') return undefined;
  const { 'x-forwarded-for': client, 'x-forwarded-host': host = '' } = headers;
  if (typeof host !== 'string' || !isValidHost(host)) return undefined;
  if (client === undefined) return peer;
  // Several addresses are several proxies.
  return typeof client === 'string' && isIP(client) !== 0 ? client : undefined;
}

/** The headers between the request id and the rate. Those of the limit that nearly every guild has are written once. */
function rememberMiddle(usual: RateLimit): (locale: Locale, limit: RateLimit) => string {
  const write = (locale: Locale, limit: RateLimit): string =>
    `\r\ncache-control: no-store\r\ncontent-language: ${locale}\r\nratelimit-policy: ${rateLimitPolicy(limit)}\r\nratelimit: `;
  const written = { en: write('en', usual), fr: write('fr', usual) };
  return (locale, limit) => (limit === usual ? written[locale] : write(locale, limit));
}

/** The headers from Date on, which change once per second. */
function rememberEnd(keepAliveTimeoutMs: number): (now: Instant) => string {
  let second = -1;
  let text = '';
  return (now) => {
    const current = Math.floor(now / SECOND_MS);
    if (current !== second) {
      second = current;
      const date = new Date(current * SECOND_MS).toUTCString();
      text = `\r\nDate: ${date}\r\n${KEEP_ALIVE}${keepAliveTimeoutMs / SECOND_MS}\r\n\r\n`;
    }
    return text;
  };
}
