import type { FastifyReply, FastifyRequest } from 'fastify';
import { SECOND_MS } from '../../domain/clock.ts';
import { callerGuild } from './access.ts';
import type { V7Deps } from './endpoint.ts';

const FIRST_REQUESTS_DELAY_MS = SECOND_MS;

/**
 * Records when the key of a guild was first used; later requests only check a set in memory. The guilds are written in
 * batches: after a restart all of them are new to this process, and one write per guild would slow down requests.
 */
export function createFirstRequestHook({ store, clock }: Pick<V7Deps, 'store' | 'clock'>) {
  const known = new Set<string>();
  let batch: string[] = [];
  const flush = (): void => {
    const guildIds = batch;
    batch = [];
    store.activities.recordRequests(guildIds, clock()).catch(() => {
      // The next request tries again.
      for (const guildId of guildIds) known.delete(guildId);
    });
  };
  return (request: FastifyRequest, _reply: FastifyReply, done: () => void): void => {
    const { guildId } = callerGuild(request);
    if (!known.has(guildId)) {
      known.add(guildId);
      if (batch.push(guildId) === 1) setTimeout(flush, FIRST_REQUESTS_DELAY_MS).unref();
    }
    done();
  };
}
