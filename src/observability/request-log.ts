import fastifyPlugin from 'fastify-plugin';
import type { Logger } from 'pino';
import { batchByTick, msSinceArrival } from '../http/batch-by-tick.ts';
import { redactUrl } from './redact.ts';

/** `ip` is null when the client is gone. */
type RequestLine = {
  reqId: string;
  method: string;
  url: string;
  status: number;
  ms: number;
  ip: string | null;
};

/** One line for each request that was answered; headers are never logged. The answer carries the id of the line. */
export const requestLog = fastifyPlugin<{ logger: Logger }>((app, { logger }, done) => {
  app.addHook('onRequest', (request, reply, next) => {
    reply.header('x-request-id', request.id);
    next();
  });
  if (!logger.isLevelEnabled('info')) return done();
  const write = batchByTick<RequestLine>((line) =>
    logger.info({ ...line, url: redactUrl(line.url) }, 'request'),
  );
  app.addHook('onResponse', (request, reply, next) => {
    const { id: reqId, method, originalUrl: url, ip = null } = request;
    const ms = Math.round(msSinceArrival(reply) * 1000) / 1000;
    write({ reqId, method, url, status: reply.statusCode, ms, ip });
    next();
  });
  done();
});
