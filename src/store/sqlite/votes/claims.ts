import { setImmediate as yieldToRequests } from 'node:timers/promises';
import type { Instant } from '../../../domain/clock.ts';
import { positionOf, type Vote, type VotePosition } from '../../../domain/votes/vote.ts';
import { CLAIM_SCOPES, forBoth, scopeOf } from '../../claims/claim-tables.ts';
import {
  type ClaimStore,
  pendingStart,
  type ReleasedClaim,
  toClaimTimes,
  toOverview,
} from '../../claims/claims.ts';
import type { ConsumerStore } from '../../claims/consumers.ts';
import { toVote, type VoteRow } from '../../votes/votes.ts';
import type { Connections } from '../connection.ts';
import { createClaimReader } from './claim-reader.ts';
import { createClaim, isVote } from './claim-votes.ts';
import { createCountClaimable } from './claimable.ts';

/** A guild may have claimed a million votes of the window. After this many, other requests run. */
const VOTES_AT_ONCE = 1000;

export const CLAIM_STATEMENTS = forBoth(({ claims, byId, releases, consumerColumn, ifNamed }) => ({
  // The primary keys of both tables.
  pending: `
    SELECT v.guild_id, v.user_id, v.cast_at, v.external_id, v.is_doubled, c.claimed_at
    FROM votes v LEFT JOIN ${claims} c ON c.guild_id = v.guild_id AND c.cast_at = v.cast_at AND c.user_id = v.user_id
      ${ifNamed('AND c.consumer = @consumer')}
    WHERE v.guild_id = @guildId AND (v.cast_at, v.user_id) > (@castAt, @userId) AND v.cast_at <= @until
    ORDER BY v.cast_at, v.user_id LIMIT ${VOTES_AT_ONCE}`,
  // The primary key, once per position.
  times: `
    SELECT asked.key AS place, c.claimed_at${ifNamed(', c.consumer')} FROM json_each(@positions) AS asked
    CROSS JOIN ${claims} c ON c.guild_id = @guildId AND c.cast_at = asked.value ->> 0 AND c.user_id = asked.value ->> 1`,
  release: `
    DELETE FROM ${claims} INDEXED BY ${byId}
    WHERE ${isVote('vote_id', '@voteId')} AND guild_id = @guildId ${ifNamed('AND consumer = @consumer')}
      AND (@claimedAt IS NULL OR claimed_at = @claimedAt) RETURNING claimed_at`,
  // The primary key.
  keepRelease: `
    INSERT INTO ${releases} (guild_id, vote_id, claimed_at${consumerColumn})
    VALUES (@guildId, @voteId, @claimedAt${ifNamed(', @consumer')})
    ON CONFLICT (guild_id, vote_id${consumerColumn}) DO UPDATE SET claimed_at = excluded.claimed_at`,
  // The index by age, guild by guild.
  pruneReleases: `
    DELETE FROM ${releases} WHERE (guild_id, vote_id${consumerColumn}) IN (
      SELECT r.guild_id, r.vote_id${ifNamed(', r.consumer')} FROM guilds g
      CROSS JOIN ${releases} r INDEXED BY ${releases}_by_age
        ON r.guild_id = g.guild_id AND r.claimed_at < ? LIMIT ? + 0
    )`,
}));

// Index idempotency_keys_by_age.
export const PRUNE_KEYS = `
  DELETE FROM idempotency_keys WHERE rowid IN (
    SELECT rowid FROM idempotency_keys INDEXED BY idempotency_keys_by_age WHERE created_at < ? LIMIT ? + 0
  )`;

export function createClaimStore(database: Connections, consumers: Pick<ConsumerStore, 'use'>): ClaimStore {
  const { reader: readerConnection, writer } = database;
  const both = forBoth((_, scope) => prepare(database, CLAIM_STATEMENTS[scope]));
  const pruneKeys = writer.prepare(PRUNE_KEYS);
  const reader = createClaimReader(readerConnection);
  const claim = createClaim(writer);

  function release(claim: ReleasedClaim): boolean {
    const sql = both[scopeOf(claim.consumer)];
    const released = sql.release.get(claim);
    if (!released) return false;
    sql.keepRelease.run({ ...claim, claimedAt: released.claimed_at });
    return true;
  }

  return {
    async claim(request) {
      const { guildId, consumer, now } = request;
      if (!(await consumers.use(guildId, consumer, now))) return { kind: 'too-many-consumers' };
      return database.write(() => claim(request));
    },
    async ofIdentity(query) {
      return toOverview(reader.claimable(query), reader.claimed(query));
    },
    countClaimable: createCountClaimable(readerConnection, reader),
    async pending({ guildId, consumer }, { after, until }, start, limit) {
      const sql = both[scopeOf(consumer)];
      const votes: Vote[] = [];
      let position: VotePosition | undefined = pendingStart(after, start);
      while (position && votes.length < limit) {
        const rows = sql.pending.all({ guildId, consumer, ...position, until });
        votes.push(...rows.filter((row) => row.claimed_at === null).map(toVote));
        const last = rows.length === VOTES_AT_ONCE ? rows.at(-1) : undefined;
        position = last && positionOf(toVote(last));
        if (position) await yieldToRequests();
      }
      return votes.slice(0, limit);
    },
    async claimTimes(guildId, votes) {
      const positions = JSON.stringify(votes.map(({ castAt, userId }) => [castAt, userId]));
      const found = CLAIM_SCOPES.flatMap((scope) => both[scope].times.all({ guildId, positions }));
      return toClaimTimes(votes.length, found);
    },
    release: (claim) => database.write(() => release(claim)),
    pruneKeys: (before, limit) => database.write(() => pruneKeys.run(before, limit).changes),
    async pruneReleases(before, limit) {
      let pruned = 0;
      for (const scope of CLAIM_SCOPES)
        pruned += await database.write(() => both[scope].pruneReleases.run(before, limit - pruned).changes);
      return pruned;
    },
  };
}

type PendingFrom = VotePosition & { guildId: string; consumer: string; until: Instant };

function prepare({ reader, writer }: Connections, sql: (typeof CLAIM_STATEMENTS)['default']) {
  return {
    pending: reader.prepare<[PendingFrom], VoteRow & { claimed_at: Instant | null }>(sql.pending),
    release: writer.prepare<[ReleasedClaim], { claimed_at: Instant }>(sql.release),
    keepRelease: writer.prepare<[ReleasedClaim]>(sql.keepRelease),
    times: reader.prepare<
      [{ guildId: string; positions: string }],
      { place: number; claimed_at: Instant; consumer?: string }
    >(sql.times),
    pruneReleases: writer.prepare(sql.pruneReleases),
  };
}
