import type { Instant } from '../../../domain/clock.ts';
import type { ClaimedVote } from '../../../domain/votes/vote.ts';
import { CLAIM_SCOPES, type ClaimScope, forBoth, scopeOf } from '../../claims/claim-tables.ts';
import {
  type ClaimQuery,
  type ClaimStore,
  nameOf,
  pendingStart,
  toClaimTimes,
  toOverview,
} from '../../claims/claims.ts';
import type { ConsumerStore } from '../../claims/consumers.ts';
import { toVote, type VoteRow } from '../../votes/votes.ts';
import type { Connections, Queryable } from '../connection/connection.ts';
import { WriteGroups } from '../write-groups.ts';
import { claimKeys, createClaimGroups } from './claim-votes.ts';
import { claimOf, createCountClaimable, openFor, readClaimable } from './claimable.ts';

const COLUMNS = 'guild_id, user_id, cast_at, external_id, is_doubled';
const IN_ORDER = 'ORDER BY cast_at, user_id';

export const CLAIM_STATEMENTS = forBoth((tables) => {
  const { claims, releases, consumerColumn, ifNamed } = tables;
  const andClaim = (consumer: string) => `CROSS JOIN LATERAL (${claimOf(tables, consumer)}) AS claim`;
  const inWindow = 'guild_id = $1 AND cast_at > $2 AND cast_at <= $3';
  return {
    // Index votes_by_user.
    claimedOfUser: `
      SELECT ${COLUMNS}, claimed_at FROM votes v ${andClaim('$5')} WHERE ${inWindow} AND user_id = $4 ${IN_ORDER}`,
    // Index votes_by_external_id.
    claimedOfName: `
      SELECT ${COLUMNS}, claimed_at FROM unnest($4::text[]) AS one (key)
      CROSS JOIN LATERAL (
        SELECT ${COLUMNS} FROM votes
        WHERE ${inWindow} AND name_key = one.key COLLATE "C" AND ($5::text IS NULL OR external_id = $5) OFFSET 0
      ) AS v ${andClaim('$6')} ${IN_ORDER}`,
    // The primary keys of both tables.
    pending: `
      SELECT ${COLUMNS} FROM votes v
      WHERE guild_id = $1 AND (cast_at, user_id) > ($2, $3) AND cast_at <= $4 AND ${openFor(tables, '$6')}
      ${IN_ORDER} LIMIT $5`,
    // The unique index that starts with (guild_id, vote_id). The guild is locked first, in the same order as its removal.
    release: `
      WITH guild AS (
        SELECT guild_id FROM guilds WHERE guild_id = $1 FOR KEY SHARE
      ), released AS (
        DELETE FROM ${claims} c USING guild
        WHERE c.guild_id = $1 AND c.vote_id = $2 AND ($3::bigint IS NULL OR c.claimed_at = $3::bigint)
          ${ifNamed('AND c.consumer = $4')}
        RETURNING c.guild_id, c.vote_id, c.claimed_at${ifNamed(', c.consumer')}
      )
      INSERT INTO ${releases} (guild_id, vote_id, claimed_at${consumerColumn})
      SELECT guild_id, vote_id, claimed_at${consumerColumn} FROM released
      ON CONFLICT (guild_id, vote_id${consumerColumn}) DO UPDATE SET claimed_at = excluded.claimed_at`,
    // The primary key, once per position: see `claimOf`.
    times: `
      SELECT place, claim.* FROM unnest($2::int[], $3::bigint[], $4::text[]) AS asked (place, cast_at, user_id)
      CROSS JOIN LATERAL (
        SELECT claimed_at${consumerColumn} FROM ${claims} c
        WHERE c.guild_id = $1 AND c.cast_at = asked.cast_at
          AND c.user_id >= asked.user_id COLLATE "C" AND c.user_id <= asked.user_id COLLATE "C"
        ORDER BY c.user_id${ifNamed(', c.consumer')} OFFSET 0
      ) AS claim`,
    // The index by age, guild by guild. Rows that another process is deleting are skipped.
    pruneReleases: `
      DELETE FROM ${releases} WHERE (guild_id, vote_id${consumerColumn}) IN (
        SELECT r.guild_id, r.vote_id${ifNamed(', r.consumer')}
        FROM guilds g JOIN ${releases} r ON r.guild_id = g.guild_id AND r.claimed_at < $1
        LIMIT $2 FOR UPDATE OF r SKIP LOCKED
      )`,
  };
});

