import { setImmediate as yieldToRequests } from 'node:timers/promises';
import type { Instant } from '../../../domain/clock.ts';
import { isStorableExternalId } from '../../../domain/identifiers.ts';
import { MARK_BITS } from '../../../domain/votes/marks.ts';
import { hourOf, monthOf } from '../../../domain/votes/period.ts';
import { foldExternalId } from '../../../domain/votes/vote.ts';
import {
  type RecordedBatch,
  sumBy,
  toBatch,
  VOID_CHUNK,
  type VoidBatchRow,
  type VoidQuery,
  type VoidRequest,
  type VoidStore,
} from '../../moderation/voiding.ts';
import { UnknownGuildError } from '../../store.ts';
import { toVote, type VoteRow } from '../../votes/votes.ts';
import { planVoidEvents } from '../../webhooks/events.ts';
import type { Connection, Connections } from '../connection.ts';
import type { HotCache } from '../hot-cache.ts';
import { createPartyCorrection } from '../votes/goals.ts';
import { createVoteInsert } from '../votes/insert-vote.ts';
import { createRoleCheck } from '../votes/voter-roles.ts';
import { createEventWriter } from '../webhooks/events.ts';

/** All columns of a vote, because restoring brings all of them back. */
const COLUMNS = 'guild_id, cast_at, user_id, external_id, name_key, is_doubled, seq, marks, network';

type StoredRow = VoteRow & {
  name_key: string | null;
  seq: number | null;
  marks: number;
  network: string | null;
};

type PositionRow = Pick<VoteRow, 'cast_at' | 'user_id'>;

type Position = { afterCastAt: Instant; afterUserId: string };

const START: Position = { afterCastAt: Number.MIN_SAFE_INTEGER, afterUserId: '' };

/** Votes counted at a time, before other requests run. */
const COUNTED_AT_ONCE = 2000;

const WITHIN = 'guild_id = @guildId AND cast_at < @to';
const SELECTIONS = {
  user: `FROM votes INDEXED BY votes_by_user WHERE ${WITHIN} AND user_id = @userId`,
  name: `
    FROM votes INDEXED BY votes_by_external_id
    WHERE ${WITHIN} AND name_key = @nameKey AND external_id = @externalId`,
  mark: `FROM votes INDEXED BY votes_marked WHERE ${WITHIN} AND marks <> 0 AND marks & @bit <> 0`,
  network: `FROM votes INDEXED BY votes_by_network WHERE ${WITHIN} AND network = @network`,
} as const;

type Selected = { from: keyof typeof SELECTIONS; values: object };

/** `undefined` when the selection cannot match any vote. */
function select({ guildId, selection, period }: VoidQuery): Selected | undefined {
  const values = { guildId, ...period };
  if ('userId' in selection) return { from: 'user', values: { ...values, userId: selection.userId } };
  if ('mark' in selection) return { from: 'mark', values: { ...values, bit: MARK_BITS[selection.mark] } };
  if ('network' in selection) return { from: 'network', values: { ...values, network: selection.network } };
  const { externalId } = selection;
  if (!isStorableExternalId(externalId)) return undefined;
  return { from: 'name', values: { ...values, nameKey: foldExternalId(externalId), externalId } };
}

