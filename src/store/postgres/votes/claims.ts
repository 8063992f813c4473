import type { Instant } from '../../../domain/clock.ts';
import type { ClaimedVote } from '../../../domain/votes/vote.ts';
import { type ClaimQuery, type ClaimStore, nameOf, pendingStart, toOverview } from '../../claims.ts';
import { toVote, type VoteRow } from '../../votes.ts';
import type { Connections, Queryable } from '../connection/connection.ts';
import { WriteGroups } from '../write-groups.ts';
import { claimAll, claimKeys } from './claim-votes.ts';
import { createCountClaimable, readClaimable } from './claimable.ts';

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
const IS_OPEN = `(${CLAIM}) IS NULL`;
const AND_CLAIMS = `CROSS JOIN LATERAL (${CLAIM}) AS claim`;
const IN_ORDER = 'ORDER BY cast_at, user_id';

/** Indexes votes_by_user and votes_by_external_id; each claim is looked up by the primary key of vote_claims. */
export const CLAIM_QUERIES = {
  claimedOfUser: `SELECT ${COLUMNS}, claimed_at FROM votes ${AND_CLAIMS} WHERE ${OF_USER} ${IN_ORDER}`,
  claimedOfName: `SELECT ${COLUMNS}, claimed_at FROM votes ${AND_CLAIMS} WHERE ${OF_NAME} ${IN_ORDER}`,
} as const;

export const CLAIM_STATEMENTS = {
  // The primary keys of both tables.
  pending: `
    SELECT guild_id, user_id, cast_at, external_id, is_doubled FROM votes
    WHERE guild_id = $1 AND (cast_at, user_id) > ($2, $3) AND cast_at <= $4 AND ${IS_OPEN}
    ORDER BY cast_at, user_id LIMIT $5`,
  // The unique index (guild_id, vote_id). The guild is locked first, in the same order as its removal.
  release: `
    WITH guild AS (
      SELECT guild_id FROM guilds WHERE guild_id = $1 FOR KEY SHARE
    ), released AS (
      DELETE FROM vote_claims c USING guild
      WHERE c.guild_id = $1 AND c.vote_id = $2 AND ($3::bigint IS NULL OR c.claimed_at = $3::bigint)
      RETURNING c.guild_id, c.vote_id, c.claimed_at
    )
    INSERT INTO released_claims (guild_id, vote_id, claimed_at) SELECT guild_id, vote_id, claimed_at FROM released
    ON CONFLICT (guild_id, vote_id) DO UPDATE SET claimed_at = excluded.claimed_at`,
  // The primary key of vote_claims, once per position.
  times: `
    SELECT claim.claimed_at
    FROM unnest($2::bigint[], $3::text[]) WITH ORDINALITY AS asked (cast_at, user_id, place)
    LEFT JOIN LATERAL (
      SELECT claimed_at FROM vote_claims c
      WHERE c.guild_id = $1 AND c.cast_at = asked.cast_at AND c.user_id = asked.user_id COLLATE "C" LIMIT 1
    ) AS claim ON true
    ORDER BY place`,
  // Index idempotency_keys_by_age, guild by guild. Rows that another process is deleting are skipped.
  pruneKeys: `
    DELETE FROM idempotency_keys WHERE (guild_id, key) IN (
      SELECT k.guild_id, k.key
      FROM guilds g JOIN idempotency_keys k ON k.guild_id = g.guild_id AND k.created_at < $1
      LIMIT $2 FOR UPDATE OF k SKIP LOCKED
    )`,
  // Index released_claims_by_age, guild by guild. Rows that another process is deleting are skipped.
  pruneReleases: `
    DELETE FROM released_claims WHERE (guild_id, vote_id) IN (
      SELECT r.guild_id, r.vote_id
      FROM guilds g JOIN released_claims r ON r.guild_id = g.guild_id AND r.claimed_at < $1
      LIMIT $2 FOR UPDATE OF r SKIP LOCKED
    )`,
} as const;

export function createClaimStore(database: Connections): ClaimStore {
  const run = (name: keyof typeof CLAIM_STATEMENTS, ...values: unknown[]) =>
    database.query<VoteRow>({ name: `claims-${name}`, text: CLAIM_STATEMENTS[name], values });

  const claims = new WriteGroups(database, { run: claimAll, keysOf: claimKeys });

  return {
    claim: (request) => claims.add(request),
    async ofIdentity(query) {
      const [[claimable = []], claimed] = await Promise.all([
        readClaimable(database, [query]),
        readClaimed(database, query),
      ]);
      return toOverview(claimable, claimed);
    },
    countClaimable: createCountClaimable(database),
    async pending(guildId, { after, until }, start, limit) {
      const { castAt, userId } = pendingStart(after, start);
      return (await run('pending', guildId, castAt, userId, until, limit)).rows.map(toVote);
    },
    async claimTimes(guildId, votes) {
      const columns = [votes.map(({ castAt }) => castAt), votes.map(({ userId }) => userId)];
      const statement = { name: 'claims-times', text: CLAIM_STATEMENTS.times, values: [guildId, ...columns] };
      return (await database.query<{ claimed_at: Instant | null }>(statement)).rows.map(
        (row) => row.claimed_at,
      );
    },
    async release(guildId, id, claimedAt = null) {
      return (await run('release', guildId, id, claimedAt)).rowCount !== 0;
    },
    async pruneKeys(before, limit) {
      return (await run('pruneKeys', before, limit)).rowCount ?? 0;
    },
    async pruneReleases(before, limit) {
      return (await run('pruneReleases', before, limit)).rowCount ?? 0;
    },
  };
}

type QueryName = keyof typeof CLAIM_QUERIES;

async function readClaimed(tx: Queryable, query: ClaimQuery): Promise<ClaimedVote[]> {
  type Row = VoteRow & { claimed_at: Instant };
  const rows = await read<Row>(tx, query, ['claimedOfUser', 'claimedOfName']);
  return rows.map((row) => ({ ...toVote(row), claimedAt: row.claimed_at }));
}

async function read<R extends VoteRow>(
  tx: Queryable,
  { guildId, identity, window: { after, until } }: ClaimQuery,
  [ofUser, ofName]: [QueryName, QueryName],
): Promise<R[]> {
  const range = [guildId, after, until];
  if ('userId' in identity) {
    const values = [...range, identity.userId];
    return (await tx.query<R>({ name: ofUser, text: CLAIM_QUERIES[ofUser], values })).rows;
  }
  const name = nameOf(identity);
  if (!name) return [];
  const values = [...range, name.nameKey, name.externalId];
  return (await tx.query<R>({ name: ofName, text: CLAIM_QUERIES[ofName], values })).rows;
}
