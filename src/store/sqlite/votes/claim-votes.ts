import type { Instant } from '../../../domain/clock.ts';
import {
  type ClaimedVote,
  type ClaimOutcome,
  IDEMPOTENCY_MS,
  nameKeyOf,
  voteId,
} from '../../../domain/votes/vote.ts';
import { type ClaimTables, forBoth, scopeOf } from '../../claims/claim-tables.ts';
import { type ClaimRequest, type ClaimResult, wantedOf } from '../../claims/claims.ts';
import { UnknownGuildError } from '../../store.ts';
import { toVote, type VoteRow } from '../../votes/votes.ts';
import { planClaimEvents } from '../../webhooks/events.ts';
import type { Connection } from '../connection.ts';
import { createEventWriter } from '../webhooks/events.ts';
import { createClaimReader } from './claim-reader.ts';
import { createVoterTotals } from './standing.ts';

type KeyRow = { request_hash: string; body: string; created_at: Instant; is_released: 0 | 1 };

const HELD = (claims: string, andConsumer: string) => `
  EXISTS (SELECT 1 FROM ${claims} c
    WHERE c.guild_id = k.guild_id AND c.vote_id = k.vote_id AND c.claimed_at = k.claimed_at ${andConsumer})`;

// The primary key of idempotency_keys, and the unique indexes of claims that start with (guild_id, vote_id).
export const FIND_KEY = `
  SELECT request_hash, body, created_at, vote_id IS NOT NULL AND NOT CASE consumer WHEN 'default'
    THEN ${HELD('vote_claims', '')} ELSE ${HELD('consumer_claims', 'AND c.consumer = k.consumer')}
  END AS is_released
  FROM idempotency_keys k WHERE guild_id = ? AND key = ?`;

/** Runs inside a write transaction, so there are no concurrent claims. */
export function createClaim(db: Connection): (request: ClaimRequest) => ClaimResult {
  const sql = prepareClaim(db);
  const both = forBoth((tables) => prepareClaims(db, tables));
  const reader = createClaimReader(db);
  const totalsOf = createVoterTotals(db);
  const writeEvents = createEventWriter(db);

  function replay({ guildId, idempotency, now }: ClaimRequest): ClaimResult | undefined {
    if (!idempotency) return undefined;
    const { key, requestHash } = idempotency;
    const earlier = sql.findKey.get(guildId, key);
    if (!earlier || earlier.created_at <= now - IDEMPOTENCY_MS || earlier.is_released) {
      sql.takeKey.run(guildId, key, requestHash, now);
      return undefined;
    }
    if (earlier.request_hash !== requestHash) return { kind: 'mismatch' };
    return { kind: 'done', body: earlier.body, replayed: true, claimed: false };
  }

  function findHeld({ guildId, consumer, only }: ClaimRequest): ClaimedVote | undefined {
    const row = only && both[scopeOf(consumer)].findHeld.get({ guildId, consumer, ...only });
    return row && { ...toVote(row), claimedAt: row.claimed_at };
  }

  function add(request: ClaimRequest): { vote: ClaimedVote | undefined; remaining: number } {
    const { guildId, consumer, now, only } = request;
    const { wanted, remaining } = wantedOf(reader.claimable(request), only);
    if (!wanted) return { vote: findHeld(request), remaining };
    const claims = both[scopeOf(consumer)];
    const id = voteId(wanted);
    const released = claims.findRelease.get({ guildId, consumer, voteId: id })?.claimed_at ?? 0;
    const vote = { ...wanted, claimedAt: Math.max(now, released + 1) };
    claims.add.run({ ...vote, consumer, voteId: id, nameKey: nameKeyOf(vote), heldBy: only?.heldBy ?? null });
    writeEvents(guildId, (subscriptions) => planClaimEvents({ ...vote, consumer }, subscriptions));
    return { vote, remaining };
  }

  function claimWanted(request: ClaimRequest): ClaimOutcome {
    const { vote, remaining } = add(request);
    if (!vote) return { vote: null, remaining };
    return { vote: { ...vote, ...totalsOf(vote.guildId, vote.userId, vote.castAt) }, remaining };
  }

  return (request) => {
    const { guildId, consumer, idempotency } = request;
    if (!sql.findGuild.get(guildId)) throw new UnknownGuildError(guildId);
    const replayed = replay(request);
    if (replayed) return replayed;
    const outcome = claimWanted(request);
    const body = request.render(outcome);
    if (idempotency) {
      const { vote } = outcome;
      const held = vote ? [voteId(vote), vote.claimedAt] : [null, null];
      sql.keepBody.run(body, consumer, ...held, guildId, idempotency.key);
    }
    return { kind: 'done', body, replayed: false, claimed: outcome.vote !== null };
  };
}

function prepareClaim(db: Connection) {
  return {
    findGuild: db.prepare('SELECT 1 FROM guilds WHERE guild_id = ?'),
    findKey: db.prepare<[string, string], KeyRow>(FIND_KEY),
    // The primary key.
    takeKey: db.prepare(
      `INSERT INTO idempotency_keys (guild_id, key, request_hash, body, created_at) VALUES (?, ?, ?, '', ?)
       ON CONFLICT (guild_id, key) DO UPDATE
       SET request_hash = excluded.request_hash, created_at = excluded.created_at`,
    ),
    keepBody: db.prepare(
      `UPDATE idempotency_keys SET body = ?, consumer = ?, vote_id = ?, claimed_at = ?
       WHERE guild_id = ? AND key = ?`,
    ),
  };
}

type OneVote = { guildId: string; consumer: string };

/** The primary key, in every statement. */
function prepareClaims(db: Connection, { claims, releases, consumerColumn, ifNamed }: ClaimTables) {
  const ofConsumer = (alias = '') => ifNamed(`AND ${alias}consumer = @consumer`);
  return {
    findRelease: db.prepare<[OneVote & { voteId: string }], { claimed_at: Instant }>(
      `SELECT claimed_at FROM ${releases} WHERE guild_id = @guildId AND vote_id = @voteId ${ofConsumer()}`,
    ),
    findHeld: db.prepare<[OneVote & NonNullable<ClaimRequest['only']>], VoteRow & { claimed_at: Instant }>(
      `SELECT v.guild_id, v.user_id, v.cast_at, v.external_id, v.is_doubled, c.claimed_at
       FROM ${claims} c JOIN votes v USING (guild_id, cast_at, user_id)
       WHERE c.guild_id = @guildId AND c.cast_at = @castAt AND c.user_id = @userId ${ofConsumer('c.')}
         AND c.held_by = @heldBy`,
    ),
    add: db.prepare(
      `INSERT INTO ${claims}
         (guild_id, cast_at, user_id${consumerColumn}, vote_id, external_id, name_key, claimed_at, held_by)
       VALUES (@guildId, @castAt, @userId${ifNamed(', @consumer')}, @voteId, @externalId, @nameKey, @claimedAt, @heldBy)`,
    ),
  };
}
