import { setImmediate as yieldToRequests } from 'node:timers/promises';
import type { Instant } from '../../../domain/clock.ts';
import {
  type ClaimedVote,
  type ClaimOutcome,
  IDEMPOTENCY_MS,
  isLimitedByName,
  NAME_INTERVAL_MS,
  nameKeyOf,
  positionOf,
  type Vote,
  type VotePosition,
  voteId,
} from '../../../domain/votes/vote.ts';
import {
  type ClaimName,
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
import { planClaimEvents } from '../../webhooks/events.ts';
import type { Connection, Connections } from '../connection.ts';
import { createEventWriter } from '../webhooks/events.ts';
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

type KeyRow = { request_hash: string; body: string; created_at: Instant; is_released: 0 | 1 };

// The primary key of idempotency_keys, and the unique index (guild_id, vote_id) of vote_claims.
export const FIND_KEY = `
  SELECT request_hash, body, created_at, vote_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM vote_claims c
    WHERE c.guild_id = k.guild_id AND c.vote_id = k.vote_id AND c.claimed_at = k.claimed_at
  ) AS is_released
  FROM idempotency_keys k WHERE guild_id = ? AND key = ?`;

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

/** Runs inside a write transaction, so there are no concurrent claims. */
function createClaim(db: Connection): (request: ClaimRequest) => ClaimResult {
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

const COLUMNS = 'v.guild_id, v.user_id, v.cast_at, v.external_id, v.is_doubled';
const AND_CLAIMS = 'LEFT JOIN vote_claims c USING (guild_id, cast_at, user_id)';
const OF_USER = `
  FROM votes v INDEXED BY votes_by_user ${AND_CLAIMS}
  WHERE v.guild_id = @guildId AND v.user_id = @userId AND v.cast_at > @after AND v.cast_at <= @until`;
const OF_NAME = `
  FROM votes v INDEXED BY votes_by_external_id ${AND_CLAIMS}
  WHERE v.guild_id = @guildId AND v.name_key = @nameKey AND v.cast_at > @after AND v.cast_at <= @until
    AND (@externalId IS NULL OR v.external_id = @externalId)`;
const IN_ORDER = 'ORDER BY v.cast_at, v.user_id';

/** Each claim is looked up by the primary key of vote_claims. */
export const CLAIM_QUERIES = {
  openOfUser: `SELECT ${COLUMNS} ${OF_USER} AND c.claimed_at IS NULL ${IN_ORDER}`,
  openOfName: `SELECT ${COLUMNS} ${OF_NAME} AND c.claimed_at IS NULL ${IN_ORDER}`,
  claimedOfUser: `SELECT ${COLUMNS}, c.claimed_at ${OF_USER} AND c.claimed_at IS NOT NULL ${IN_ORDER}`,
  claimedOfName: `SELECT ${COLUMNS}, c.claimed_at ${OF_NAME} AND c.claimed_at IS NOT NULL ${IN_ORDER}`,
  firstOfName: `
    SELECT ${COLUMNS} FROM votes v INDEXED BY votes_by_external_id
    WHERE guild_id = @guildId AND name_key = @nameKey AND cast_at >= @from AND cast_at <= @until
      AND (@externalId IS NULL OR external_id = @externalId)
    ORDER BY cast_at, user_id LIMIT 1`,
  lastClaimOfName: `
    SELECT cast_at FROM vote_claims INDEXED BY vote_claims_by_name
    WHERE guild_id = @guildId AND name_key = @nameKey AND cast_at > @after AND cast_at < @before
      AND (@externalId IS NULL OR external_id = @externalId)
    ORDER BY cast_at DESC LIMIT 1`,
} as const;

type Named = ClaimName & { guildId: string };
type Range = { after: Instant; until: Instant };
type ClaimedRow = VoteRow & { claimed_at: Instant };

/** Reads what can be claimed and what was, both ordered like votes. */
function createClaimReader(db: Connection) {
  const sql = prepareReader(db);

  /**
   * Jumps from one claimable vote to the next, at least an hour later, so the cost depends on the length of the
   * window, not on the number of votes under the name.
   */
  function claimableByName(named: Named, { after, until }: Range): Vote[] {
    const votes: Vote[] = [];
    for (let from = after + 1; ; ) {
      const row = sql.firstOfName.get({ ...named, from, until });
      if (!row) return votes;
      const near = { after: row.cast_at - NAME_INTERVAL_MS, before: row.cast_at + NAME_INTERVAL_MS };
      const claim = sql.lastClaimOfName.get({ ...named, ...near });
      if (!claim) votes.push(toVote(row));
      from = (claim ?? row).cast_at + NAME_INTERVAL_MS;
    }
  }

  return {
    claimable({ guildId, identity, window, oneRewardPerName }: ClaimQuery): Vote[] {
      if ('userId' in identity)
        return sql.openOfUser.all({ guildId, userId: identity.userId, ...window }).map(toVote);
      const name = nameOf(identity);
      if (!name) return [];
      const named = { guildId, ...name };
      return isLimitedByName(identity, oneRewardPerName)
        ? claimableByName(named, window)
        : sql.openOfName.all({ ...named, ...window }).map(toVote);
    },
    claimed({ guildId, identity, window }: ClaimQuery): ClaimedVote[] {
      if ('userId' in identity)
        return sql.claimedOfUser.all({ guildId, userId: identity.userId, ...window }).map(toClaimedVote);
      const name = nameOf(identity);
      return name ? sql.claimedOfName.all({ guildId, ...name, ...window }).map(toClaimedVote) : [];
    },
  };
}

function toClaimedVote(row: ClaimedRow): ClaimedVote {
  return { ...toVote(row), claimedAt: row.claimed_at };
}

function prepareReader(db: Connection) {
  type OfUser = { guildId: string; userId: string } & Range;
  return {
    openOfUser: db.prepare<[OfUser], VoteRow>(CLAIM_QUERIES.openOfUser),
    openOfName: db.prepare<[Named & Range], VoteRow>(CLAIM_QUERIES.openOfName),
    claimedOfUser: db.prepare<[OfUser], ClaimedRow>(CLAIM_QUERIES.claimedOfUser),
    claimedOfName: db.prepare<[Named & Range], ClaimedRow>(CLAIM_QUERIES.claimedOfName),
    firstOfName: db.prepare<[Named & { from: Instant; until: Instant }], VoteRow>(CLAIM_QUERIES.firstOfName),
    lastClaimOfName: db.prepare<[Named & { after: Instant; before: Instant }], { cast_at: Instant }>(
      CLAIM_QUERIES.lastClaimOfName,
    ),
  };
}
