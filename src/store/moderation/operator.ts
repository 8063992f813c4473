/**
 * What the operator console reads across all guilds. Nothing here reads every vote: figures are from stored or limited
 * counts.
 */
import type { Instant } from '../../domain/clock.ts';
import { type EndpointKind, parseDestination, type StoredKind } from '../../domain/webhooks/destination.ts';
import type { Database } from '../database.ts';
import type { CommunityStore } from './communities.ts';
import type { TallyStore } from './tallies.ts';
import { type RecordedBatch, toBatch, type VoidBatchRow } from './voiding.ts';

/** Counted up to `MAX_COUNTED` only, so that a long queue does not make the page slow. */
export type InstanceCounts = {
  communities: number;
  sanctioned: number;
  unlisted: number;
  bans: number;
  pendingDeliveries: number;
};

export const MAX_COUNTED = 10_000;

/** An endpoint that is failing, or was disabled because of failures. */
export type FailingEndpoint = {
  guildId: string;
  /** The name of the guild. */
  guild: string;
  endpointId: string;
  /** Null: its admins gave it none. */
  name: string | null;
  kind: EndpointKind;
  url: string;
  failingSince: Instant | null;
  disabledAt: Instant | null;
};

export type BatchPosition = Pick<RecordedBatch, 'voidedAt' | 'batch'>;

export interface OperatorStore extends TallyStore, CommunityStore {
  counts(now: Instant): Promise<InstanceCounts>;
  failingEndpoints(limit: number): Promise<FailingEndpoint[]>;
  /** Newest first, starting just before `before`. */
  batches(before: BatchPosition | null, limit: number): Promise<RecordedBatch[]>;
}

type FailingRow = {
  guild_id: string;
  guild: string;
  endpoint_id: string;
  name: string | null;
  kind: StoredKind;
  options: string;
  url: string;
  failing_since: Instant | null;
  disabled_at: Instant | null;
};

function toFailing(row: FailingRow): FailingEndpoint {
  return {
    guildId: row.guild_id,
    guild: row.guild,
    endpointId: row.endpoint_id,
    name: row.name,
    kind: parseDestination(row.kind, row.options).kind,
    url: row.url,
    failingSince: row.failing_since,
    disabledAt: row.disabled_at,
  };
}

/** A position after all batches, so that reading starts with the newest. */
const NEWEST: BatchPosition = { voidedAt: Number.MAX_SAFE_INTEGER, batch: '' };

export function createOperatorStore(
  database: Database,
): Omit<OperatorStore, keyof (TallyStore & CommunityStore)> {
  const sql = prepare(database);
  return {
    async counts(now) {
      const [counts] = await sql.counts({ now });
      if (!counts) throw new Error('the database did not count');
      return counts;
    },
    async failingEndpoints(limit) {
      return (await sql.failing({ limit })).map(toFailing);
    },
    async batches(before, limit) {
      return (await sql.batches({ ...(before ?? NEWEST), limit })).map(toBatch);
    },
  };
}

const upTo = (limit: number, from: string) =>
  `(SELECT count(*) FROM (SELECT 1 FROM ${from} LIMIT ${limit}) AS counted)`;

function prepare({ read, dialect: { indexedBy } }: Database) {
  const removed = `guilds ${indexedBy('guilds_removed')} WHERE removed_at IS NOT NULL`;
  return {
    // The smallest indexes of guilds, voter_bans, and the counted part of webhook_deliveries_due. Communities that are
    // being removed are sanctioned and not listed, and do not count.
    counts: read<InstanceCounts>(`
      WITH removed (count) AS (SELECT count(*) FROM ${removed})
      SELECT (SELECT count(*) FROM guilds) - removed.count AS communities,
        (SELECT count(*) FROM guilds ${indexedBy('guilds_sanctioned')} WHERE sanctioned_at IS NOT NULL)
          - removed.count AS sanctioned,
        (SELECT count(*) FROM guilds ${indexedBy('guilds_unlisted')} WHERE unlisted_at IS NOT NULL)
          - removed.count AS unlisted,
        ${upTo(MAX_COUNTED, 'voter_bans WHERE until IS NULL OR until > @now')} AS bans,
        ${upTo(MAX_COUNTED, `webhook_deliveries ${indexedBy('webhook_deliveries_due')} WHERE state = 'pending'`)}
          AS "pendingDeliveries"
      FROM removed`),
    // Index webhook_endpoints_failing, and the primary key of guilds.
    failing: read<FailingRow>(`
      SELECT guild_id, (SELECT guilds.name FROM guilds WHERE guilds.guild_id = endpoints.guild_id) AS guild,
        endpoint_id, name, kind, options, url, failing_since, disabled_at
      FROM webhook_endpoints AS endpoints ${indexedBy('webhook_endpoints_failing')}
      WHERE failing_since IS NOT NULL OR disabled_at IS NOT NULL
      ORDER BY guild_id, endpoint_id LIMIT @limit + 0`),
    // Index void_batches_by_time, read backwards.
    batches: read<VoidBatchRow>(`
      SELECT batch, guild_id, created_at, reason, votes, restored_at
      FROM void_batches ${indexedBy('void_batches_by_time')}
      WHERE (created_at, batch) < (@voidedAt, @batch) ORDER BY created_at DESC, batch DESC LIMIT @limit + 0`),
  };
}
