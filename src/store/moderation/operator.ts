/**
 * What the operator console reads across all guilds. Nothing here reads every vote: communities are read from an index
 * by name, and figures from stored or limited counts.
 */
import type { Instant } from '../../domain/clock.ts';
import type { Guild } from '../../domain/guild.ts';
import { foldName } from '../../domain/text/names.ts';
import { isSearchable } from '../../domain/text/text.ts';
import { monthOf } from '../../domain/votes/period.ts';
import type { Database } from '../database.ts';
import { GUILD_COLUMNS, type GuildRow, toGuild } from '../guilds/guilds.ts';
import type { TallyStore } from './tallies.ts';
import { type RecordedBatch, toBatch, type VoidBatchRow } from './voiding.ts';

export type CommunityQuery = {
  /** Searched in names, ignoring case and accents. Empty: all. */
  search: string;
  /** The last community of the previous page. */
  after: Pick<Guild, 'name' | 'guildId'> | null;
  /** The UTC month whose votes are shown. */
  month: Instant;
  limit: number;
};

export type Community = { guild: Guild; votesThisMonth: number };

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
  endpointId: string;
  url: string;
  failingSince: Instant | null;
  disabledAt: Instant | null;
};

export type BatchPosition = Pick<RecordedBatch, 'voidedAt' | 'batch'>;

export interface OperatorStore extends TallyStore {
  /** Ordered by folded name, then by id. */
  communities(query: CommunityQuery): Promise<Community[]>;
  counts(now: Instant): Promise<InstanceCounts>;
  failingEndpoints(limit: number): Promise<FailingEndpoint[]>;
  /** Newest first, starting just before `before`. */
  batches(before: BatchPosition | null, limit: number): Promise<RecordedBatch[]>;
}

type FailingRow = {
  guild_id: string;
  endpoint_id: string;
  url: string;
  failing_since: Instant | null;
  disabled_at: Instant | null;
};

function toFailing(row: FailingRow): FailingEndpoint {
  return {
    guildId: row.guild_id,
    endpointId: row.endpoint_id,
    url: row.url,
    failingSince: row.failing_since,
    disabledAt: row.disabled_at,
  };
}

/** A position after all batches, so that reading starts with the newest. */
const NEWEST: BatchPosition = { voidedAt: Number.MAX_SAFE_INTEGER, batch: '' };

type CommunityRow = GuildRow & { votes: number | null };

export function createOperatorStore(database: Database): Omit<OperatorStore, keyof TallyStore> {
  const sql = prepare(database);
  return {
    async communities({ search, after, month, limit }) {
      if (!isSearchable(search)) return [];
      const start = { name: after ? foldName(after.name) : '', guildId: after?.guildId ?? '' };
      const rows = await sql.communities({
        ...{ ...start, limit, month: monthOf(month) },
        search: foldName(search),
      });
      return rows.map((row) => ({ guild: toGuild(row), votesThisMonth: row.votes ?? 0 }));
    },
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

function prepare({ read, dialect: { indexedBy, position } }: Database) {
  const removed = `guilds ${indexedBy('guilds_removed')} WHERE removed_at IS NOT NULL`;
  return {
    // Index guilds_by_name only, in its order, up to the end of the page; then the primary keys of guilds and
    // monthly_votes. On SQLite, a single query would read every row of guilds to search its name.
    communities: read<CommunityRow>(`
      WITH page AS MATERIALIZED (
        SELECT guild_id AS id FROM guilds ${indexedBy('guilds_by_name')}
        WHERE (name_folded, guild_id) > (@name, @guildId) AND ${position}(name_folded, @search) > 0
          AND guild_id NOT IN (SELECT guild_id FROM ${removed})
        ORDER BY name_folded, guild_id LIMIT @limit + 0
      )
      SELECT ${GUILD_COLUMNS}, (
        SELECT votes FROM monthly_votes m WHERE m.guild_id = guilds.guild_id AND m.month = @month
      ) AS votes
      FROM page JOIN guilds ON guilds.guild_id = page.id
      ORDER BY name_folded, guild_id`),
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
    // Index webhook_endpoints_failing.
    failing: read<FailingRow>(`
      SELECT guild_id, endpoint_id, url, failing_since, disabled_at
      FROM webhook_endpoints ${indexedBy('webhook_endpoints_failing')}
      WHERE failing_since IS NOT NULL OR disabled_at IS NOT NULL
      ORDER BY guild_id, endpoint_id LIMIT @limit + 0`),
    // Index void_batches_by_time, read backwards.
    batches: read<VoidBatchRow>(`
      SELECT batch, guild_id, created_at, reason, votes, restored_at
      FROM void_batches ${indexedBy('void_batches_by_time')}
      WHERE (created_at, batch) < (@voidedAt, @batch) ORDER BY created_at DESC, batch DESC LIMIT @limit + 0`),
  };
}
