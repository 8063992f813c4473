import { setImmediate as yieldToRequests } from 'node:timers/promises';
import type { Instant } from '../../../domain/clock.ts';
import { type ClaimOutcome, IDEMPOTENCY_MS, nameKeyOf } from '../../../domain/votes/claim.ts';
import { positionOf, type Vote, type VotePosition, voteId } from '../../../domain/votes/vote.ts';
import { UnknownGuildError } from '../../store.ts';
import {
  type ClaimRequest,
  type ClaimResult,
  type ClaimStore,
  pendingStart,
  toOverview,
} from '../../votes/claims.ts';
import { planClaimEvents } from '../../webhooks/vote-events.ts';
import { type Connection, type Connections, inTransaction } from '../connection.ts';
import { toVote, type VoteRow } from '../queries.ts';
import { createEventWriter } from '../webhooks/endpoints.ts';
import { createClaimReader } from './claimable.ts';

/** A guild may have claimed a million votes of the window. After this many, other requests run. */
const VOTES_AT_ONCE = 1000;

// The primary keys of both tables.
export const PENDING = `
  SELECT v.guild_id, v.user_id, v.cast_at, v.external_id, v.is_doubled, c.claimed_at
  FROM votes v LEFT JOIN vote_claims c USING (guild_id, cast_at, user_id)
  WHERE v.guild_id = ? AND (v.cast_at, v.user_id) > (?, ?) AND v.cast_at <= ?
  ORDER BY v.cast_at, v.user_id LIMIT ${VOTES_AT_ONCE}`;

// The primary key of vote_claims, once per position.
export const TIMES = `
  SELECT asked.key AS place, c.claimed_at FROM json_each(@positions) AS asked
  CROSS JOIN vote_claims c ON c.guild_id = @guildId AND c.cast_at = asked.value ->> 0 AND c.user_id = asked.value ->> 1`;

// Index idempotency_keys_by_age, guild by guild.
export const PRUNE_KEYS = `
  DELETE FROM idempotency_keys WHERE (guild_id, key) IN (
    SELECT k.guild_id, k.key FROM guilds g
    CROSS JOIN idempotency_keys k INDEXED BY idempotency_keys_by_age
      ON k.guild_id = g.guild_id AND k.created_at < ? LIMIT ?
  )`;

export function createClaimStore(database: Connections): ClaimStore {
  const sql = prepare(database);
  const reader = createClaimReader(database.reader);
  const claim = createClaim(database.writer);
  return {
    claim: (request) => database.write(() => inTransaction(database.writer, () => claim(request))),
    async ofIdentity(query) {
      return toOverview(reader.claimable(query), reader.claimed(query));
    },
    async pending(guildId, { after, until }, start, limit) {
      const votes: Vote[] = [];
      let position: VotePosition | undefined = pendingStart(after, start);
      while (position && votes.length < limit) {
        const rows = sql.pending.all(guildId, position.castAt, position.userId, until);
        votes.push(...rows.filter((row) => row.claimed_at === null).map(toVote));
        const last = rows.length === VOTES_AT_ONCE ? rows.at(-1) : undefined;
        position = last && positionOf(toVote(last));
        if (position) await yieldToRequests();
      }
      return votes.slice(0, limit);
    },
    async timesOf(guildId, votes) {
      const positions = JSON.stringify(votes.map(({ castAt, userId }) => [castAt, userId]));
      const times = new Map(sql.times.all({ guildId, positions }).map((row) => [row.place, row.claimed_at]));
      return votes.map((_, place) => times.get(place) ?? null);
    },
    release: (guildId, voteId, claimedAt = null) =>
      database.write(() => sql.release.run({ guildId, voteId, claimedAt }).changes > 0),
    pruneKeys: (before, limit) => database.write(() => sql.pruneKeys.run(before, limit).changes),
  };
}

/** Runs inside a write transaction, so no other claim happens meanwhile. */
function createClaim(db: Connection): (request: ClaimRequest) => ClaimResult {
  const sql = prepareClaim(db);
  const reader = createClaimReader(db);
  const writeEvents = createEventWriter(db);

  function replay({ guildId, idempotency, now }: ClaimRequest): ClaimResult | undefined {
    if (!idempotency) return undefined;
    const { key, requestHash } = idempotency;
    if (sql.takeKey.run(guildId, key, requestHash, now, now - IDEMPOTENCY_MS).changes > 0) return undefined;
    const earlier = sql.findKey.get(guildId, key);
    if (earlier?.request_hash !== requestHash) return { kind: 'mismatch' };
    return { kind: 'done', body: earlier.body, replayed: true, claimed: false };
  }

  function claimOldest(request: ClaimRequest): ClaimOutcome {
    const { guildId, now } = request;
    const [oldest, ...others] = reader.claimable(request);
    if (!oldest) return { vote: null, remaining: 0 };
    const vote = { ...oldest, claimedAt: now };
    sql.add.run(guildId, vote.castAt, vote.userId, voteId(vote), vote.externalId, nameKeyOf(vote), now);
    writeEvents(guildId, (subscriptions) => planClaimEvents(vote, subscriptions));
    return { vote, remaining: others.length };
  }

  return (request) => {
    const { guildId, idempotency } = request;
    if (!sql.findGuild.get(guildId)) throw new UnknownGuildError(guildId);
    const replayed = replay(request);
    if (replayed) return replayed;
    const outcome = claimOldest(request);
    const body = request.render(outcome);
    if (idempotency) sql.keepBody.run(body, guildId, idempotency.key);
    return { kind: 'done', body, replayed: false, claimed: outcome.vote !== null };
  };
}

function prepareClaim(db: Connection) {
  return {
    findGuild: db.prepare('SELECT 1 FROM guilds WHERE guild_id = ?'),
    // The primary key of idempotency_keys. Changes nothing while the key is in use; an expired one counts as unused.
    takeKey: db.prepare(
      `INSERT INTO idempotency_keys AS kept (guild_id, key, request_hash, body, created_at) VALUES (?, ?, ?, '', ?)
       ON CONFLICT (guild_id, key) DO UPDATE
       SET request_hash = excluded.request_hash, body = '', created_at = excluded.created_at
       WHERE kept.created_at <= ?`,
    ),
    findKey: db.prepare<[string, string], { request_hash: string; body: string }>(
      'SELECT request_hash, body FROM idempotency_keys WHERE guild_id = ? AND key = ?',
    ),
    keepBody: db.prepare('UPDATE idempotency_keys SET body = ? WHERE guild_id = ? AND key = ?'),
    add: db.prepare(
      `INSERT INTO vote_claims (guild_id, cast_at, user_id, vote_id, external_id, name_key, claimed_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ),
  };
}

function prepare({ reader, writer }: Connections) {
  return {
    pending: reader.prepare<[string, Instant, string, Instant], VoteRow & { claimed_at: Instant | null }>(
      PENDING,
    ),
    // The unique index (guild_id, vote_id).
    release: writer.prepare(
      `DELETE FROM vote_claims WHERE guild_id = @guildId AND vote_id = @voteId
         AND (@claimedAt IS NULL OR claimed_at = @claimedAt)`,
    ),
    times: reader.prepare<[{ guildId: string; positions: string }], { place: number; claimed_at: Instant }>(
      TIMES,
    ),
    pruneKeys: writer.prepare(PRUNE_KEYS),
  };
}
