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
import type { Queryable } from '../connection/connection.ts';
import { toVote, type VoteRow } from '../votes/votes.ts';

const NEWEST = 'FROM votes WHERE guild_id = $1 AND marks <> 0 AND cast_at >= $2';

const sumOf = (mark: keyof typeof MARK_BITS) =>
  `count(*) FILTER (WHERE marks & ${MARK_BITS[mark]} <> 0) AS ${mark}`;

/** Each names the index that answers it; a test reads their plans. */
export const UNUSUAL_QUERIES = {
  // Index votes_marked_by_time, read backwards.
  everywhere: `
    SELECT guild_id, user_id, cast_at, external_id, is_doubled, marks FROM votes
    WHERE marks > 0 AND (cast_at, guild_id, user_id) < ($1, $2, $3)
    ORDER BY cast_at DESC, guild_id DESC, user_id DESC LIMIT $4`,
  // Index votes_marked.
  days: `
    SELECT cast_at - (cast_at % 86400000 + 86400000) % 86400000 AS day,
      ${sumOf('young_account')}, ${sumOf('busy_network')}, ${sumOf('shared_name')}
    FROM (SELECT cast_at, marks ${NEWEST} ORDER BY cast_at DESC, user_id DESC LIMIT ${MAX_SUMMED}) AS newest
    GROUP BY day ORDER BY day`,
  // Index votes_marked.
  sharedNames: `
    SELECT min(external_id) AS name, count(*) AS votes FROM (
      SELECT external_id, name_key ${NEWEST} AND marks & ${MARK_BITS.shared_name} <> 0
      ORDER BY cast_at DESC, user_id DESC LIMIT ${MAX_EXAMINED}
    ) AS newest GROUP BY name_key ORDER BY votes DESC, name LIMIT ${MAX_NAMES}`,
  // Index votes_marked.
  busyNetworks: `
    SELECT count(DISTINCT network) AS networks FROM (
      SELECT network ${NEWEST} AND marks & ${MARK_BITS.busy_network} <> 0
      ORDER BY cast_at DESC, user_id DESC LIMIT ${MAX_EXAMINED}
    ) AS newest`,
  // The primary key of hourly_votes.
  hourly:
    'SELECT hour, votes, doubled FROM hourly_votes WHERE guild_id = $1 AND hour >= $2 AND hour < $3 ORDER BY hour',
} as const;

export function createUnusualStore(database: Queryable): UnusualStore {
  async function read<Row extends object>(
    name: keyof typeof UNUSUAL_QUERIES,
    ...values: unknown[]
  ): Promise<Row[]> {
    const statement = { name: `unusual-${name}`, text: UNUSUAL_QUERIES[name], values };
    return (await database.query<Row>(statement)).rows;
  }

  return {
    everywhere: (mark, before, limit) =>
      scanMarked(
        async ({ castAt, guildId, userId }, scanned) => {
          const rows = await read<VoteRow & { marks: number }>(
            'everywhere',
            castAt,
            guildId,
            userId,
            scanned,
          );
          return rows.map((row) => ({ ...toVote(row), bits: row.marks }));
        },
        mark,
        before,
        limit,
      ),
    async ofGuild(guildId, from) {
      const [days, sharedNames, [busy]] = await Promise.all([
        read<MarkedDay>('days', guildId, from),
        read<{ name: string; votes: number }>('sharedNames', guildId, from),
        read<{ networks: number }>('busyNetworks', guildId, from),
      ]);
      return { days, sharedNames, busyNetworks: busy?.networks ?? 0 };
    },
    hourly: (guildId, { from, to }) => read<HourlyVotes>('hourly', guildId, from, to),
  };
}
