import type { FastifyInstance, FastifyTypeProvider } from 'fastify';
import type { XStatic as Static } from 'typebox/schema';
import type { Clock } from '../../domain/clock.ts';
import type { RateLimit } from '../../domain/rate-window.ts';
import type { Secrets } from '../../domain/secrets.ts';
import type { FeedWaiters } from '../../store/announce.ts';
import type { Store } from '../../store/store.ts';

/** The dependencies of the endpoints. */
export type V7Deps = {
  store: Store;
  clock: Clock;
  secrets: Secrets;
  rateLimit: RateLimit;
  /**
   * Notified of votes that this process accepts. Without it they are found by polling, like those of other processes.
   */
  feedWaiters?: FeedWaiters;
  /** The public URL for the OpenAPI document; if unknown, the URL it was loaded from. */
  publicUrl?: string | null;
  /** The name in the title of the OpenAPI document. Default: Votary. */
  siteName?: string;
};

/** The TypeScript types of a JSON Schema. */
interface SchemaTypes extends FastifyTypeProvider {
  validator: Static<this['schema']>;
  serializer: Static<this['schema']>;
}

/** A Fastify instance whose handlers are typed by their schemas. */
export type V7Instance = ReturnType<typeof typed>;

export function typed(app: FastifyInstance) {
  return app.withTypeProvider<SchemaTypes>();
}
