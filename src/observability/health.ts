import fastifyPlugin from 'fastify-plugin';
import { SECOND_MS } from '../domain/clock.ts';
import type { Drain } from '../http/listen.ts';
import { ALIVE_ROUTE, READY_ROUTE } from '../http/probes.ts';
import { type Store, StoreUnavailableError, type UnavailableKind } from '../store/store.ts';

export type HealthOptions = { store: Pick<Store, 'ping'>; drain?: Drain; timeLimitMs?: number };

const NOT_READY_STATUS = 503;

/** `/healthz`: the process responds. `/readyz`: the database responds too, so traffic can be sent here. */
export const health = fastifyPlugin<HealthOptions>(
  (app, { store, drain, timeLimitMs = 2 * SECOND_MS }, done) => {
    const findProblem = createReadyCheck(store, timeLimitMs);

    app.get(ALIVE_ROUTE, (_request, reply) => reply.header('cache-control', 'no-store').send({ ok: true }));

    app.get(READY_ROUTE, async (_request, reply) => {
      reply.header('cache-control', 'no-store');
      if (drain?.isDraining)
        return reply.code(NOT_READY_STATUS).send({ ok: false, reason: 'the service is stopping' });
      const problem = await findProblem();
      if (problem === undefined) return { ok: true };
      return reply.code(NOT_READY_STATUS).send({ ok: false, reason: REASONS[problem] });
    });
    done();
  },
);

/** The endpoint is public, so it names no host and repeats no error. */
const REASONS: Record<UnavailableKind, string> = {
  unreachable: 'the database is not responding',
  'read-only': 'the database is read-only',
  full: 'the disk of the database is full',
};

/** A hanging database is queried once, regardless of the number of probes. */
function createReadyCheck(
  store: Pick<Store, 'ping'>,
  timeLimitMs: number,
): () => Promise<UnavailableKind | undefined> {
  let pending: Promise<UnavailableKind | undefined> | undefined;
  const ping = async (): Promise<UnavailableKind | undefined> => {
    try {
      await store.ping();
      return undefined;
    } catch (error) {
      return error instanceof StoreUnavailableError ? error.kind : 'unreachable';
    } finally {
      pending = undefined;
    }
  };
  return () => {
    pending ??= ping();
    return withTimeout(pending, { timeLimitMs, fallback: 'unreachable' });
  };
}

/** The value, or `fallback` if it takes longer than `timeLimitMs`. */
export async function withTimeout<T>(
  answer: Promise<T>,
  { timeLimitMs, fallback }: { timeLimitMs: number; fallback: T },
): Promise<T> {
  const { promise: tooLate, resolve } = Promise.withResolvers<T>();
  const timer = setTimeout(() => resolve(fallback), timeLimitMs);
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
