/**
 * HTTPS only: serves TLS and rejects plain HTTP with an error response, on one port or behind proxies, and sends the
 * security headers.
 *
 *   app.register(httpsGate, { render: (code, locale) => ({ status: 403, body: '{…}' }) });
 *
 * Must be registered before the server listens. See docs/decisions/0005-https-on-one-port.md.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { BlockList, isIP, isIPv6, type Socket } from 'node:net';
import fastifyPlugin from 'fastify-plugin';
import { SECOND_MS } from '../domain/clock.ts';
import { chooseLocale, type Locale } from '../domain/locale.ts';
import {
  closingHeaders,
  createClientErrorHandler,
  type RenderError,
  refuseTunnels,
} from './client-errors.ts';
import type { Drain } from './listen.ts';
import { isProbe } from './probes.ts';
import { HttpRefusal } from './refusal.ts';

export type HttpsGateOptions = {
  render: RenderError;
  /** Time limit for the first byte of a connection, and for a rejected request to end. */
  timeLimitMs?: number;
};

/** Closes the connections whose protocol is not known yet. */
export type HttpsGate = { close(): void };

/** The first byte of every TLS connection: a handshake record. No HTTP method starts with it. */
const TLS_HANDSHAKE = 0x16;

export const httpsGate = fastifyPlugin<HttpsGateOptions>((app, options, done) => {
  const gate = installHttpsGate(app.server, options);
  app.addHook('preClose', (next) => {
    gate.close();
    next();
  });
  done();
});

/** Runs before Node's TLS code, which is the first `connection` listener of an HTTPS server. */
function installHttpsGate(server: Server, options: HttpsGateOptions): HttpsGate {
  const { render, timeLimitMs = 10 * SECOND_MS } = options;
  const plainHttpServer = createPlainHttpServer(render);
  const undetected = new Set<Socket>();
  const startTls = takeFirstListener(server);
  let isClosing = false;

  server.on('connection', (socket: Socket) => {
    if (isClosing) return void socket.destroy();
    undetected.add(socket);
    const settle = watchUndetected(socket, timeLimitMs, () => undetected.delete(socket));
    socket.on('readable', function peek() {
      const chunk: Buffer | null = socket.read();
      if (chunk === null) return;
      socket.off('readable', peek);
      settle();
      socket.unshift(chunk);
      if (chunk[0] !== TLS_HANDSHAKE) return void handlePlainHttp(plainHttpServer, socket, timeLimitMs);
      startTls(socket);
    });
  });
  return {
    close: () => {
      isClosing = true;
      for (const socket of undetected) socket.destroy();
    },
  };
}

function takeFirstListener(server: Server): (socket: Socket) => void {
  const [listener] = server.listeners('connection');
  if (!listener) throw new Error('the HTTPS gate needs a server that listens for connections');
  server.off('connection', listener);
  return (socket) => void Reflect.apply(listener, server, [socket]);
}

/** Handles errors and timeouts until the socket is handed over. */
function watchUndetected(socket: Socket, timeLimitMs: number, forget: () => void): () => void {
  const giveUp = (): void => void socket.destroy();
  const timer = setTimeout(giveUp, timeLimitMs);
  const settle = (): void => {
    clearTimeout(timer);
    socket.off('error', giveUp).off('close', settle);
    forget();
  };
  socket.on('error', giveUp).on('close', settle);
  return settle;
}

/** This server never listens, so Node's limits on slow requests do not apply; one limit covers the whole request. */
function handlePlainHttp(plainHttpServer: Server, socket: Socket, timeLimitMs: number): void {
  const timer = setTimeout(() => socket.destroy(), timeLimitMs);
  socket.once('close', () => clearTimeout(timer));
  plainHttpServer.emit('connection', socket);
}

function createPlainHttpServer(render: RenderError): Server {
  const refuse = (request: IncomingMessage, response: ServerResponse): void => {
    const locale = localeOf(request);
    const { status, body } = render('HTTPS_REQUIRED', locale);
    response.writeHead(status, closingHeaders(body, locale));
    // The client has the complete response. The connection closes after the request was read, because closing earlier
    // would reset it during an upload and lose the response.
    response.write(body);
    request.once('end', () => response.end());
    request.resume();
  };
  const plainHttpServer = createServer(refuse);
  plainHttpServer.on('checkContinue', refuse);
  plainHttpServer.on('clientError', createClientErrorHandler(render));
  refuseTunnels(plainHttpServer, 'HTTPS_REQUIRED', render);
  return plainHttpServer;
}

function localeOf(request: IncomingMessage): Locale {
  const query = request.url?.split('?', 2)[1] ?? '';
  return chooseLocale({
    parameter: new URLSearchParams(query).get('locale') ?? undefined,
    xLocale: request.headersDistinct['x-locale']?.[0],
    acceptLanguage: request.headers['accept-language'],
  });
}

export const STRICT_TRANSPORT_SECURITY = 'strict-transport-security';

/** One year, for this host name only; see docs/operating.md for subdomains. */
export const DEFAULT_HSTS = 'max-age=31536000';

type SecurityHeaders = { hsts: string | null; drain: Drain };

/**
 * Sets headers on every response. Registered before anything that can reject a request, and set when the request
 * arrives, because a hook on sending is more expensive.
 */
export const securityHeaders = fastifyPlugin<SecurityHeaders>((app, { hsts, drain }, done) => {
  app.addHook('onRequest', (_request, reply, next) => {
    if (hsts !== null) reply.header(STRICT_TRANSPORT_SECURITY, hsts);
    reply.header('x-content-type-options', 'nosniff');
    if (drain.isDraining) reply.header('connection', 'close');
    next();
  });
  done();
});

/**
 * For plain HTTP behind the proxies in Fastify's `trustProxy`: rejects requests that did not reach a trusted proxy
 * over HTTPS. Fastify derives `request.protocol` from X-Forwarded-Proto only for trusted peers, and from the last
 * entry, which that peer wrote; any other peer is plain `http`.
 */
export const requireHttpsProxy = fastifyPlugin((app, _options, done) => {
  app.addHook('onRequest', (request, reply, next) => {
    // The types know two protocols, but the header can contain any text.
    const protocol: string = request.protocol;
    if (protocol?.toLowerCase() === 'https' || isProbe(request)) return next();
    // RFC 6797 forbids the header in responses over plain HTTP.
    reply.removeHeader(STRICT_TRANSPORT_SECURITY);
    next(new HttpRefusal('HTTPS_REQUIRED'));
  });
  done();
});

/**
 * For Fastify's `trustProxy`: whether an address is in one of the networks. Fastify itself fails on `0.0.0.0/0`,
 * which is valid where only proxies can reach the port.
 */
export function trustNetworks(networks: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    if (prefix === undefined) trusted.addAddress(address, familyOf(address));
    else trusted.addSubnet(address, Number(prefix), familyOf(address));
  }
  // X-Forwarded-For can contain any text, and a closed socket has no address.
  const isTrusted = (address: string) => isIP(address) !== 0 && trusted.check(address, familyOf(address));
  return memoize(isTrusted);
}

/** Three addresses are checked per request, and there are few proxies. */
const MAX_REMEMBERED = 1000;

function memoize(isTrusted: (address: string) => boolean): (address: string) => boolean {
  const known = new Map<string, boolean>();
  return (address) => {
    const before = known.get(address);
    if (before !== undefined) return before;
    if (known.size >= MAX_REMEMBERED) known.clear();
    const answer = isTrusted(address);
    known.set(address, answer);
    return answer;
  };
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}
