import { isStorableExternalId } from '../../domain/identifiers.ts';
import type { ListedVote, Vote } from '../../domain/vote.ts';
import { exportVotes } from '../export-votes.ts';
import { beforeOrNewest, pageStart } from '../page-start.ts';
import type { VoteStore } from '../store.ts';
import { castVote } from './cast.ts';
import type { Connections } from './connection.ts';
import { createVoteCounts } from './vote-counts.ts';
import { importVotes } from './vote-import.ts';
import { HOT_QUERIES } from './vote-queries.ts';

type VoteRow = {
  guild_id: string;
  user_id: string;
  cast_at: number;
  external_id: string | null;
  is_doubled: boolean;
};

type ListedRow = Pick<VoteRow, 'user_id' | 'cast_at' | 'is_doubled'>;

export function createVoteStore(database: Connections, url: string): VoteStore {
  async function read(name: keyof typeof HOT_QUERIES, ...values: unknown[]): Promise<Vote[]> {
    const { rows } = await database.query<VoteRow>({ name, text: HOT_QUERIES[name], values });
    return rows.map(toVote);
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
    async list({ guildId, userId, period }, after, limit) {
      const { castAt, userId: afterUserId } = pageStart(period, after);
      const range = [castAt, afterUserId, period.to, limit];
      const statement =
        userId === null
          ? { name: 'list', text: HOT_QUERIES.list, values: [guildId, ...range] }
          : { name: 'listOfUser', text: HOT_QUERIES.listOfUser, values: [guildId, userId, ...range] };
      const { rows } = await database.query<ListedRow>(statement);
      return rows.map(toListedVote);
    },
    async recent(guildId, userId, before, limit) {
      const { castAt, userId: beforeUserId } = beforeOrNewest(before);
      const range = [castAt, beforeUserId, limit];
      return userId === null
        ? read('recent', guildId, ...range)
        : read('recentOfUser', guildId, userId, ...range);
    },
    ...createVoteCounts(database),
    import: (batches, now) => database.track(importVotes(url, batches, now)),
    export: (guildId, period) => exportVotes(votes.page, guildId, period),
  };
  return votes;
}

function toListedVote(row: ListedRow): ListedVote {
  return { userId: row.user_id, castAt: row.cast_at, isDoubled: row.is_doubled };
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
