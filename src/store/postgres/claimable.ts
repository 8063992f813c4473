import type { Instant } from '../../domain/clock.ts';
import {
  type ClaimableVote,
  isLimitedByName,
  MAX_LISTED_CLAIMS,
  NAME_INTERVAL_MS,
} from '../../domain/votes/claim.ts';
import type { Vote } from '../../domain/votes/vote.ts';
import { type ClaimQuery, type CountedVotes, nameOf } from '../claims.ts';
import type { Queryable } from './connection.ts';
import { toVote, type VoteRow } from './votes.ts';

const COLUMNS = 'v.guild_id, v.user_id, v.cast_at, v.external_id, v.is_doubled';
const CLAIMED = `
  vote_claims c WHERE c.guild_id = v.guild_id AND c.cast_at = v.cast_at AND c.user_id = v.user_id`;
const OF_USER = 'v.guild_id = $1 AND v.cast_at > $2 AND v.cast_at <= $3 AND v.user_id = $4';
const OF_NAME = `v.guild_id = $1 AND v.cast_at > $2 AND v.cast_at <= $3 AND v.name_key = $4
  AND ($5::text IS NULL OR v.external_id = $5)`;
const FIRST = `ORDER BY v.cast_at, v.user_id LIMIT ${MAX_LISTED_CLAIMS}`;

function open(condition: string): string {
  return `
    SELECT ${COLUMNS}, count(*) OVER () AS total FROM votes v
    WHERE ${condition} AND NOT EXISTS (SELECT FROM ${CLAIMED}) ${FIRST}`;
}

function claimed(condition: string): string {
  return `
    SELECT ${COLUMNS}, claimed_at, count(*) OVER () AS total
    FROM votes v CROSS JOIN LATERAL (SELECT claimed_at FROM ${CLAIMED}) AS claim WHERE ${condition} ${FIRST}`;
}

/** Indexes votes_by_user and votes_by_external_id; each claim by the primary key of vote_claims. A test reads the plans. */
export const CLAIM_QUERIES = {
  openOfUser: open(OF_USER),
  openOfName: open(OF_NAME),
  claimedOfUser: claimed(OF_USER),
  claimedOfName: claimed(OF_NAME),
  // From one vote that can be claimed to the next, an hour or more later: however many votes lie between. Indexes
  // votes_by_external_id and vote_claims_by_name.
  walkName: `
    WITH RECURSIVE walk AS (
      SELECT $2::bigint + 1 AS next_at, false AS is_open, NULL::text COLLATE "C" AS user_id, NULL::bigint AS cast_at,
             NULL::text COLLATE "C" AS external_id, false AS is_doubled
      UNION ALL
      SELECT coalesce(claim.cast_at, vote.cast_at) + ${NAME_INTERVAL_MS}, claim.cast_at IS NULL, vote.*
      FROM walk
      CROSS JOIN LATERAL (
        SELECT user_id, cast_at, external_id, is_doubled FROM votes
        WHERE guild_id = $1 AND name_key = $4 AND cast_at >= walk.next_at AND cast_at <= $3
          AND ($5::text IS NULL OR votes.external_id = $5)
        ORDER BY cast_at, user_id LIMIT 1
      ) AS vote
      LEFT JOIN LATERAL (
        SELECT cast_at FROM vote_claims
        WHERE guild_id = $1 AND name_key = $4 AND cast_at > vote.cast_at - ${NAME_INTERVAL_MS}
          AND cast_at < vote.cast_at + ${NAME_INTERVAL_MS} AND ($5::text IS NULL OR external_id = $5)
        ORDER BY cast_at DESC LIMIT 1
      ) AS claim ON true
    )
    SELECT $1 AS guild_id, user_id, cast_at, external_id, is_doubled, count(*) OVER () AS total
    FROM walk WHERE is_open ORDER BY cast_at LIMIT ${MAX_LISTED_CLAIMS}`,
} as const;

type CountedRow = VoteRow & { total: number };
type ClaimedRow = CountedRow & { claimed_at: Instant };
type QueryName = keyof typeof CLAIM_QUERIES;

const NONE = { votes: [], total: 0 };

/** The votes that can be claimed now. */
export async function readClaimable(inside: Queryable, query: ClaimQuery): Promise<CountedVotes<Vote>> {
  const isLimited = isLimitedByName(query.identity, query.oneRewardPerName);
  return read<CountedRow, Vote>(inside, query, ['openOfUser', isLimited ? 'walkName' : 'openOfName'], toVote);
}

export async function readClaimed(
  inside: Queryable,
  query: ClaimQuery,
): Promise<CountedVotes<ClaimableVote>> {
  return read(inside, query, ['claimedOfUser', 'claimedOfName'], toClaimed);
}

async function read<R extends CountedRow, V>(
  inside: Queryable,
  { guildId, identity, window: { after, until } }: ClaimQuery,
  [ofUser, ofName]: [QueryName, QueryName],
  toEntry: (row: R) => V,
): Promise<CountedVotes<V>> {
  const values: unknown[] = [guildId, after, until];
  const isUser = 'userId' in identity;
  if (isUser) values.push(identity.userId);
  else {
    const searched = nameOf(identity);
    if (!searched) return NONE;
    values.push(searched.nameKey, searched.externalId);
  }
  const name = isUser ? ofUser : ofName;
  const { rows } = await inside.query<R>({ name, text: CLAIM_QUERIES[name], values });
  return { votes: rows.map(toEntry), total: rows[0]?.total ?? 0 };
}

function toClaimed(row: ClaimedRow): ClaimableVote {
  return { ...toVote(row), claimedAt: row.claimed_at };
}