// Index idempotency_keys_by_age, guild by guild. Rows that another process is deleting are skipped.
const PRUNE_KEYS = `
  DELETE FROM idempotency_keys WHERE (guild_id, key) IN (
    SELECT k.guild_id, k.key
    FROM guilds g JOIN idempotency_keys k ON k.guild_id = g.guild_id AND k.created_at < $1
    LIMIT $2 FOR UPDATE OF k SKIP LOCKED
  )`;

export function createClaimStore(database: Connections, consumers: Pick<ConsumerStore, 'use'>): ClaimStore {
  const claims = new WriteGroups(database, { run: createClaimGroups(), keysOf: claimKeys });

  return {
    async claim(request) {
      const { guildId, consumer, now } = request;
      if (!(await consumers.use(guildId, consumer, now))) return { kind: 'too-many-consumers' };
      return claims.add(request);
    },
    async ofIdentity(query) {
      const [[claimable], claimed] = await Promise.all([
        readClaimable(database, [query]),
        readClaimed(database, query),
      ]);
      return toOverview(claimable?.votes ?? [], claimed);
    },
    countClaimable: createCountClaimable(database),
    async pending({ guildId, consumer }, { after, until }, start, limit) {
      const { castAt, userId } = pendingStart(after, start);
      const values = [guildId, castAt, userId, until, limit, ...named(consumer)];
      return (await run<VoteRow>(database, consumer, 'pending', values)).rows.map(toVote);
    },
    async claimTimes(guildId, votes) {
      const columns = [votes.map((_, place) => place), votes.map(({ castAt }) => castAt)];
      const values = [guildId, ...columns, votes.map(({ userId }) => userId)];
      const found = await Promise.all(
        CLAIM_SCOPES.map((scope) => runIn<ClaimTimeRow>(database, scope, 'times', values)),
      );
      return toClaimTimes(
        votes.length,
        found.flatMap(({ rows }) => rows),
      );
    },
    async release({ guildId, consumer, voteId, claimedAt }) {
      const values = [guildId, voteId, claimedAt, ...named(consumer)];
      return (await run(database, consumer, 'release', values)).rowCount !== 0;
    },
    async pruneKeys(before, limit) {
      const statement = { name: 'claims-pruneKeys', text: PRUNE_KEYS, values: [before, limit] };
      return (await database.query(statement)).rowCount ?? 0;
    },
    async pruneReleases(before, limit) {
      let pruned = 0;
      for (const scope of CLAIM_SCOPES)
        pruned += (await runIn(database, scope, 'pruneReleases', [before, limit - pruned])).rowCount ?? 0;
      return pruned;
    },
  };
}

type ClaimTimeRow = { place: number; claimed_at: Instant; consumer?: string };
type StatementName = keyof (typeof CLAIM_STATEMENTS)['default'];

/** The parameter that statements about consumer_claims have in addition. */
function named(consumer: string): string[] {
  return scopeOf(consumer) === 'named' ? [consumer] : [];
}

function runIn<R extends object>(tx: Queryable, scope: ClaimScope, name: StatementName, values: unknown[]) {
  return tx.query<R>({ name: `claims-${scope}-${name}`, text: CLAIM_STATEMENTS[scope][name], values });
}

function run<R extends object>(tx: Queryable, consumer: string, name: StatementName, values: unknown[]) {
  return runIn<R>(tx, scopeOf(consumer), name, values);
}

type ClaimedRow = VoteRow & { claimed_at: Instant };

async function readClaimed(tx: Queryable, query: ClaimQuery): Promise<ClaimedVote[]> {
  return (await findClaimed(tx, query)).map((row) => ({ ...toVote(row), claimedAt: row.claimed_at }));
}

async function findClaimed(
  tx: Queryable,
  { guildId, consumer, identity, playerNames, window }: ClaimQuery,
): Promise<ClaimedRow[]> {
  const range = [guildId, window.after, window.until];
  if ('userId' in identity) {
    const values = [...range, identity.userId, ...named(consumer)];
    return (await run<ClaimedRow>(tx, consumer, 'claimedOfUser', values)).rows;
  }
  const name = nameOf(identity, playerNames);
  if (!name) return [];
  const values = [...range, name.nameKeys, name.externalId, ...named(consumer)];
  return (await run<ClaimedRow>(tx, consumer, 'claimedOfName', values)).rows;
}
