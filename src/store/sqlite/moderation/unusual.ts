import type { Instant } from '../../../domain/clock.ts';
import { MARK_BITS } from '../../../domain/votes/integrity.ts';
import {
  type HourlyVotes,
  MAX_EXAMINED,
  MAX_NAMES,
  MAX_SUMMED,
  type MarkedDay,
  scanMarked,
  type UnusualStore,
} from '../../moderation/unusual.ts';
import type { Connection } from '../connection.ts';
import { toVote, type VoteRow } from '../queries.ts';

const NEWEST = `
  FROM votes INDEXED BY votes_marked WHERE guild_id = @guildId AND marks <> 0 AND cast_at >= @from`;

const sumOf = (mark: keyof typeof MARK_BITS) => `sum(marks & ${MARK_BITS[mark]} <> 0) AS ${mark}`;

/** Each names the index that answers it; a test reads their plans. */
export const UNUSUAL_QUERIES = {
  // Index votes_marked_by_time, read backwards.
  everywhere: `
    SELECT guild_id, user_id, cast_at, external_id, is_doubled, marks FROM votes INDEXED BY votes_marked_by_time
    WHERE marks > 0 AND (cast_at, guild_id, user_id) < (?, ?, ?)
    ORDER BY cast_at DESC, guild_id DESC, user_id DESC LIMIT ?`,
  // Index votes_marked alone.
  days: `
    SELECT cast_at - (cast_at % 86400000 + 86400000) % 86400000 AS day,
      ${sumOf('young_account')}, ${sumOf('busy_network')}, ${sumOf('shared_name')}
    FROM (SELECT cast_at, marks ${NEWEST} ORDER BY cast_at DESC, user_id DESC LIMIT ${MAX_SUMMED})
    GROUP BY day ORDER BY day`,
  sharedNames: `
    SELECT min(external_id) AS name, count(*) AS votes FROM (
      SELECT external_id, name_key ${NEWEST} AND marks & ${MARK_BITS.shared_name} <> 0
      ORDER BY cast_at DESC, user_id DESC LIMIT ${MAX_EXAMINED}
    ) GROUP BY name_key ORDER BY votes DESC, name LIMIT ${MAX_NAMES}`,
  busyNetworks: `
    SELECT count(DISTINCT network) AS networks FROM (
      SELECT network ${NEWEST} AND marks & ${MARK_BITS.busy_network} <> 0
      ORDER BY cast_at DESC, user_id DESC LIMIT ${MAX_EXAMINED}
    )`,
  // The primary key of hourly_votes.
  hourly:
    'SELECT hour, votes, doubled FROM hourly_votes WHERE guild_id = ? AND hour >= ? AND hour < ? ORDER BY hour',
} as const;

type Asked = { guildId: string; from: Instant };

export function createUnusualStore(db: Connection): UnusualStore {
  const everywhere = db.prepare<[Instant, string, string, number], VoteRow & { marks: number }>(
    UNUSUAL_QUERIES.everywhere,
  );
  const days = db.prepare<[Asked], MarkedDay>(UNUSUAL_QUERIES.days);
  const sharedNames = db.prepare<[Asked], { name: string; votes: number }>(UNUSUAL_QUERIES.sharedNames);
  const busyNetworks = db.prepare<[Asked], { networks: number }>(UNUSUAL_QUERIES.busyNetworks);
  const hourly = db.prepare<[string, Instant, Instant], HourlyVotes>(UNUSUAL_QUERIES.hourly);
  return {
    everywhere: (mark, before, limit) =>
      scanMarked(
        async ({ castAt, guildId, userId }, scanned) =>
          everywhere
            .all(castAt, guildId, userId, scanned)
            .map((row) => ({ ...toVote(row), bits: row.marks })),
        mark,
        before,
        limit,
      ),
    async ofGuild(guildId, from) {
      const asked = { guildId, from };
      return {
        days: days.all(asked),
        sharedNames: sharedNames.all(asked),
        busyNetworks: busyNetworks.get(asked)?.networks ?? 0,
      };
    },
    async hourly(guildId, { from, to }) {
      return hourly.all(guildId, from, to);
    },
  };
}
