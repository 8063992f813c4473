import type { Instant } from '../../../domain/clock.ts';
import { isStorableExternalId } from '../../../domain/identifiers.ts';
import { MARK_BITS } from '../../../domain/votes/marks.ts';
import { hourOf, monthOf } from '../../../domain/votes/period.ts';
import { foldExternalId } from '../../../domain/votes/vote.ts';
import {
  type RecordedBatch,
  sumBy,
  toBatch,
  type VoidBatchRow,
  type VoidQuery,
  type VoidRequest,
  type VoidStore,
} from '../../moderation/voiding.ts';
import { UnknownGuildError } from '../../store.ts';
import { toVote, type VoteRow } from '../../votes/votes.ts';
import { planVoidEvents, type Subscription } from '../../webhooks/events.ts';
import type { Connections, Queryable } from '../connection/connection.ts';
import { correctParty } from '../votes/goals.ts';
import { markRoleChecks } from '../votes/voter-roles.ts';
import { writeEvents } from '../webhooks/events.ts';

/** All columns of a vote, because restoring brings all of them back. */
const COLUMNS = 'guild_id, cast_at, user_id, external_id, name_key, is_doubled, seq, marks, network';

/** Votes moved per statement, to stay far below the query timeout. */
const ROWS_AT_ONCE = 2000;

type StoredRow = VoteRow & { seq: number | null };

const WITHIN = 'guild_id = $1 AND cast_at >= $2 AND cast_at < $3';
/** Indexes votes_by_user, votes_by_external_id, votes_marked and votes_by_network. */
const SELECTIONS = {
  user: `${WITHIN} AND user_id = $4`,
  name: `${WITHIN} AND name_key = $4 AND external_id = $5`,
  mark: `${WITHIN} AND marks <> 0 AND marks & $4 <> 0`,
  network: `${WITHIN} AND network = $4`,
} as const;

const SQL = {
  // The guild is locked first, in the same order as its removal and a vote.
  lockGuild: 'SELECT guild_id FROM guilds WHERE guild_id = $1 FOR KEY SHARE',
  subscriptions: 'SELECT endpoint_id, events FROM webhook_endpoints WHERE guild_id = $1',
  addBatch:
    'INSERT INTO void_batches (batch, guild_id, created_at, reason, votes) VALUES ($1, $2, $3, $4, $5)',
  findBatch: `
    SELECT batch, guild_id, created_at, reason, votes, restored_at FROM void_batches WHERE batch = $1`,
  lockBatch: 'SELECT FROM void_batches WHERE batch = $1 FOR NO KEY UPDATE',
  markRestored: 'UPDATE void_batches SET restored_at = coalesce(restored_at, $2) WHERE batch = $1',
  // The primary key.
  networkOf: 'SELECT network FROM votes WHERE guild_id = $1 AND cast_at = $2 AND user_id = $3',
  // Index voided_votes_by_network. Rows that another process is changing are skipped.
  pruneNetworks: `
    UPDATE voided_votes SET network = NULL WHERE (guild_id, cast_at, user_id) IN (
      SELECT guild_id, cast_at, user_id FROM voided_votes WHERE network < $1 LIMIT $2 FOR UPDATE SKIP LOCKED
    )`,
  // Index voided_votes_by_batch, then the primary key. Waits for a concurrent claim.
  restore: `
    WITH moved AS (
      DELETE FROM voided_votes WHERE (guild_id, cast_at, user_id) IN (
        SELECT guild_id, cast_at, user_id FROM voided_votes
        WHERE guild_id = $1 AND batch = $2 ORDER BY cast_at, user_id LIMIT ${ROWS_AT_ONCE}
      ) RETURNING ${COLUMNS}
    )
    INSERT INTO votes (${COLUMNS}) SELECT ${COLUMNS} FROM moved ORDER BY cast_at, user_id RETURNING ${COLUMNS}`,
  // Locked in the order of hourly_votes, monthly_votes, goals and voter roles, last of all, like an import and a vote. The
  // smallest number is kept when a vote is voided: a feed may start too early, but not too late.
  changeHours: `
    INSERT INTO hourly_votes AS hours (guild_id, hour, votes, doubled, first_seq)
    SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
    ON CONFLICT (guild_id, hour) DO UPDATE
    SET votes = hours.votes + excluded.votes, doubled = hours.doubled + excluded.doubled,
        first_seq = least(hours.first_seq, excluded.first_seq)`,
  changeMonths: `
    INSERT INTO monthly_votes AS months (guild_id, month, votes, doubled)
    SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[])
    ON CONFLICT (guild_id, month) DO UPDATE
    SET votes = months.votes + excluded.votes, doubled = months.doubled + excluded.doubled`,
  // The primary key. Days without votes are not listed.
  dropEmptyHours: 'DELETE FROM hourly_votes WHERE guild_id = $1 AND hour = ANY ($2::bigint[]) AND votes = 0',
} as const;

type Selected = { where: string; values: unknown[] };

/** `undefined` when the selection cannot match any vote. */
function select({ guildId, selection, period }: VoidQuery): Selected | undefined {
  const values = [guildId, period.from, period.to];
  if ('userId' in selection) return { where: SELECTIONS.user, values: [...values, selection.userId] };
  if ('mark' in selection) return { where: SELECTIONS.mark, values: [...values, MARK_BITS[selection.mark]] };
  if ('network' in selection) return { where: SELECTIONS.network, values: [...values, selection.network] };
  const { externalId } = selection;
  if (!isStorableExternalId(externalId)) return undefined;
  return { where: SELECTIONS.name, values: [...values, foldExternalId(externalId), externalId] };
}

