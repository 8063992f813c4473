/**
 * Where claims are stored: those of the consumer `default` in vote_claims, which earlier versions know and most
 * communities use alone; those of all others in consumer_claims. Every statement about claims exists for both.
 */
import { DEFAULT_CONSUMER } from '../../domain/votes/consumers.ts';

export type ClaimTables = {
  claims: string;
  /** The index of `claims` by name. */
  byName: string;
  /** That by a part of `vote_id`, on SQLite. */
  byId: string;
  releases: string;
  /** The columns of the primary keys that are not part of the other table. */
  consumerColumn: string;
  /** `sql`, only where there is a consumer to name. */
  ifNamed(sql: string): string;
};

export const CLAIM_TABLES = {
  default: {
    claims: 'vote_claims',
    byName: 'vote_claims_by_name',
    byId: 'vote_claims_by_id',
    releases: 'released_claims',
    consumerColumn: '',
    ifNamed: () => '',
  },
  named: {
    claims: 'consumer_claims',
    byName: 'consumer_claims_by_name',
    byId: 'consumer_claims_by_id',
    releases: 'released_consumer_claims',
    consumerColumn: ', consumer',
    ifNamed: (sql) => sql,
  },
} as const satisfies Record<string, ClaimTables>;

export type ClaimScope = keyof typeof CLAIM_TABLES;

export const CLAIM_SCOPES: readonly ClaimScope[] = ['default', 'named'];

export function scopeOf(consumer: string): ClaimScope {
  return consumer === DEFAULT_CONSUMER ? 'default' : 'named';
}

/** The same for both tables. */
export function forBoth<Made>(
  make: (tables: ClaimTables, scope: ClaimScope) => Made,
): Record<ClaimScope, Made> {
  return { default: make(CLAIM_TABLES.default, 'default'), named: make(CLAIM_TABLES.named, 'named') };
}
