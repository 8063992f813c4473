import { setImmediate as nextTick } from 'node:timers/promises';
import fastify from 'fastify';
import type { LogAddresses, LogLevel } from '../../src/config.ts';
import { generateApiKey } from '../../src/domain/keys/api-key.ts';
import { trustNetworks } from '../../src/http/https-gate.ts';
import { health } from '../../src/observability/health.ts';
import { createLogger, loggingOptions } from '../../src/observability/logging.ts';
import { requestLog } from '../../src/observability/request-log.ts';

export const KEY = generateApiKey();
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

type Setup = { level?: LogLevel; addresses?: LogAddresses; proxy?: string; isDatabaseDown?: boolean };

/** `proxy`: the address of a trusted proxy. */
export function loggedServer({
  level = 'info',
  addresses = 'full',
  proxy,
  isDatabaseDown = false,
}: Setup = {}) {
  const lines: string[] = [];
  const logger = createLogger(level, { write: (line) => void lines.push(line) }, { addresses });
  const isTrusted = trustNetworks(proxy === undefined ? [] : [proxy]);
  const app = fastify({ ...loggingOptions(logger, isTrusted), trustProxy: isTrusted });
  app.register(requestLog, { logger });
  const ping = async (): Promise<void> => {
    if (isDatabaseDown) throw new Error('the database is down');
  };
  app.register(health, { store: { ping } });
  app.get('/v7/vote-check', () => ({ ok: true }));
  app.get('/fails', () => {
    throw new Error(`no row for ${KEY}`, { cause: new Error('the disk is full') });
  });
  app.setErrorHandler((error, request, reply) => {
    request.log.error({ err: error }, 'request failed');
    return reply.code(500).send({ ok: false });
  });
  /** Requests are logged at the end of the tick in which they were answered. */
  const logged = async (): Promise<string[]> => {
    await nextTick();
    return lines.join('').split('\n').slice(0, -1);
  };
  return { app, logger, logged, parsed: async () => (await logged()).map((line) => JSON.parse(line)) };
}
