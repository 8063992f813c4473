import type { Instant } from '../../../domain/clock.ts';
import { type ClaimedVote, isLimitedByName, NAME_INTERVAL_MS } from '../../../domain/votes/claim.ts';
import type { Vote } from '../../../domain/votes/vote.ts';
import { type ClaimQuery, nameOf } from '../../votes/claims.ts';
import type { Queryable } from '../connection/connection.ts';
import { toVote, type VoteRow } from './votes.ts';

const COLUMNS = 'guild_id, user_id, cast_at, external_id, is_doubled';
const OF_USER = 'guild_id = $1 AND user_id = $4 AND cast_at > $2 AND cast_at <= $3';
const OF_NAME = `guild_id = $1 AND name_key = $4 AND cast_at > $2 AND cast_at <= $3
  AND ($5::text IS NULL OR external_id = $5)`;
const CLAIM = `
  SELECT claimed_at FROM vote_claims c
  WHERE c.guild_id = votes.guild_id AND c.cast_at = votes.cast_at AND c.user_id = votes.user_id LIMIT 1`;
/**
 * A subquery with a limit looks up each claim by its key. As a plain join, the planner may read all claims of the guild
 * for each vote.
 */
export const IS_OPEN = `(${CLAIM}) IS NULL`;
const AND_CLAIMS = `CROSS JOIN LATERAL (${CLAIM}) AS claim`;
const IN_ORDER = 'ORDER BY cast_at, user_id';

/** Indexes votes_by_user and votes_by_external_id; each claim is looked up by the primary key of vote_claims. */
export const CLAIM_QUERIES = {
  openOfUser: `SELECT ${COLUMNS} FROM votes WHERE ${OF_USER} AND ${IS_OPEN} ${IN_ORDER}`,
  openOfName: `SELECT ${COLUMNS} FROM votes WHERE ${OF_NAME} AND ${IS_OPEN} ${IN_ORDER}`,
  claimedOfUser: `SELECT ${COLUMNS}, claimed_at FROM votes ${AND_CLAIMS} WHERE ${OF_USER} ${IN_ORDER}`,
  claimedOfName: `SELECT ${COLUMNS}, claimed_at FROM votes ${AND_CLAIMS} WHERE ${OF_NAME} ${IN_ORDER}`,
  // Jumps from one claimable vote to the next, at least an hour later, so the cost depends on the length of the
  // window, not on the number of votes under the name. Indexes votes_by_external_id and vote_claims_by_name.
  limitedByName: `
    WITH RECURSIVE steps AS (
      SELECT $2::bigint + 1 AS next_at, false AS is_open, NULL::text COLLATE "C" AS user_id, NULL::bigint AS cast_at,
             NULL::text COLLATE "C" AS external_id, false AS is_doubled
      UNION ALL
      SELECT coalesce(claim.cast_at, vote.cast_at) + ${NAME_INTERVAL_MS}, claim.cast_at IS NULL, vote.*
      FROM steps
      CROSS JOIN LATERAL (
        SELECT user_id, cast_at, external_id, is_doubled FROM votes
        WHERE guild_id = $1 AND name_key = $4 AND cast_at >= steps.next_at AND cast_at <= $3
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
    SELECT $1 AS guild_id, user_id, cast_at, external_id, is_doubled FROM steps WHERE is_open ORDER BY cast_at`,
} as const;

type QueryName = keyof typeof CLAIM_QUERIES;

/** The votes that can be claimed now, in order. */
export async function readClaimable(inside: Queryable, query: ClaimQuery): Promise<Vote[]> {
  const isLimited = isLimitedByName(query.identity, query.oneRewardPerName);
  const rows = await read<VoteRow>(inside, query, ['openOfUser', isLimited ? 'limitedByName' : 'openOfName']);
  return rows.map(toVote);
}

export async function readClaimed(inside: Queryable, query: ClaimQuery): Promise<ClaimedVote[]> {
  type Row = VoteRow & { claimed_at: Instant };
  const rows = await read<Row>(inside, query, ['claimedOfUser', 'claimedOfName']);
  return rows.map((row) => ({ ...toVote(row), claimedAt: row.claimed_at }));
}

async function read<R extends VoteRow>(
  inside: Queryable,
  { guildId, identity, window: { after, until } }: ClaimQuery,
  [ofUser, ofName]: [QueryName, QueryName],
): Promise<R[]> {
  const range = [guildId, after, until];
  if ('userId' in identity) {
    const values = [...range, identity.userId];
    return (await inside.query<R>({ name: ofUser, text: CLAIM_QUERIES[ofUser], values })).rows;
  }
  const name = nameOf(identity);
  if (!name) return [];
  const values = [...range, name.nameKey, name.externalId];
  return (await inside.query<R>({ name: ofName, text: CLAIM_QUERIES[ofName], values })).rows;
}
