/** What an endpoint consists of, and what it can use. */
import type { FastifyInstance, FastifyTypeProvider } from 'fastify';
import type { Clock } from '../../domain/clock.ts';
import type { Secrets } from '../../domain/secrets.ts';
import type { FeedWaiters } from '../../store/announce.ts';
import type { RateLimit } from '../../store/rates.ts';
import type { Store } from '../../store/store.ts';
import type { Leaderboards } from '../../store/votes/leaderboards.ts';
import type { RecordFirstRequest } from './first-requests.ts';
import type { Static } from './schema.ts';

/** A path and its routes. */
export type Endpoint = {
  path: string;
  /** Any other method gets 405. */
  methods: readonly string[];
  register: (app: V7Instance, deps: EndpointDeps) => void;
};

export const READ = ['GET', 'HEAD'];

export type EndpointDeps = V7Deps & { feedWaiters: FeedWaiters };

/** The dependencies of the API. */
export type V7Deps = {
  store: Store;
  leaderboards: Leaderboards;
  clock: Clock;
  secrets: Secrets;
  rateLimit: RateLimit;
  recordFirstRequest: RecordFirstRequest;
  /**
   * Notified of votes that this process accepts. Without it they are found by polling, like those of other processes.
   */
  feedWaiters?: FeedWaiters;
  /** Older votes are not listed; null: all are. */
  keepVotesDays?: number | null;
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
