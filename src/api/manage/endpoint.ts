/** What a resource of the management API consists of, and what it can use. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../domain/clock.ts';
import type { TokenScope } from '../../domain/keys/api-token.ts';
import type { Secrets } from '../../domain/secrets.ts';
import type { Moderator } from '../../moderation/moderator.ts';
import type { RateLimit } from '../../store/rates.ts';
import type { Store } from '../../store/store.ts';
import type { Voting } from '../../voting/cast-vote.ts';
import { typed } from '../v7/endpoint.ts';
import { callerToken } from './access.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a token needs to use this route of the management API. */
    scope?: TokenScope;
  }
}

/** A path and its routes. Every route has `config: { scope }`. */
export type ManageEndpoint = {
  path: string;
  /** Any other method gets 405. */
  methods: readonly string[];
  register: (app: ManageInstance, deps: ManageDeps) => void;
};

export type ManageInstance = ReturnType<typeof typedInstance>;

export function typedInstance(app: FastifyInstance) {
  return typed(app);
}

export type ManageDeps = {
  store: Store;
  clock: Clock;
  secrets: Secrets;
  voting: Voting;
  /** Requests per token, and per network without a valid token. */
  manageRateLimit: RateLimit;
  /** Waits for a request with the same Idempotency-Key. Default: a timer. */
  pause?: (ms: number) => Promise<unknown>;
  /** The public URL for the OpenAPI document; if unknown, the URL it was loaded from. */
  publicUrl?: string | null;
  /** The name in the title of the OpenAPI document. Default: Votary. */
  siteName?: string;
};

/** The token of the request, for src/moderation: the log of operators shows its name. */
export function moderatorOf(
  request: FastifyRequest,
  { store, clock }: ManageDeps,
): Moderator & { store: Store } {
  const { tokenId, name } = callerToken(request);
  return { store, clock, actor: { tokenId, name } };
}
