/**
 * One port for both: TLS is served, plain HTTP is refused in words.
 *
 *   app.register(httpsGate, { render: (code, locale) => ({ status: 403, body: '{…}' }) });
 *
 * Must be registered before the server listens. See docs/decisions/0005-https-on-one-port.md.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import fastifyPlugin from 'fastify-plugin';
import { SECOND_MS } from '../domain/clock.ts';
import { chooseLocale, type Locale } from '../domain/locale.ts';
import {
  closingHeaders,
  createClientErrorHandler,
  type RenderError,
  refuseTunnels,
} from './client-errors.ts';

export type HttpsGateOptions = {
  render: RenderError;
  /** How long a connection may take to say its first byte, and a refused request to end. */
  timeLimitMs?: number;
};

/** Cuts off the connections that have not said yet what they speak. */
export type HttpsGate = { close(): void };

/** The first byte of every TLS connection: a record of type "handshake". No HTTP method starts with it. */
const TLS_HANDSHAKE = 0x16;

export const httpsGate = fastifyPlugin<HttpsGateOptions>((app, options, done) => {
  const gate = installHttpsGate(app.server, options);
  app.addHook('preClose', (next) => {
    gate.close();
    next();
  });
  done();
});

/** Stands before the TLS side of an HTTPS server, which made itself the first listener for connections. */
export function installHttpsGate(server: Server, options: HttpsGateOptions): HttpsGate {
  const { render, timeLimitMs = 10 * SECOND_MS } = options;
  const refuser = createRefuser(render);
  const undecided = new Set<Socket>();
  const startTls = takeFirstListener(server);
  let isClosing = false;

  server.on('connection', (socket: Socket) => {
    if (isClosing) return void socket.destroy();
    undecided.add(socket);
    const settle = watchUndecided(socket, timeLimitMs, () => undecided.delete(socket));
    socket.on('readable', function peek() {
      const chunk: Buffer | null = socket.read();
      if (chunk === null) return;
      socket.off('readable', peek);
      settle();
      socket.unshift(chunk);
      if (chunk[0] !== TLS_HANDSHAKE) return void admitToRefusal(refuser, socket, timeLimitMs);
      startTls(socket);
    });
  });
  return {
    close: () => {
      isClosing = true;
      for (const socket of undecided) socket.destroy();
    },
  };
}

function takeFirstListener(server: Server): (socket: Socket) => void {
  const [listener] = server.listeners('connection');
  if (!listener) throw new Error('the HTTPS gate needs a server that listens for connections');
  server.off('connection', listener);
  return (socket) => void Reflect.apply(listener, server, [socket]);
}

/** Until somebody owns the socket, its errors and its silence are ours. */
function watchUndecided(socket: Socket, timeLimitMs: number, forget: () => void): () => void {
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

/** This server never listens, so Node's own limits on slow requests do not watch it: one limit for all of it does. */
function admitToRefusal(refuser: Server, socket: Socket, timeLimitMs: number): void {
  const timer = setTimeout(() => socket.destroy(), timeLimitMs);
  socket.once('close', () => clearTimeout(timer));
  refuser.emit('connection', socket);
}

function createRefuser(render: RenderError): Server {
  const refuse = (request: IncomingMessage, response: ServerResponse): void => {
    const locale = localeOf(request);
    const { status, body } = render('HTTPS_REQUIRED', locale);
    response.writeHead(status, closingHeaders(body, locale));
    // The client has the whole answer now; the connection closes when its request has been read to the end,
    // because closing it earlier would reset it under an upload and lose the answer.
    response.write(body);
    request.once('end', () => response.end());
    request.resume();
  };
  const refuser = createServer(refuse);
  refuser.on('checkContinue', refuse);
  refuser.on('clientError', createClientErrorHandler(render));
  refuseTunnels(refuser, 'HTTPS_REQUIRED', render);
  return refuser;
}

function localeOf(request: IncomingMessage): Locale {
  const query = request.url?.split('?', 2)[1] ?? '';
  return chooseLocale({
    parameter: new URLSearchParams(query).get('locale') ?? undefined,
    xLocale: request.headersDistinct['x-locale']?.[0],
    acceptLanguage: request.headers['accept-language'],
  });
}
