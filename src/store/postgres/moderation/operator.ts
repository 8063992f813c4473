import { foldName } from '../../../domain/names.ts';
import { isSearchable } from '../../../domain/text.ts';
import { isBanned } from '../../../domain/votes/bans.ts';
import { monthOf } from '../../../domain/votes/period.ts';
import { type GuildRow, toGuild } from '../../guilds.ts';
import {
  type AuditRow,
  type AuditStore,
  auditStart,
  type BanRow,
  type ModerationStore,
  toAudit,
  toAuditColumns,
  toBan,
  toBatch,
  type VoidBatchRow,
} from '../../moderation/moderation.ts';
import {
  batchStart,
  type FailingRow,
  type InstanceCounts,
  MAX_COUNTED,
  type OperatorStore,
  type Tally,
  toFailing,
} from '../../moderation/operator.ts';
import type { Queryable } from '../connection/connection.ts';
import { GUILD_COLUMNS } from '../guilds.ts';

const upTo = (limit: number, from: string) =>
  `(SELECT count(*) FROM (SELECT FROM ${from} LIMIT ${limit}) AS counted)`;

/** Each query names its index; a test checks the query plans. */
export const OPERATOR_QUERIES = {
  // Index guilds_by_name, in its order, up to the end of the page; the primary key of monthly_votes.
  communities: `
    SELECT ${GUILD_COLUMNS}, (
      SELECT votes FROM monthly_votes m WHERE m.guild_id = guilds.guild_id AND m.month = $4
    ) AS votes
    FROM guilds
    WHERE (name_folded, guild_id) > ($1, $2) AND strpos(name_folded, $3) > 0 AND removed_at IS NULL
    ORDER BY name_folded, guild_id LIMIT $5`,
  // An index of guilds only, indexes guilds_removed, guilds_sanctioned and guilds_unlisted, voter_bans, and the counted
  // part of webhook_deliveries_due. Communities that are being removed are sanctioned and not listed, and do not count.
  counts: `
    WITH removed (count) AS (SELECT count(*) FROM guilds WHERE removed_at IS NOT NULL)
    SELECT (SELECT count(*) FROM guilds) - removed.count AS communities,
      (SELECT count(*) FROM guilds WHERE sanctioned_at IS NOT NULL) - removed.count AS sanctioned,
      (SELECT count(*) FROM guilds WHERE unlisted_at IS NOT NULL) - removed.count AS unlisted,
      ${upTo(MAX_COUNTED, 'voter_bans WHERE until IS NULL OR until > $1')} AS bans,
      ${upTo(MAX_COUNTED, "webhook_deliveries WHERE state = 'pending'")} AS "pendingDeliveries"
    FROM removed`,
  // Index webhook_endpoints_failing.
  failing: `
    SELECT guild_id, endpoint_id, url, failing_since, disabled_at FROM webhook_endpoints
    WHERE failing_since IS NOT NULL OR disabled_at IS NOT NULL
    ORDER BY guild_id, endpoint_id LIMIT $1`,
  // Index void_batches_by_time, read backwards.
  batches: `
    SELECT batch, guild_id, created_at, reason, votes, restored_at FROM void_batches
    WHERE (created_at, batch) < ($1, $2) ORDER BY created_at DESC, batch DESC LIMIT $3`,
  // The primary key of tallies: a few rows a day, locked in the same order by all processes.
  addTallies: `
    INSERT INTO tallies AS kept (day, name, count)
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS added (day, name, count) ORDER BY day, name
    ON CONFLICT (day, name) DO UPDATE SET count = kept.count + excluded.count`,
  tallies: 'SELECT day, name, count FROM tallies WHERE day >= $1 ORDER BY day, name',
  pruneTallies: 'DELETE FROM tallies WHERE day < $1',
} as const;

type CommunityRow = GuildRow & { votes: number | null };

