import type { Instant } from '../../../domain/clock.ts';
import {
  type ClaimedVote,
  type ClaimOutcome,
  IDEMPOTENCY_MS,
  nameKeyOf,
  type Vote,
  voteId,
} from '../../../domain/votes/vote.ts';
import { CLAIM_TABLES, type ClaimScope, forBoth, scopeOf } from '../../claims/claim-tables.ts';
import { type ClaimRequest, type ClaimResult, wantedOf } from '../../claims/claims.ts';
import { UnknownGuildError } from '../../store.ts';
import { toVote, type VoteRow } from '../../votes/votes.ts';
import { planClaimEvents } from '../../webhooks/events.ts';
import type { Connection } from '../connection.ts';
import { prepareRead } from '../database.ts';
import { createEventWriter } from '../webhooks/events.ts';
import { createClaimReader } from './claim-reader.ts';
import { createVoterTotals } from './standing.ts';

/** The row of the Idempotency-Key, if there is one, and which further statements the claim needs. */
type Found = (KeyRow | { request_hash: null }) & { hasRelease: 0 | 1; hasEndpoint: 0 | 1 };
/** `id`: that of the vote, whose hash is made once. */
type Claimed = { outcome: ClaimOutcome; id: string | null };
type KeyRow = { request_hash: string; body: string; created_at: Instant; is_released: 0 | 1 };

/** Compares ids so that the index by id is used, which contains this part of them. */
export const isVote = (column: string, id: string) =>
  `substr(${column}, 6, 12) = substr(${id}, 6, 12) AND ${column} = ${id}`;

const HELD = forBoth(
  ({ claims, byId, ifNamed }) => `
  EXISTS (SELECT 1 FROM ${claims} c INDEXED BY ${byId}
    WHERE ${isVote('c.vote_id', 'k.vote_id')} AND c.guild_id = k.guild_id AND c.claimed_at = k.claimed_at
      ${ifNamed('AND c.consumer = k.consumer')})`,
);

// Besides those by id, the primary keys. No row for an unknown guild.
export const FIND_STATE = `
  SELECT k.request_hash, k.body, k.created_at, k.vote_id IS NOT NULL
      AND NOT CASE k.consumer WHEN 'default' THEN ${HELD.default} ELSE ${HELD.named} END AS is_released,
    EXISTS (SELECT 1 FROM released_claims r WHERE r.guild_id = g.guild_id)
      OR EXISTS (SELECT 1 FROM released_consumer_claims r WHERE r.guild_id = g.guild_id) AS hasRelease,
    EXISTS (SELECT 1 FROM webhook_endpoints w WHERE w.guild_id = g.guild_id) AS hasEndpoint
  FROM guilds g LEFT JOIN idempotency_keys k ON k.guild_id = g.guild_id AND k.key = ?
  WHERE g.guild_id = ?`;

