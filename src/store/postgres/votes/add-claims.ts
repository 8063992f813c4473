/** Writes the claims of a group, and finds those that an endpoint holds. */
import type { Instant } from '../../../domain/clock.ts';
import { type ClaimedVote, nameKeyOf, type Vote, type VoterTotals } from '../../../domain/votes/vote.ts';
import { CLAIM_SCOPES, type ClaimScope, forBoth, scopeOf } from '../../claims/claim-tables.ts';
import type { ClaimRequest } from '../../claims/claims.ts';
import { toVote, type VoteRow } from '../../votes/votes.ts';
import type { Subscription } from '../../webhooks/events.ts';
import { type Cell, columnsOf } from '../columns.ts';
import type { Queryable, Statement } from '../connection/connection.ts';
import { failIf } from '../connection/failures.ts';
import { claimOf } from './claimable.ts';

/** The same for both tables of claims, first those of `default`. */
export const ADD_STATEMENTS = forBoth((tables) => {
  const { claims, releases, consumerColumn, ifNamed } = tables;
  // Index votes_by_user, with the time, and primary keys. Contains no row for a vote that was deleted in the meantime. Fails
  // if its other identity has claimed it: the claim is then run again, and finds the next vote.
  const added = `
    added AS (
      INSERT INTO ${claims}
        (guild_id, cast_at, user_id, vote_id, external_id, name_key, claimed_at, held_by${consumerColumn})
      SELECT v.guild_id, v.cast_at, v.user_id, asked.vote_id, v.external_id, asked.name_key, asked.claimed_at,
        asked.held_by${ifNamed(', asked.consumer')}
      FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[]
          ${ifNamed(', $8::text[]')})
        AS asked (guild_id, cast_at, user_id, vote_id, name_key, claimed_at, held_by${consumerColumn})
      JOIN votes v ON v.guild_id = asked.guild_id COLLATE "C" AND v.cast_at = asked.cast_at
        AND v.user_id = asked.user_id COLLATE "C"
      ORDER BY v.guild_id, v.cast_at, v.user_id${ifNamed(', asked.consumer COLLATE "C"')} FOR KEY SHARE OF v
      RETURNING guild_id, vote_id${consumerColumn}
    )`;
  return {
    add: `
    WITH ${added}
    SELECT vote_id${consumerColumn}, (
      SELECT json_agg(json_build_object('endpoint_id', endpoint_id, 'events', events))
      FROM webhook_endpoints WHERE webhook_endpoints.guild_id = added.guild_id
    ) AS subscriptions FROM added`,
    // Fails unless each vote is claimed, and no endpoint wants to know it. Returns no row.
    addAll: `
    WITH ${added}
    SELECT WHERE NOT ${failIf(`(SELECT count(*) FROM added) < cardinality($1)
      OR EXISTS (SELECT FROM webhook_endpoints WHERE guild_id = ANY ($1))`)}`,
    // The primary key. Fails if `delay` would change a claim. A statement of its own for the same reason as that one.
    failIfDelayed: `
    SELECT WHERE NOT ${failIf(`EXISTS (
      SELECT FROM unnest($1::text[], $2::text[], $3::bigint[] ${ifNamed(', $4::text[]')})
        AS asked (guild_id, vote_id, claimed_at${consumerColumn})
      CROSS JOIN LATERAL (
        SELECT r.claimed_at FROM ${releases} r
        WHERE r.guild_id = asked.guild_id COLLATE "C" AND r.vote_id = asked.vote_id COLLATE "C"
          ${ifNamed('AND r.consumer = asked.consumer COLLATE "C"')} LIMIT 1
      ) AS released WHERE released.claimed_at >= asked.claimed_at
    )`)}`,
    // The primary key, and the unique index that starts with (guild_id, vote_id). A statement of its own: `add` may have
    // waited for a release that it could not see. The rows that `add` has written are ours now, so no release is missed.
    // Claims of others are not changed: they are later than the release of an earlier claim.
    delay: `
    UPDATE ${claims} c SET claimed_at = r.claimed_at + 1
    FROM unnest($1::text[], $2::text[] ${ifNamed(', $3::text[]')}) AS asked (guild_id, vote_id${consumerColumn})
    JOIN ${releases} r ON r.guild_id = asked.guild_id COLLATE "C" AND r.vote_id = asked.vote_id COLLATE "C"
      ${ifNamed('AND r.consumer = asked.consumer COLLATE "C"')}
    WHERE c.guild_id = r.guild_id AND c.vote_id = r.vote_id ${ifNamed('AND c.consumer = r.consumer')}
      AND r.claimed_at >= c.claimed_at
    RETURNING c.vote_id, c.claimed_at${ifNamed(', c.consumer')}`,
    // The primary keys, or votes_by_user with the time.
    findHeld: `
    SELECT v.guild_id, v.user_id, v.cast_at, v.external_id, v.is_doubled, claim.claimed_at
    FROM votes v CROSS JOIN LATERAL (${claimOf(tables, '$5', 'claimed_at, held_by')}) AS claim
    WHERE v.guild_id = $1 AND v.cast_at = $2 AND v.user_id = $3 AND claim.held_by = $4`,
  };
});

