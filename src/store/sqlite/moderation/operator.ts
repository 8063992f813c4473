import type { Instant } from '../../../domain/clock.ts';
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
import type { Connections } from '../connection.ts';
import { GUILD_COLUMNS } from '../queries.ts';

const upTo = (limit: number, from: string) => `(SELECT count(*) FROM (SELECT 1 FROM ${from} LIMIT ${limit}))`;

/** Each query names its index; a test checks the query plans. */
export const OPERATOR_QUERIES = {
  // Index guilds_by_name only, in its order, up to the end of the page; then the primary keys of guilds and
  // monthly_votes. A single query would read every row of guilds to search its name.
  communities: `
    WITH page AS MATERIALIZED (
      SELECT guild_id AS id FROM guilds INDEXED BY guilds_by_name
      WHERE (name_folded, guild_id) > (@name, @guildId) AND instr(name_folded, @search) > 0
        AND guild_id NOT IN (SELECT guild_id FROM guilds INDEXED BY guilds_removed WHERE removed_at IS NOT NULL)
      ORDER BY name_folded, guild_id LIMIT @limit + 0
    )
    SELECT ${GUILD_COLUMNS}, (
      SELECT votes FROM monthly_votes m WHERE m.guild_id = guilds.guild_id AND m.month = @month
    ) AS votes
    FROM page CROSS JOIN guilds ON guilds.guild_id = page.id
    ORDER BY name_folded, guild_id`,
  // The smallest indexes of guilds, voter_bans, and the counted part of webhook_deliveries_due. Communities that are
  // being removed are sanctioned and not listed, and do not count.
  counts: `
    WITH removed (count) AS (
      SELECT count(*) FROM guilds INDEXED BY guilds_removed WHERE removed_at IS NOT NULL
    )
    SELECT (SELECT count(*) FROM guilds) - removed.count AS communities,
      (SELECT count(*) FROM guilds INDEXED BY guilds_sanctioned WHERE sanctioned_at IS NOT NULL) - removed.count
        AS sanctioned,
      (SELECT count(*) FROM guilds INDEXED BY guilds_unlisted WHERE unlisted_at IS NOT NULL) - removed.count
        AS unlisted,
      ${upTo(MAX_COUNTED, 'voter_bans WHERE until IS NULL OR until > @now')} AS bans,
      ${upTo(MAX_COUNTED, "webhook_deliveries INDEXED BY webhook_deliveries_due WHERE state = 'pending'")}
        AS pendingDeliveries
    FROM removed`,
  failing: `
    SELECT guild_id, endpoint_id, url, failing_since, disabled_at
    FROM webhook_endpoints INDEXED BY webhook_endpoints_failing
    WHERE failing_since IS NOT NULL OR disabled_at IS NOT NULL
    ORDER BY guild_id, endpoint_id LIMIT ? + 0`,
  // Index void_batches_by_time, read backwards.
  batches: `
    SELECT batch, guild_id, created_at, reason, votes, restored_at FROM void_batches INDEXED BY void_batches_by_time
    WHERE (created_at, batch) < (?, ?) ORDER BY created_at DESC, batch DESC LIMIT ? + 0`,
} as const;

type CommunityRow = GuildRow & { votes: number | null };

export function createOperatorStore(database: Connections): OperatorStore {
  const sql = prepare(database);
  return {
    async communities({ search, after, month, limit }) {
      if (!isSearchable(search)) return [];
      const start = { name: after ? foldName(after.name) : '', guildId: after?.guildId ?? '' };
      const rows = sql.communities.all({
        ...start,
        search: foldName(search),
        month: monthOf(month),
        limit,
      });
      return rows.map((row) => ({ guild: toGuild(row), votesThisMonth: row.votes ?? 0 }));
    },
    async counts(now) {
      const counts = sql.counts.get({ now });
      if (!counts) throw new Error('the database did not count');
      return counts;
    },
    async failingEndpoints(limit) {
      return sql.failing.all(limit).map(toFailing);
    },
    async batches(before, limit) {
      const { voidedAt, batch } = batchStart(before);
      return sql.batches.all(voidedAt, batch, limit).map(toBatch);
    },
    async addTallies(tallies) {
      const addAll = () => {
        for (const tally of tallies) sql.addTally.run(tally);
      };
      await database.transaction(addAll);
    },
    async tallies(from) {
      return sql.tallies.all(from);
    },
    async pruneTallies(before) {
      await database.write(() => sql.pruneTallies.run(before));
    },
  };
}

