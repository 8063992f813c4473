import { setImmediate as yieldToRequests } from 'node:timers/promises';
import type { Instant } from '../../../domain/clock.ts';
import { positionOf, type Vote, type VotePosition } from '../../../domain/votes/vote.ts';
import { type ClaimStore, pendingStart, toOverview } from '../../claims.ts';
import { toVote, type VoteRow } from '../../votes.ts';
import type { Connections } from '../connection.ts';
import { createClaimReader } from './claim-reader.ts';
import { createClaim } from './claim-votes.ts';
import { createCountClaimable } from './claimable.ts';

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
      ON k.guild_id = g.guild_id AND k.created_at < ? LIMIT ? + 0
  )`;

// Index released_claims_by_age, guild by guild.
export const PRUNE_RELEASES = `
  DELETE FROM released_claims WHERE (guild_id, vote_id) IN (
    SELECT r.guild_id, r.vote_id FROM guilds g
    CROSS JOIN released_claims r INDEXED BY released_claims_by_age
      ON r.guild_id = g.guild_id AND r.claimed_at < ? LIMIT ? + 0
  )`;

export function createClaimStore(database: Connections): ClaimStore {
  const sql = prepare(database);
  const reader = createClaimReader(database.reader);
  const claim = createClaim(database.writer);

  function release(which: { guildId: string; voteId: string; claimedAt: Instant | null }): boolean {
    const released = sql.release.get(which);
    if (!released) return false;
    sql.keepRelease.run(which.guildId, which.voteId, released.claimed_at);
    return true;
  }

  return {
    claim: (request) => database.write(() => claim(request)),
    async ofIdentity(query) {
      return toOverview(reader.claimable(query), reader.claimed(query));
    },
    countClaimable: createCountClaimable(database.reader),
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
    async claimTimes(guildId, votes) {
      const positions = JSON.stringify(votes.map(({ castAt, userId }) => [castAt, userId]));
      const times = new Map(sql.times.all({ guildId, positions }).map((row) => [row.place, row.claimed_at]));
      return votes.map((_, place) => times.get(place) ?? null);
    },
    release: (guildId, voteId, claimedAt = null) =>
      database.write(() => release({ guildId, voteId, claimedAt })),
    pruneKeys: (before, limit) => database.write(() => sql.pruneKeys.run(before, limit).changes),
    pruneReleases: (before, limit) => database.write(() => sql.pruneReleases.run(before, limit).changes),
  };
}

function prepare({ reader, writer }: Connections) {
  return {
    pending: reader.prepare<[string, Instant, string, Instant], VoteRow & { claimed_at: Instant | null }>(
      PENDING,
    ),
    // The unique index (guild_id, vote_id).
    release: writer.prepare<
      [{ guildId: string; voteId: string; claimedAt: Instant | null }],
      { claimed_at: Instant }
    >(
      `DELETE FROM vote_claims WHERE guild_id = @guildId AND vote_id = @voteId
         AND (@claimedAt IS NULL OR claimed_at = @claimedAt) RETURNING claimed_at`,
    ),
    // The primary key.
    keepRelease: writer.prepare(
      `INSERT INTO released_claims (guild_id, vote_id, claimed_at) VALUES (?, ?, ?)
       ON CONFLICT (guild_id, vote_id) DO UPDATE SET claimed_at = excluded.claimed_at`,
    ),
    times: reader.prepare<[{ guildId: string; positions: string }], { place: number; claimed_at: Instant }>(
      TIMES,
    ),
    pruneKeys: writer.prepare(PRUNE_KEYS),
    pruneReleases: writer.prepare(PRUNE_RELEASES),
  };
}
