import fastifyPlugin from 'fastify-plugin';
import { type DestinationStream, type Logger, symbols } from 'pino';
import { msSinceArrival } from './arrival.ts';
import { redactText } from './redact.ts';
import { type RequestFields, requestLine } from './request-line.ts';

/** Levels at which requests are not logged. */
const SILENT_LEVELS = ['warn', 'error', 'fatal', 'silent'];

/** One line for each request that was answered; headers are never logged. The answer carries the id of the line. */
export const requestLog = fastifyPlugin<{ logger: Logger }>((app, { logger }, done) => {
  app.addHook('onRequest', (request, reply, next) => {
    reply.header('x-request-id', request.id);
    next();
  });
  if (SILENT_LEVELS.includes(logger.level)) return done();
  const writeLine = lineWriter(Reflect.get(logger, symbols.streamSym));
  app.addHook('onResponse', (request, reply, next) => {
    const { id: reqId, method, originalUrl: url, ip } = request;
    writeLine({ reqId, method, url, status: reply.statusCode, ms: msSinceArrival(request), ip });
    next();
  });
  done();
});

/**
 * Writes a line for each request. Those of one turn of the event loop are written together: the stream copies all
 * that waits in it for every piece that it is given, and lines in a row take less time than as many single ones.
 */
function lineWriter(to: DestinationStream): (fields: RequestFields) => void {
  let waiting: RequestFields[] = [];
  const write = (): void => {
    const requests = waiting;
    waiting = [];
    to.write(redactText(requests.map(requestLine).join('')));
  };
  return (fields) => {
    if (waiting.push(fields) === 1) setImmediate(write);
  };
}
