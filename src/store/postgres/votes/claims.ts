import { createHash } from 'node:crypto';
import type { Instant } from '../../../domain/clock.ts';
import {
  type ClaimedVote,
  type ClaimIdentity,
  type ClaimOutcome,
  IDEMPOTENCY_MS,
  isLimitedByName,
  NAME_INTERVAL_MS,
  nameKeyOf,
  type Vote,
  voteId,
} from '../../../domain/votes/vote.ts';
import {
  type ClaimQuery,
  type ClaimRequest,
  type ClaimResult,
  type ClaimStore,
  nameOf,
  pendingStart,
  toOverview,
} from '../../claims.ts';
import { UnknownGuildError } from '../../store.ts';
import { toVote, type VoteRow } from '../../votes.ts';
import { planClaimEvents, type Subscription } from '../../webhooks/events.ts';
import type { Connections, Queryable } from '../connection/connection.ts';
import { writeEvents } from '../webhooks/events.ts';
import { createCountClaimable } from './claimable.ts';

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

export const CLAIM_STATEMENTS = {
  // Claims of one identity run one after the other: which vote is the oldest depends on earlier claims. The guild is
  // locked in the same order as its removal. Both locks end with the transaction, so they work behind a pooler.
  lock: 'SELECT pg_advisory_xact_lock($2) FROM guilds WHERE guild_id = $1 FOR KEY SHARE',
  // The primary key of idempotency_keys. Waits for a concurrent request with the same key. No row is returned while
  // the key is in use; an expired one counts as unused. Either way the row is locked until the transaction ends.
  takeKey: `
    INSERT INTO idempotency_keys AS kept (guild_id, key, request_hash, body, created_at) VALUES ($1, $2, $3, '', $4)
    ON CONFLICT (guild_id, key) DO UPDATE
    SET request_hash = excluded.request_hash, body = '', created_at = excluded.created_at
    WHERE kept.created_at <= $5::bigint
    RETURNING key`,
  // The primary key of idempotency_keys, and the unique index (guild_id, vote_id) of vote_claims. A statement of its
  // own, because `takeKey` may have waited: what it would read of vote_claims could be older than the key.
  findKey: `
    SELECT request_hash, body, vote_id IS NOT NULL AND NOT EXISTS (
      SELECT FROM vote_claims c
      WHERE c.guild_id = k.guild_id AND c.vote_id = k.vote_id AND c.claimed_at = k.claimed_at
    ) AS is_released
    FROM idempotency_keys k WHERE guild_id = $1 AND key = $2`,
  // The primary key.
  retakeKey: `
    UPDATE idempotency_keys SET request_hash = $3, created_at = $4 WHERE guild_id = $1 AND key = $2`,
  keepBody: `
    UPDATE idempotency_keys SET body = $3, vote_id = $4, claimed_at = $5 WHERE guild_id = $1 AND key = $2`,
  // The primary keys. No row is returned if the vote was claimed in the meantime by its other identity, or deleted.
  add: `
    WITH added AS (
      INSERT INTO vote_claims (guild_id, cast_at, user_id, vote_id, external_id, name_key, claimed_at)
      SELECT guild_id, cast_at, user_id, $4, external_id, $5, $6 FROM votes
      WHERE guild_id = $1 AND cast_at = $2 AND user_id = $3 FOR KEY SHARE
      ON CONFLICT DO NOTHING RETURNING guild_id
    )
    SELECT ARRAY(
      SELECT json_build_object('endpoint_id', endpoint_id, 'events', events)
      FROM webhook_endpoints WHERE webhook_endpoints.guild_id = $1
    ) AS subscriptions FROM added`,
  // The primary key, and the unique index (guild_id, vote_id). The claim's row is ours now, so no release is missed.
  // A statement of its own: `add` may have waited for a release that it could not see.
  delay: `
    UPDATE vote_claims c SET claimed_at = r.claimed_at + 1 FROM released_claims r
    WHERE r.guild_id = $1 AND r.vote_id = $2 AND c.guild_id = $1 AND c.vote_id = $2 AND r.claimed_at >= c.claimed_at
    RETURNING c.claimed_at`,
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

  return {
    claim: (request) => database.transaction((tx) => claim(tx, request)),
    async ofIdentity(query) {
      const [claimable, claimed] = await Promise.all([
        readClaimable(database, query),
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

async function claim(tx: Queryable, request: ClaimRequest): Promise<ClaimResult> {
  const { guildId, identity, idempotency } = request;
  const locked = await execute(tx, 'lock', guildId, lockNumber(guildId, identity));
  if (locked.length === 0) throw new UnknownGuildError(guildId);
  const replayed = await replay(tx, request);
  if (replayed) return replayed;
  const outcome = await claimOldest(tx, request);
  const body = request.render(outcome);
  if (idempotency) {
    const { vote } = outcome;
    const held = vote ? [voteId(vote), vote.claimedAt] : [null, null];
    await execute(tx, 'keepBody', guildId, idempotency.key, body, ...held);
  }
  return { kind: 'done', body, replayed: false, claimed: outcome.vote !== null };
}

type KeyRow = { request_hash: string; body: string; is_released: boolean };

async function replay(
  tx: Queryable,
  { guildId, idempotency, now }: ClaimRequest,
): Promise<ClaimResult | undefined> {
  if (!idempotency) return undefined;
  const { key, requestHash } = idempotency;
  const taken = await execute(tx, 'takeKey', guildId, key, requestHash, now, now - IDEMPOTENCY_MS);
  if (taken.length > 0) return undefined;
  const [earlier] = await execute<KeyRow>(tx, 'findKey', guildId, key);
  if (earlier?.is_released) {
    await execute(tx, 'retakeKey', guildId, key, requestHash, now);
    return undefined;
  }
  if (earlier?.request_hash !== requestHash) return { kind: 'mismatch' };
  return { kind: 'done', body: earlier.body, replayed: true, claimed: false };
}

async function claimOldest(tx: Queryable, request: ClaimRequest): Promise<ClaimOutcome> {
  const { guildId, now } = request;
  for (;;) {
    const [oldest, ...others] = await readClaimable(tx, request);
    if (!oldest) return { vote: null, remaining: 0 };
    const id = voteId(oldest);
    const values = [guildId, oldest.castAt, oldest.userId, id, nameKeyOf(oldest), now];
    const [added] = await execute<{ subscriptions: Subscription[] }>(tx, 'add', ...values);
    if (!added) continue;
    const [delayed] = await execute<{ claimed_at: Instant }>(tx, 'delay', guildId, id);
    const vote = { ...oldest, claimedAt: delayed?.claimed_at ?? now };
    await writeEvents(tx, guildId, planClaimEvents(vote, added.subscriptions));
    return { vote, remaining: others.length };
  }
}

async function execute<R extends object>(
  tx: Queryable,
  name: keyof typeof CLAIM_STATEMENTS,
  ...values: unknown[]
): Promise<R[]> {
  return (await tx.query<R>({ name: `claims-${name}`, text: CLAIM_STATEMENTS[name], values })).rows;
}

/** A name is one identity, whatever its case. Identities with the same lock number only wait for each other. */
function lockNumber(guildId: string, identity: ClaimIdentity): string {
  const who = 'userId' in identity ? `user ${identity.userId}` : `name ${nameOf(identity)?.nameKey}`;
  return createHash('sha256').update(`${guildId} ${who}`).digest().readBigInt64BE().toString();
}

type QueryName = keyof typeof CLAIM_QUERIES;

/** The votes that can be claimed now, in order. */
async function readClaimable(tx: Queryable, query: ClaimQuery): Promise<Vote[]> {
  const isLimited = isLimitedByName(query.identity, query.oneRewardPerName);
  const rows = await read<VoteRow>(tx, query, ['openOfUser', isLimited ? 'limitedByName' : 'openOfName']);
  return rows.map(toVote);
}

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