export function createOperatorStore(database: Queryable): OperatorStore {
  async function read<Row extends object>(
    name: keyof typeof OPERATOR_QUERIES,
    ...values: unknown[]
  ): Promise<Row[]> {
    const statement = { name: `operator-${name}`, text: OPERATOR_QUERIES[name], values };
    return (await database.query<Row>(statement)).rows;
  }

  return {
    async communities({ search, after, month, limit }) {
      if (!isSearchable(search)) return [];
      const start = [after ? foldName(after.name) : '', after?.guildId ?? ''];
      const values = [...start, foldName(search), monthOf(month), limit];
      const rows = await read<CommunityRow>('communities', ...values);
      return rows.map((row) => ({ guild: toGuild(row), votesThisMonth: row.votes ?? 0 }));
    },
    async counts(now) {
      const [counts] = await read<InstanceCounts>('counts', now);
      if (!counts) throw new Error('the database did not count');
      return counts;
    },
    async failingEndpoints(limit) {
      return (await read<FailingRow>('failing', limit)).map(toFailing);
    },
    async batches(before, limit) {
      const { voidedAt, batch } = batchStart(before);
      return (await read<VoidBatchRow>('batches', voidedAt, batch, limit)).map(toBatch);
    },
    async addTallies(tallies) {
      await read(
        'addTallies',
        tallies.map(({ day }) => day),
        tallies.map(({ name }) => name),
        tallies.map(({ count }) => count),
      );
    },
    tallies: (from) => read<Tally>('tallies', from),
    async pruneTallies(before) {
      await read('pruneTallies', before);
    },
  };
}

const AUDIT_SQL = {
  record: `
    INSERT INTO operator_actions (at, actor_id, actor_name, action, guild_id, detail)
    VALUES ($1, $2, $3, $4, $5, $6)`,
  // The primary key (at, action_id), read backwards.
  recent: `
    SELECT action_id, at, actor_id, actor_name, action, guild_id, detail FROM operator_actions
    WHERE (at, action_id) < ($1, $2) ORDER BY at DESC, action_id DESC LIMIT $3`,
  // The primary key. Rows that another process is deleting are skipped.
  prune: `
    DELETE FROM operator_actions WHERE (at, action_id) IN (
      SELECT at, action_id FROM operator_actions WHERE at < $1 ORDER BY at, action_id LIMIT $2 FOR UPDATE SKIP LOCKED
    )`,
} as const;

export function createAuditStore(database: Queryable): AuditStore {
  return {
    async record(entry) {
      await database.query({ text: AUDIT_SQL.record, values: toAuditColumns(entry) });
    },
    async recent(before, limit) {
      const { at, id } = auditStart(before);
      const { rows } = await database.query<AuditRow>({ text: AUDIT_SQL.recent, values: [at, id, limit] });
      return rows.map(toAudit);
    },
    async prune(before, limit) {
      return (await database.query({ text: AUDIT_SQL.prune, values: [before, limit] })).rowCount ?? 0;
    },
  };
}

type Bans = Pick<ModerationStore, 'ban' | 'unban' | 'findBan' | 'bans' | 'pruneBans'>;

/** The primary key, except for `prune`. */
const BAN_SQL = {
  ban: `
    INSERT INTO voter_bans (user_id, since, until, reason) VALUES ($1, $2, $3, $4)
    ON CONFLICT (user_id) DO UPDATE SET since = excluded.since, until = excluded.until, reason = excluded.reason`,
  unban: 'DELETE FROM voter_bans WHERE user_id = $1 AND (until IS NULL OR until > $2)',
  find: 'SELECT user_id, since, until, reason FROM voter_bans WHERE user_id = $1',
  list: `
    SELECT user_id, since, until, reason FROM voter_bans
    WHERE user_id > $1 AND (until IS NULL OR until > $2) ORDER BY user_id LIMIT $3`,
  // Index voter_bans_by_end. Rows that another process is deleting are skipped.
  prune: `
    DELETE FROM voter_bans WHERE user_id IN (
      SELECT user_id FROM voter_bans WHERE until < $1 LIMIT $2 FOR UPDATE SKIP LOCKED
    )`,
} as const;

export function createBans(database: Queryable): Bans {
  const run = (name: keyof typeof BAN_SQL, ...values: unknown[]) =>
    database.query<BanRow>({ name: `bans-${name}`, text: BAN_SQL[name], values });
  return {
    async ban({ userId, since, until, reason }) {
      await run('ban', userId, since, until, reason);
    },
    async unban(userId, now) {
      return (await run('unban', userId, now)).rowCount !== 0;
    },
    async findBan(userId, now) {
      const row = (await run('find', userId)).rows[0];
      return row && isBanned(row, now) ? toBan(row) : undefined;
    },
    async bans(now, afterUserId, limit) {
      return (await run('list', afterUserId, now, limit)).rows.map(toBan);
    },
    async pruneBans(before, limit) {
      return (await run('prune', before, limit)).rowCount ?? 0;
    },
  };
}