/** Each chunk is a separate transaction that contains votes, their part of the totals and their events. */
export function createVoiding(database: Connections, cache: HotCache): VoidStore {
  const { reader, writer } = database;
  const sql = prepare(writer);
  const insert = createVoteInsert(writer, cache);
  const [toCount, toVoid] = [prepareSelections(reader), prepareSelections(writer)];
  const findBatch = reader.prepare<[string], VoidBatchRow>(FIND_BATCH);
  // The primary key.
  const networkOf = reader.prepare<[string, Instant, string], { network: string | null }>(
    'SELECT network FROM votes WHERE guild_id = ? AND cast_at = ? AND user_id = ?',
  );
  const writeEvents = createEventWriter(writer);
  const correctParty = createPartyCorrection(writer);
  const checkRole = createRoleCheck(writer);

  function voidChunk({ from, values }: Selected, after: Position, request: VoidRequest): StoredRow[] {
    const { guildId, batch, reason, voidedAt } = request;
    if (!sql.findGuild.get(guildId)) throw new UnknownGuildError(guildId);
    const chosen = toVoid[from].all({ ...values, ...after, limit: VOID_CHUNK });
    const rows = chosen.flatMap(({ cast_at, user_id }) => sql.findVote.get(guildId, cast_at, user_id) ?? []);
    if (rows.length === 0) return rows;
    sql.addBatch.run(batch, guildId, voidedAt, reason, rows.length);
    for (const row of rows) {
      sql.keepVoided.run({ ...row, batch });
      sql.removeVote.run(row);
    }
    changeSums(guildId, rows, -1);
    checkRole(guildId, votersOf(rows), voidedAt);
    writeEvents(guildId, (subscriptions) => planVoidEvents(rows.map(toVote), request, subscriptions));
    return rows;
  }

  function restoreChunk({ guildId, batch }: RecordedBatch, now: Instant): number {
    const rows = sql.findVoided.all(guildId, batch);
    for (const row of rows) {
      const { name_key: nameKey, seq, marks, network } = row;
      if (!insert(toVote(row), { nameKey, seq, marks, network }))
        throw new Error('a voided vote exists already');
      sql.removeVoided.run(row);
    }
    changeSums(guildId, rows, 1);
    checkRole(guildId, votersOf(rows), now);
    return rows.length;
  }

  function changeSums(guildId: string, rows: readonly StoredRow[], sign: 1 | -1): void {
    const votes = rows.map((row) => ({ ...toVote(row), seq: row.seq }));
    for (const { start, votes: number, doubled, firstSeq } of sumBy(hourOf, votes))
      sql.changeHour.run(guildId, start, sign * number, sign * doubled, firstSeq);
    for (const { start, votes: number, doubled } of sumBy(monthOf, votes))
      sql.changeMonth.run(guildId, start, sign * number, sign * doubled);
    sql.dropEmptyHours.run(guildId, JSON.stringify(sumBy(hourOf, votes).map(({ start }) => start)));
    correctParty(
      guildId,
      rows.map(({ seq }) => seq),
      sign,
    );
  }

  async function countAll({ from, values }: Selected): Promise<number> {
    let after = START;
    for (let total = 0; ; await yieldToRequests()) {
      const counted = toCount[from].all({ ...values, ...after, limit: COUNTED_AT_ONCE });
      total += counted.length;
      const last = counted.at(-1);
      if (!last || counted.length < COUNTED_AT_ONCE) return total;
      after = { afterCastAt: last.cast_at, afterUserId: last.user_id };
    }
  }

  async function voidAll(selected: Selected, request: VoidRequest): Promise<number> {
    let after = START;
    for (let total = 0; ; await yieldToRequests()) {
      const work = () => voidChunk(selected, after, request);
      const rows = await database.writeMany(work);
      total += rows.length;
      const last = rows.at(-1);
      if (!last || rows.length < VOID_CHUNK) return total;
      after = { afterCastAt: last.cast_at, afterUserId: last.user_id };
    }
  }

  async function restoreAll(batch: RecordedBatch, now: Instant): Promise<number> {
    for (let total = 0; ; await yieldToRequests()) {
      const restored = await database.writeMany(() => restoreChunk(batch, now));
      total += restored;
      if (restored < VOID_CHUNK) return total;
    }
  }

  return {
    async void(request) {
      const selected = select(request);
      return selected ? voidAll(selected, request) : 0;
    },
    async countVoidable(query) {
      const selected = select(query);
      return selected ? countAll(selected) : 0;
    },
    async restore(batch, now) {
      const row = findBatch.get(batch);
      if (!row) return undefined;
      const restored = await restoreAll(toBatch(row), now);
      await database.write(() => sql.markRestored.run(now, batch));
      return restored;
    },
    async networkOf(guildId, { castAt, userId }) {
      return networkOf.get(guildId, castAt, userId)?.network ?? null;
    },
    pruneNetworks: (oldest, limit) => database.write(() => sql.pruneNetworks.run(oldest, limit).changes),
    async findBatch(batch) {
      const row = findBatch.get(batch);
      return row && toBatch(row);
    },
  };
}