/** Runs inside a write transaction, so there are no concurrent claims. */
export function createClaim(db: Connection): (request: ClaimRequest) => ClaimResult {
  const sql = prepareClaim(db);
  const both = forBoth((_, scope) => prepareClaims(db, scope));
  const reader = createClaimReader(db);
  const totalsOf = createVoterTotals(db);
  const writeEvents = createEventWriter(db);

  function replay({ idempotency, now }: ClaimRequest, found: Found): ClaimResult | undefined {
    if (!idempotency || found.request_hash === null) return undefined;
    if (found.created_at <= now - IDEMPOTENCY_MS || found.is_released) return undefined;
    if (found.request_hash !== idempotency.requestHash) return { kind: 'mismatch' };
    return { kind: 'done', body: found.body, replayed: true, claimed: false };
  }

  function findHeld({ guildId, consumer, only }: ClaimRequest): ClaimedVote | undefined {
    const row = only && both[scopeOf(consumer)].findHeld({ guildId, consumer, ...only });
    return row && { ...toVote(row), claimedAt: row.claimed_at };
  }

  function add(request: ClaimRequest, found: Found, wanted: Vote, id: string): ClaimedVote {
    const { guildId, consumer, now, only } = request;
    const claims = both[scopeOf(consumer)];
    const released = found.hasRelease ? claims.findRelease({ guildId, consumer, voteId: id }) : undefined;
    const vote = { ...wanted, claimedAt: Math.max(now, (released?.claimed_at ?? 0) + 1) };
    claims.add(vote, id, consumer, only?.heldBy ?? null);
    if (found.hasEndpoint)
      writeEvents(guildId, (subscriptions) => planClaimEvents({ ...vote, consumer }, subscriptions));
    return vote;
  }

  function claimWanted(request: ClaimRequest, found: Found): Claimed {
    const { wanted, remaining } = wantedOf(reader.claimable(request), request.only);
    const held = wanted ? undefined : findHeld(request);
    const claimed = wanted ?? held;
    if (!claimed) return { outcome: { vote: null, remaining }, id: null };
    const id = voteId(claimed);
    const vote = held ?? add(request, found, claimed, id);
    const totals = totalsOf(vote.guildId, vote.userId, vote.castAt);
    return { outcome: { vote: { ...vote, ...totals }, remaining }, id };
  }

  return (request) => {
    const { guildId, consumer, idempotency, now } = request;
    const found = sql.find.get(idempotency?.key ?? null, guildId);
    if (!found) throw new UnknownGuildError(guildId);
    const replayed = replay(request, found);
    if (replayed) return replayed;
    const { outcome, id } = claimWanted(request, found);
    const { vote } = outcome;
    const body = request.render(outcome);
    if (idempotency) {
      const { key, requestHash } = idempotency;
      sql.keepKey.run(guildId, key, requestHash, body, now, consumer, id, vote?.claimedAt ?? null);
    }
    return { kind: 'done', body, replayed: false, claimed: vote !== null };
  };
}

function prepareClaim(db: Connection) {
  return {
    find: db.prepare<[string | null, string], Found>(FIND_STATE),
    // The primary key.
    keepKey: db.prepare(
      `INSERT INTO idempotency_keys (guild_id, key, request_hash, body, created_at, consumer, vote_id, claimed_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (guild_id, key) DO UPDATE SET request_hash = excluded.request_hash, body = excluded.body,
         created_at = excluded.created_at, consumer = excluded.consumer, vote_id = excluded.vote_id,
         claimed_at = excluded.claimed_at`,
    ),
  };
}

/** The primary key, in every statement. */
function prepareClaims(db: Connection, scope: ClaimScope) {
  const { claims, releases, ifNamed } = CLAIM_TABLES[scope];
  const ofConsumer = (alias = '') => ifNamed(`AND ${alias}consumer = @consumer`);
  return {
    findRelease: prepareRead<{ claimed_at: Instant }>(
      db,
      `SELECT claimed_at FROM ${releases} WHERE guild_id = @guildId AND vote_id = @voteId ${ofConsumer()}`,
    ).first,
    findHeld: prepareRead<VoteRow & { claimed_at: Instant }>(
      db,
      `SELECT v.guild_id, v.user_id, v.cast_at, v.external_id, v.is_doubled, c.claimed_at
       FROM ${claims} c JOIN votes v USING (guild_id, cast_at, user_id)
       WHERE c.guild_id = @guildId AND c.cast_at = @castAt AND c.user_id = @userId ${ofConsumer('c.')}
         AND c.held_by = @heldBy`,
    ).first,
    add: prepareAdd(db, scope),
  };
}

type AddClaim = (vote: ClaimedVote, id: string, consumer: string, heldBy: string | null) => void;

/** With values as arguments, which takes less time than an object or an array (decision 39). */
function prepareAdd(db: Connection, scope: ClaimScope): AddClaim {
  const { claims, consumerColumn, ifNamed } = CLAIM_TABLES[scope];
  const sql = db.prepare(
    `INSERT INTO ${claims}
       (guild_id, cast_at, user_id, vote_id, external_id, name_key, claimed_at, held_by${consumerColumn})
     VALUES (?, ?, ?, ?, ?, ?, ?, ?${ifNamed(', ?')})`,
  );
  return (vote, id, consumer, heldBy) => {
    const { guildId, castAt, userId, externalId, claimedAt } = vote;
    const nameKey = nameKeyOf(vote);
    if (scope === 'default') sql.run(guildId, castAt, userId, id, externalId, nameKey, claimedAt, heldBy);
    else sql.run(guildId, castAt, userId, id, externalId, nameKey, claimedAt, heldBy, consumer);
  };
}
