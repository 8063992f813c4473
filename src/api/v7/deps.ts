import type { FastifyInstance, FastifyTypeProvider } from 'fastify';
import type { XStatic as Static } from 'typebox/schema';
import type { Clock } from '../../domain/clock.ts';
import type { RateLimit } from '../../domain/rate-window.ts';
import type { Secrets } from '../../domain/secrets.ts';
import type { Store } from '../../store/store.ts';
import type { FeedWaiters } from './feed-waiters.ts';

/** What the endpoints work with. */
export type V7Deps = {
  store: Store;
  clock: Clock;
  secrets: Secrets;
  rateLimit: RateLimit;
  /** Notified of votes that this process accepts. Without it they are noticed by polling, like those of other processes. */
  feedWaiters?: FeedWaiters;
  /** Where the service is reached, for the OpenAPI document; when it is not known, wherever that was got from. */
  publicUrl?: string | null;
};

/** The types that a JSON Schema stands for. */
interface SchemaTypes extends FastifyTypeProvider {
  validator: Static<this['schema']>;
  serializer: Static<this['schema']>;
}

/** Where endpoints are registered: their handlers see the types of their schemas. */
export type V7Instance = ReturnType<typeof typed>;

export function typed(app: FastifyInstance) {
  return app.withTypeProvider<SchemaTypes>();
}