/** A batch is one transaction, moved in parts. Casts only wait for its totals, which it changes at the end. */
export function createVoiding(database: Connections): VoidStore {
  async function findBatch(batch: string): Promise<RecordedBatch | undefined> {
    const { rows } = await database.query<VoidBatchRow>({ text: SQL.findBatch, values: [batch] });
    return rows.map(toBatch)[0];
  }

  return {
    async void(request) {
      const selected = select(request);
      return selected ? database.transaction((tx) => voidAll(tx, selected, request)) : 0;
    },
    async countVoidable(query) {
      const selected = select(query);
      if (!selected) return 0;
      const text = `SELECT count(*) AS votes FROM votes WHERE ${selected.where}`;
      return (await database.query<{ votes: number }>({ text, values: selected.values })).rows[0]?.votes ?? 0;
    },
    async restore(batch, now) {
      const known = await findBatch(batch);
      return known && database.transaction((tx) => restoreAll(tx, known, now));
    },
    findBatch,
    async networkOf(guildId, { castAt, userId }) {
      const values = [guildId, castAt, userId];
      const { rows } = await database.query<{ network: string | null }>({ text: SQL.networkOf, values });
      return rows[0]?.network ?? null;
    },
    async pruneNetworks(oldest, limit) {
      return (await database.query({ text: SQL.pruneNetworks, values: [oldest, limit] })).rowCount ?? 0;
    },
  };
}

async function voidAll(tx: Queryable, selected: Selected, request: VoidRequest): Promise<number> {
  const { guildId, batch, reason, voidedAt } = request;
  const locked = await tx.query({ text: SQL.lockGuild, values: [guildId] });
  if (locked.rowCount === 0) throw new UnknownGuildError(guildId);
  const endpoints = await tx.query<Subscription>({ text: SQL.subscriptions, values: [guildId] });
  const move = { text: moveSelected(selected), values: [...selected.values, batch] };
  const rows = await inParts(tx, move, (part) =>
    writeEvents(tx, planVoidEvents(part.map(toVote), request, endpoints.rows)),
  );
  if (rows.length === 0) return 0;
  await tx.query({ text: SQL.addBatch, values: [batch, guildId, voidedAt, reason, rows.length] });
  await changeSums(tx, guildId, rows, -1);
  await checkRoles(tx, guildId, rows, voidedAt);
  return rows.length;
}

/** The index of the selection, then the primary key. Waits for a concurrent claim. */
function moveSelected({ where, values }: Selected): string {
  return `
    WITH chosen AS (
      SELECT guild_id, cast_at, user_id FROM votes WHERE ${where}
      ORDER BY cast_at, user_id LIMIT ${ROWS_AT_ONCE} FOR UPDATE
    ), moved AS (
      DELETE FROM votes USING chosen WHERE votes.guild_id = chosen.guild_id AND votes.cast_at = chosen.cast_at
        AND votes.user_id = chosen.user_id
      RETURNING ${COLUMNS.replace(/\w+/g, 'votes.$&')}
    )
    INSERT INTO voided_votes (${COLUMNS}, batch)
    SELECT ${COLUMNS}, $${values.length + 1} FROM moved RETURNING ${COLUMNS}`;
}

async function restoreAll(tx: Queryable, known: RecordedBatch, now: number): Promise<number> {
  const { guildId, batch } = known;
  await tx.query({ text: SQL.lockGuild, values: [guildId] });
  await tx.query({ text: SQL.lockBatch, values: [batch] });
  const rows = await inParts(tx, { text: SQL.restore, values: [guildId, batch] });
  await changeSums(tx, guildId, rows, 1);
  await checkRoles(tx, guildId, rows, now);
  await tx.query({ text: SQL.markRestored, values: [batch, now] });
  return rows.length;
}

/** Runs the statement until it changes nothing. */
async function inParts(
  tx: Queryable,
  statement: { text: string; values: unknown[] },
  afterPart?: (part: StoredRow[]) => Promise<void>,
): Promise<StoredRow[]> {
  const all: StoredRow[] = [];
  for (;;) {
    const { rows } = await tx.query<StoredRow>(statement);
    await afterPart?.(rows);
    for (const row of rows) all.push(row);
    if (rows.length < ROWS_AT_ONCE) return all;
  }
}

async function checkRoles(
  tx: Queryable,
  guildId: string,
  rows: readonly StoredRow[],
  at: Instant,
): Promise<void> {
  const voters = new Set(rows.map(({ user_id }) => user_id));
  await markRoleChecks(
    tx,
    [...voters].map((userId) => ({ guildId, userId, at })),
  );
}

async function changeSums(
  tx: Queryable,
  guildId: string,
  rows: readonly StoredRow[],
  sign: 1 | -1,
): Promise<void> {
  const votes = rows.map((row) => ({ ...toVote(row), seq: row.seq }));
  const [hours, months] = [sumBy(hourOf, votes), sumBy(monthOf, votes)];
  const columns = (sums: typeof hours) => [
    sums.map(({ start }) => start),
    sums.map((sum) => sign * sum.votes),
    sums.map((sum) => sign * sum.doubled),
  ];
  const firstSeqs = hours.map(({ firstSeq }) => firstSeq);
  await tx.query({ text: SQL.changeHours, values: [guildId, ...columns(hours), firstSeqs] });
  await tx.query({ text: SQL.dropEmptyHours, values: [guildId, hours.map(({ start }) => start)] });
  await tx.query({ text: SQL.changeMonths, values: [guildId, ...columns(months)] });
  await correctParty(
    tx,
    guildId,
    rows.map(({ seq }) => seq),
    sign,
  );
}