function prepare({ reader, writer }: Connections) {
  return {
    communities: reader.prepare<[object], CommunityRow>(OPERATOR_QUERIES.communities),
    counts: reader.prepare<[{ now: Instant }], InstanceCounts>(OPERATOR_QUERIES.counts),
    failing: reader.prepare<[number], FailingRow>(OPERATOR_QUERIES.failing),
    batches: reader.prepare<[Instant, string, number], VoidBatchRow>(OPERATOR_QUERIES.batches),
    // The primary key of tallies: a few rows a day.
    addTally: writer.prepare<[Tally]>(
      `INSERT INTO tallies (day, name, count) VALUES (@day, @name, @count)
       ON CONFLICT (day, name) DO UPDATE SET count = count + excluded.count`,
    ),
    tallies: reader.prepare<[Instant], Tally>(
      'SELECT day, name, count FROM tallies WHERE day >= ? ORDER BY day, name',
    ),
    pruneTallies: writer.prepare<[Instant]>('DELETE FROM tallies WHERE day < ?'),
  };
}

export function createAuditStore(database: Connections): AuditStore {
  const { reader, writer } = database;
  const record = writer.prepare(
    `INSERT INTO operator_actions (at, actor_id, actor_name, action, guild_id, detail) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  // Index operator_actions_by_time, read backwards.
  const recent = reader.prepare<[Instant, number, number], AuditRow>(
    `SELECT action_id, at, actor_id, actor_name, action, guild_id, detail FROM operator_actions
     INDEXED BY operator_actions_by_time
     WHERE (at, action_id) < (?, ?) ORDER BY at DESC, action_id DESC LIMIT ? + 0`,
  );
  const prune = writer.prepare(
    `DELETE FROM operator_actions WHERE action_id IN (
       SELECT action_id FROM operator_actions INDEXED BY operator_actions_by_time WHERE at < ? LIMIT ? + 0
     )`,
  );
  return {
    async record(entry) {
      await database.write(() => record.run(...toAuditColumns(entry)));
    },
    async recent(before, limit) {
      const { at, id } = auditStart(before);
      return recent.all(at, id, limit).map(toAudit);
    },
    prune: (before, limit) => database.write(() => prune.run(before, limit).changes),
  };
}

type Bans = Pick<ModerationStore, 'ban' | 'unban' | 'findBan' | 'bans' | 'pruneBans'>;

export function createBans(database: Connections): Bans {
  const sql = prepareBans(database);
  return {
    async ban({ userId, since, until, reason }) {
      await database.write(() => sql.ban.run(userId, since, until, reason));
    },
    unban: (userId, now) => database.write(() => sql.unban.run(userId, now).changes > 0),
    async findBan(userId, now) {
      const row = sql.find.get(userId);
      return row && isBanned(row, now) ? toBan(row) : undefined;
    },
    async bans(now, afterUserId, limit) {
      return sql.list.all(afterUserId, now, limit).map(toBan);
    },
    pruneBans: (before, limit) => database.write(() => sql.prune.run(before, limit).changes),
  };
}

/** The primary key, except for `prune`. */
function prepareBans({ reader, writer }: Connections) {
  return {
    ban: writer.prepare(
      `INSERT INTO voter_bans (user_id, since, until, reason) VALUES (?, ?, ?, ?)
       ON CONFLICT (user_id) DO UPDATE SET since = excluded.since, until = excluded.until, reason = excluded.reason`,
    ),
    unban: writer.prepare('DELETE FROM voter_bans WHERE user_id = ? AND (until IS NULL OR until > ?)'),
    find: reader.prepare<[string], BanRow>(
      'SELECT user_id, since, until, reason FROM voter_bans WHERE user_id = ?',
    ),
    list: reader.prepare<[string, Instant, number], BanRow>(
      `SELECT user_id, since, until, reason FROM voter_bans
       WHERE user_id > ? AND (until IS NULL OR until > ?) ORDER BY user_id LIMIT ? + 0`,
    ),
    // Index voter_bans_by_end.
    prune: writer.prepare(
      `DELETE FROM voter_bans WHERE user_id IN (
         SELECT user_id FROM voter_bans INDEXED BY voter_bans_by_end WHERE until < ? LIMIT ? + 0
       )`,
    ),
  };
}
