import { isStorableExternalId } from '../../../domain/identifiers.ts';
import type { RecentVote, Vote } from '../../../domain/votes/vote.ts';
import { foldExternalId } from '../../../domain/votes/vote.ts';
import type { Database } from '../../database.ts';
import { createVoteCounts } from '../../votes/counts.ts';
import { createVoteLists } from '../../votes/lists.ts';
import { NO_EVIDENCE, toVote, VOTE_COLUMNS, type VoteRow, type VoteStore } from '../../votes/votes.ts';
import type { Connections } from '../connection/connection.ts';
import { WriteGroups } from '../write-groups.ts';
import { castKeys, createCastGroups, refuseExisting } from './cast.ts';
import { importVotes } from './import.ts';
import { createRankings } from './rankings.ts';
import { createStanding, readTotals } from './standing.ts';

export function createVoteStore(connections: Connections, database: Database, url: string): VoteStore {
  async function latest(name: keyof typeof HOT_QUERIES, ...values: unknown[]): Promise<Vote | undefined> {
    const { rows } = await connections.query<VoteRow>({ name, text: HOT_QUERIES[name], values });
    return rows.map(toVote)[0];
  }

  const casts = new WriteGroups(connections, {
    run: createCastGroups(),
    keysOf: castKeys,
    sharedBy: ({ vote }) => vote.guildId,
    resultOf: refuseExisting,
  });

  return {
    ...createVoteLists(database),
    ...createVoteCounts(database),
    ...createRankings(connections),
    cast: (vote, evidence = NO_EVIDENCE) => casts.add({ vote, evidence }),
    latestOfUser: (guildId, userId, { after, until }) =>
      latest('latestOfUser', guildId, userId, after, until),
    async latestOfExternalId(guildId, externalId, { after, until }) {
      // Skips text that no vote can contain: PostgreSQL rejects NUL, and half a surrogate pair would be changed.
      if (!isStorableExternalId(externalId)) return undefined;
      return latest('latestOfExternalId', guildId, externalId, after, until, foldExternalId(externalId));
    },
    async latestOfMany(guildId, kind, ids, { after, until }) {
      // Text that no vote can contain becomes null, which is the external id of no vote.
      const asked = kind === 'userId' ? ids : ids.map((id) => (isStorableExternalId(id) ? id : null));
      const values: unknown[] = [guildId, asked, after, until];
      if (kind === 'externalId') values.push(asked.map((id) => id && foldExternalId(id)));
      const statement = { name: `many-${kind}`, text: MANY_QUERIES[kind], values };
      return (await connections.query<ManyRow>(statement)).rows.map(toRecentVote);
    },
    standing: createStanding(connections),
    totalsOf: (votes) => readTotals(connections, votes),
    import: (batches, now) => connections.track(importVotes(url, batches, now)),
  };
}

type ManyRow = { cast_at: number | null; is_doubled: boolean | null };

function toRecentVote({ cast_at, is_doubled }: ManyRow): RecentVote | undefined {
  return cast_at === null ? undefined : { castAt: cast_at, isDoubled: is_doubled === true };
}

/** The queries of every request, each with its index; a test checks the query plans. */
export const HOT_QUERIES = {
  // Index votes_by_user, read from its end.
  latestOfUser: `
    SELECT ${VOTE_COLUMNS} FROM votes
    WHERE guild_id = $1 AND user_id = $2 AND cast_at > $3 AND cast_at <= $4
    ORDER BY cast_at DESC LIMIT 1`,
  // Index votes_by_external_id, read from its end; it contains case-folded names.
  latestOfExternalId: `
    SELECT ${VOTE_COLUMNS} FROM votes
    WHERE guild_id = $1 AND name_key = $5 AND external_id = $2 AND cast_at > $3 AND cast_at <= $4
    ORDER BY cast_at DESC, user_id DESC LIMIT 1`,
} as const;

function latestOf(condition: string): string {
  return `LEFT JOIN LATERAL (
      SELECT cast_at, is_doubled FROM votes
      WHERE guild_id = $1 AND ${condition} AND cast_at > $3 AND cast_at <= $4
      ORDER BY cast_at DESC, user_id DESC LIMIT 1
    ) AS vote ON true
    ORDER BY position`;
}

/** One row per id, in order. The same indexes as for one, once per id. */
export const MANY_QUERIES = {
  userId: `
    SELECT cast_at, is_doubled FROM unnest($2::text[]) WITH ORDINALITY AS asked (id, position)
    ${latestOf('user_id = asked.id')}`,
  externalId: `
    SELECT cast_at, is_doubled FROM unnest($2::text[], $5::text[]) WITH ORDINALITY AS asked (id, key, position)
    ${latestOf('name_key = asked.key AND external_id = asked.id')}`,
} as const;