function votersOf(rows: readonly StoredRow[]): Set<string> {
  return new Set(rows.map(({ user_id }) => user_id));
}

// The primary key.
const FIND_BATCH = `
  SELECT batch, guild_id, created_at, reason, votes, restored_at FROM void_batches WHERE batch = ?`;

/** Positions are read from the index only, unless names are compared. Reading starts at the later of the two bounds. */
function prepareSelections(db: Connection) {
  const statement = (from: keyof typeof SELECTIONS) =>
    db.prepare<[object], PositionRow>(
      `SELECT cast_at, user_id ${SELECTIONS[from]} AND cast_at >= max(@from, @afterCastAt)
         AND (cast_at > @afterCastAt OR user_id > @afterUserId)
       ORDER BY cast_at, user_id LIMIT @limit + 0`,
    );
  return {
    user: statement('user'),
    name: statement('name'),
    mark: statement('mark'),
    network: statement('network'),
  };
}

function prepare(db: Connection) {
  const values = COLUMNS.replace(/\w+/g, '@$&');
  const key = 'guild_id = @guild_id AND cast_at = @cast_at AND user_id = @user_id';
  return {
    // The primary key.
    findVote: db.prepare<[string, Instant, string], StoredRow>(
      `SELECT ${COLUMNS} FROM votes WHERE guild_id = ? AND cast_at = ? AND user_id = ?`,
    ),
    findGuild: db.prepare('SELECT 1 FROM guilds WHERE guild_id = ?'),
    addBatch: db.prepare<[string, string, Instant, string | null, number]>(
      `INSERT INTO void_batches (batch, guild_id, created_at, reason, votes) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (batch) DO UPDATE SET votes = votes + excluded.votes`,
    ),
    keepVoided: db.prepare<[object]>(
      `INSERT INTO voided_votes (${COLUMNS}, batch) VALUES (${values}, @batch)`,
    ),
    removeVote: db.prepare<[object]>(`DELETE FROM votes WHERE ${key}`),
    // Index voided_votes_by_batch.
    findVoided: db.prepare<[string, string], StoredRow>(
      `SELECT ${COLUMNS} FROM voided_votes INDEXED BY voided_votes_by_batch
       WHERE guild_id = ? AND batch = ? ORDER BY cast_at, user_id LIMIT ${VOID_CHUNK}`,
    ),
    removeVoided: db.prepare<[object]>(`DELETE FROM voided_votes WHERE ${key}`),
    // The smallest number is kept when a vote is voided: a feed may start too early, but not too late.
    changeHour: db.prepare(
      `INSERT INTO hourly_votes (guild_id, hour, votes, doubled, first_seq) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (guild_id, hour) DO UPDATE
       SET votes = votes + excluded.votes, doubled = doubled + excluded.doubled,
           first_seq = min(coalesce(first_seq, excluded.first_seq), coalesce(excluded.first_seq, first_seq))`,
    ),
    changeMonth: db.prepare(
      `INSERT INTO monthly_votes (guild_id, month, votes, doubled) VALUES (?, ?, ?, ?)
       ON CONFLICT (guild_id, month) DO UPDATE
       SET votes = votes + excluded.votes, doubled = doubled + excluded.doubled`,
    ),
    // The primary key. Days without votes are not listed.
    dropEmptyHours: db.prepare(
      'DELETE FROM hourly_votes WHERE guild_id = ? AND hour IN (SELECT value FROM json_each(?)) AND votes = 0',
    ),
    // Index voided_votes_by_network.
    pruneNetworks: db.prepare(
      `UPDATE voided_votes SET network = NULL WHERE (guild_id, cast_at, user_id) IN (
         SELECT guild_id, cast_at, user_id FROM voided_votes INDEXED BY voided_votes_by_network
         WHERE network < ? LIMIT ? + 0
       )`,
    ),
    markRestored: db.prepare(
      'UPDATE void_batches SET restored_at = coalesce(restored_at, ?) WHERE batch = ?',
    ),
  };
}
