import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';
import express from 'express';
import fastify, { type FastifyInstance } from 'fastify';
import type { WebhookHandler } from '../../../sdk/src/index.ts';

type Outcome = { status: number; text: string; retryAfter?: string };

/** Posts a delivery to a temporary server. */
export async function post(listener: RequestListener, headers: object, body: string): Promise<Outcome> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address && typeof address === 'object');
  const call = request({
    port: address.port,
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', ...headers },
  });
  call.end(body);
  const [response] = await once(call, 'response');
  const retryAfter = response.headers['retry-after'];
  const answer = {
    status: response.statusCode,
    text: await text(response),
    ...(retryAfter !== undefined && { retryAfter }),
  };
  server.close();
  return answer;
}

/** The same handler in each kind of server. */
export const SERVERS: Record<string, (handler: WebhookHandler) => Promise<RequestListener>> = {
  'node:http': async (handler) => handler,
  Express: async (handler) => express().post('/', handler),
  'Express with express.raw()': async (handler) =>
    express().post('/', express.raw({ type: 'application/json' }), handler),
  'Express with express.text()': async (handler) =>
    express().post('/', express.text({ type: 'application/json' }), handler),
  Fastify: (handler) =>
    fastifyWith(handler, (app) => {
      app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
        done(null, body),
      );
    }),
  'Fastify with bytes': (handler) =>
    fastifyWith(handler, (app) => {
      app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
        done(null, body),
      );
    }),
};

export async function fastifyWith(
  handler: WebhookHandler,
  prepare: (app: FastifyInstance) => void,
): Promise<RequestListener> {
  const app: FastifyInstance = fastify();
  after(() => app.close());
  app.removeContentTypeParser('application/json');
  prepare(app);
  app.post('/', handler);
  await app.ready();
  return (incoming, response) => app.routing(incoming, response);
}
