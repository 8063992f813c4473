import type { Instant } from '../../../domain/clock.ts';
import { type ClaimOutcome, IDEMPOTENCY_MS, nameKeyOf, voteId } from '../../../domain/votes/vote.ts';
import type { ClaimRequest, ClaimResult } from '../../claims.ts';
import { UnknownGuildError } from '../../store.ts';
import { planClaimEvents } from '../../webhooks/events.ts';
import type { Connection } from '../connection.ts';
import { createEventWriter } from '../webhooks/events.ts';
import { createClaimReader } from './claim-reader.ts';

type KeyRow = { request_hash: string; body: string; created_at: Instant; is_released: 0 | 1 };

// The primary key of idempotency_keys, and the unique index (guild_id, vote_id) of vote_claims.
export const FIND_KEY = `
  SELECT request_hash, body, created_at, vote_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM vote_claims c
    WHERE c.guild_id = k.guild_id AND c.vote_id = k.vote_id AND c.claimed_at = k.claimed_at
  ) AS is_released
  FROM idempotency_keys k WHERE guild_id = ? AND key = ?`;

/** Runs inside a write transaction, so there are no concurrent claims. */
export function createClaim(db: Connection): (request: ClaimRequest) => ClaimResult {
  const sql = prepareClaim(db);
  const reader = createClaimReader(db);
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

  function claimOldest(request: ClaimRequest): ClaimOutcome {
    const { guildId, now } = request;
    const [oldest, ...others] = reader.claimable(request);
    if (!oldest) return { vote: null, remaining: 0 };
    const id = voteId(oldest);
    const released = sql.findRelease.get(guildId, id)?.claimed_at ?? 0;
    const vote = { ...oldest, claimedAt: Math.max(now, released + 1) };
    const values = [guildId, vote.castAt, vote.userId, id, vote.externalId, nameKeyOf(vote), vote.claimedAt];
    sql.add.run(...values);
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
    if (idempotency) {
      const { vote } = outcome;
      const held = vote ? [voteId(vote), vote.claimedAt] : [null, null];
      sql.keepBody.run(body, ...held, guildId, idempotency.key);
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
      'UPDATE idempotency_keys SET body = ?, vote_id = ?, claimed_at = ? WHERE guild_id = ? AND key = ?',
    ),
    findRelease: db.prepare<[string, string], { claimed_at: Instant }>(
      'SELECT claimed_at FROM released_claims WHERE guild_id = ? AND vote_id = ?',
    ),
    add: db.prepare(
      `INSERT INTO vote_claims (guild_id, cast_at, user_id, vote_id, external_id, name_key, claimed_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ),
  };
}
