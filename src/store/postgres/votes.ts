import { isStorableExternalId } from '../../domain/identifiers.ts';
import type { Vote } from '../../domain/vote.ts';
import { exportVotes } from '../export-votes.ts';
import { pageStart } from '../page-start.ts';
import type { VoteStore } from '../store.ts';
import { castVote } from './cast.ts';
import type { Connections } from './connection.ts';
import { importVotes } from './vote-import.ts';
import { HOT_QUERIES } from './vote-queries.ts';

type VoteRow = {
  guild_id: string;
  user_id: string;
  cast_at: number;
  external_id: string | null;
  is_doubled: boolean;
};

export function createVoteStore(database: Connections, url: string): VoteStore {
  async function read(name: keyof typeof HOT_QUERIES, ...values: unknown[]): Promise<Vote[]> {
    const { rows } = await database.query<VoteRow>({ name, text: HOT_QUERIES[name], values });
    return rows.map(toVote);
  }

  async function count(name: keyof typeof HOT_QUERIES, ...values: unknown[]): Promise<number> {
    const { rows } = await database.query<{ votes: number }>({ name, text: HOT_QUERIES[name], values });
    return rows[0]?.votes ?? 0;
  }

  const votes: VoteStore = {
    cast: (vote) => database.transaction((inside) => castVote(inside, vote)),
    async latestOfUser(guildId, userId, { after, until }) {
      return (await read('latestOfUser', guildId, userId, after, until))[0];
    },
    async latestOfExternalId(guildId, externalId, { after, until }) {
      // Text that no vote can carry is not asked for: PostgreSQL refuses NUL, and half a surrogate pair would be changed.
      if (!isStorableExternalId(externalId)) return undefined;
      return (await read('latestOfExternalId', guildId, externalId, after, until))[0];
    },
    async page({ guildId, userId, period }, after, limit) {
      const { castAt, userId: afterUserId } = pageStart(period, after);
      const range = [castAt, afterUserId, period.to, limit];
      return userId === null
        ? read('page', guildId, ...range)
        : read('pageOfUser', guildId, userId, ...range);
    },
    async count({ guildId, userId, period: { from, to } }) {
      return userId === null
        ? count('count', guildId, from, to)
        : count('countOfUser', guildId, userId, from, to);
    },
    import: (batches, now) => database.track(importVotes(url, batches, now)),
    export: (guildId, period) => exportVotes(votes.page, guildId, period),
  };
  return votes;
}

function toVote(row: VoteRow): Vote {
  return {
    guildId: row.guild_id,
    userId: row.user_id,
    castAt: row.cast_at,
    externalId: row.external_id,
    isDoubled: row.is_doubled,
  };
}