/**
 * A vote that a request claims. `id`: that of the vote, hashed once. `remaining`: how many more it could claim. `totals`: those
 * of the voter at its time, if they were read.
 */
export type Pick = {
  request: ClaimRequest;
  vote: Vote;
  id: string;
  remaining: number;
  totals: VoterTotals | undefined;
};

/** The claim of `only`, if its holder has claimed it before. */
export async function findHeld(
  tx: Queryable,
  { guildId, consumer, only }: ClaimRequest,
): Promise<ClaimedVote | null> {
  if (!only) return null;
  const scope = scopeOf(consumer);
  const values = [guildId, only.castAt, only.userId, only.heldBy, ...(scope === 'named' ? [consumer] : [])];
  const statement = { name: `claim-${scope}-findHeld`, text: ADD_STATEMENTS[scope].findHeld, values };
  const [row] = (await tx.query<VoteRow & { claimed_at: Instant }>(statement)).rows;
  return row ? { ...toVote(row), claimedAt: row.claimed_at } : null;
}

/** Claims each vote at the time of its request. One fails if a vote cannot be, or if something else depends on it. */
export function addAllStatements(picks: readonly Pick[]): Statement[] {
  return CLAIM_SCOPES.flatMap((scope) => {
    const ofScope = picks.filter(({ request: { consumer } }) => scopeOf(consumer) === scope);
    const claims = ofScope.map(({ request: { now, consumer }, vote, id }) => [
      ...[vote.guildId, id, now],
      ...(scope === 'named' ? [consumer] : []),
    ]);
    return [
      ...statementOf(scope, 'addAll', rowsOf(scope, ofScope)),
      ...statementOf(scope, 'failIfDelayed', claims),
    ];
  });
}

/** The id of a vote differs from those of other guilds. */
type ClaimRow = { vote_id: string; consumer?: string };
type AddedRow = ClaimRow & { subscriptions: Subscription[] | null };
type DelayedRow = ClaimRow & { claimed_at: Instant };
type Added = { pick: Pick; claimedAt: Instant; subscriptions: Subscription[] };

const claimName = ({ vote_id, consumer = '' }: ClaimRow) => `${vote_id} ${consumer}`;

/** Returns those that could be claimed. */
export async function addClaims(tx: Queryable, picks: readonly Pick[]): Promise<Added[]> {
  const added = CLAIM_SCOPES.map((scope) =>
    addToTable(
      tx,
      scope,
      picks.filter(({ request: { consumer } }) => scopeOf(consumer) === scope),
    ),
  );
  return (await Promise.all(added)).flat();
}

async function addToTable(tx: Queryable, scope: ClaimScope, picks: readonly Pick[]): Promise<Added[]> {
  const named = (consumer: string | undefined) => (scope === 'named' ? [consumer] : []);
  const ids = picks.map(({ request: { consumer }, vote, id }) => [vote.guildId, id, ...named(consumer)]);
  const [added, delayed] = await Promise.all([
    run<AddedRow>(tx, scope, 'add', rowsOf(scope, picks)),
    run<DelayedRow>(tx, scope, 'delay', ids),
  ]);
  const addedBy = new Map(added.map((row) => [claimName(row), row]));
  const delayedTo = new Map(delayed.map((row) => [claimName(row), row.claimed_at]));
  return picks.flatMap((pick) => {
    const { id, request } = pick;
    const [consumer = ''] = named(request.consumer);
    const name = claimName({ vote_id: id, consumer });
    const row = addedBy.get(name);
    if (!row) return [];
    return [{ pick, claimedAt: delayedTo.get(name) ?? request.now, subscriptions: row.subscriptions ?? [] }];
  });
}

function rowsOf(scope: ClaimScope, picks: readonly Pick[]): Cell[][] {
  return picks.map(({ request: { now, consumer, only }, vote, id }) => {
    const { guildId, castAt, userId } = vote;
    const claim = [guildId, castAt, userId, id, nameKeyOf(vote), now, only?.heldBy ?? null];
    return scope === 'named' ? [...claim, consumer] : claim;
  });
}

/** One parameter for each column; no statement without rows. */
function statementOf(
  scope: ClaimScope,
  name: keyof (typeof ADD_STATEMENTS)[ClaimScope],
  rows: readonly (readonly Cell[])[],
): Statement[] {
  if (rows.length === 0) return [];
  const text = ADD_STATEMENTS[scope][name];
  return [{ name: `claim-${scope}-${name}`, text, values: columnsOf(rows) }];
}

async function run<R extends object>(tx: Queryable, ...given: Parameters<typeof statementOf>): Promise<R[]> {
  const [statement] = statementOf(...given);
  return statement ? (await tx.query<R>(statement)).rows : [];
}
