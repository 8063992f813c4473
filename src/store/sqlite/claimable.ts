import type { Instant } from '../../domain/clock.ts';
import {
  type ClaimableVote,
  isLimitedByName,
  MAX_LISTED_CLAIMS,
  NAME_INTERVAL_MS,
} from '../../domain/votes/claim.ts';
import type { Vote } from '../../domain/votes/vote.ts';
import { type ClaimName, type ClaimQuery, type CountedVotes, nameOf } from '../claims.ts';
import type { Connection } from './connection.ts';
import { toVote, type VoteRow } from './queries.ts';

const COLUMNS = 'v.guild_id, v.user_id, v.cast_at, v.external_id, v.is_doubled';
const NAMED = '(@externalId IS NULL OR external_id = @externalId)';
const OF_USER = `
  FROM votes v INDEXED BY votes_by_user LEFT JOIN vote_claims c USING (guild_id, cast_at, user_id)
  WHERE v.guild_id = @guildId AND v.user_id = @userId AND v.cast_at > @after AND v.cast_at <= @until`;
const OF_NAME = `
  FROM votes v INDEXED BY votes_by_external_id LEFT JOIN vote_claims c USING (guild_id, cast_at, user_id)
  WHERE v.guild_id = @guildId AND v.name_key = @nameKey AND v.cast_at > @after AND v.cast_at <= @until
    AND (@externalId IS NULL OR v.external_id = @externalId)`;
const FIRST = `ORDER BY v.cast_at, v.user_id LIMIT ${MAX_LISTED_CLAIMS}`;

/** Each claim is found by the primary key of vote_claims; a test reads the plans. */
export const CLAIM_QUERIES = {
  openOfUser: `SELECT ${COLUMNS}, count(*) OVER () AS total ${OF_USER} AND c.claimed_at IS NULL ${FIRST}`,
  openOfName: `SELECT ${COLUMNS}, count(*) OVER () AS total ${OF_NAME} AND c.claimed_at IS NULL ${FIRST}`,
  claimedOfUser: `
    SELECT ${COLUMNS}, c.claimed_at, count(*) OVER () AS total ${OF_USER} AND c.claimed_at IS NOT NULL ${FIRST}`,
  claimedOfName: `
    SELECT ${COLUMNS}, c.claimed_at, count(*) OVER () AS total ${OF_NAME} AND c.claimed_at IS NOT NULL ${FIRST}`,
  firstOfName: `
    SELECT ${COLUMNS} FROM votes v INDEXED BY votes_by_external_id
    WHERE guild_id = @guildId AND name_key = @nameKey AND cast_at >= @from AND cast_at <= @until AND ${NAMED}
    ORDER BY cast_at, user_id LIMIT 1`,
  lastClaimOfName: `
    SELECT cast_at FROM vote_claims INDEXED BY vote_claims_by_name
    WHERE guild_id = @guildId AND name_key = @nameKey AND cast_at > @after AND cast_at < @before AND ${NAMED}
    ORDER BY cast_at DESC LIMIT 1`,
} as const;

type Named = ClaimName & { guildId: string };
type Range = { after: Instant; until: Instant };
type CountedRow = VoteRow & { total: number };
type ClaimedRow = CountedRow & { claimed_at: Instant };

export type ClaimReader = {
  claimable(query: ClaimQuery): CountedVotes<Vote>;
  claimed(query: ClaimQuery): CountedVotes<ClaimableVote>;
};

const NONE = { votes: [], total: 0 };

export function createClaimReader(db: Connection): ClaimReader {
  const sql = prepare(db);

  /** From one vote that can be claimed to the next, an hour or more later: however many votes lie between. */
  function walk(named: Named, { after, until }: Range): Vote[] {
    const open: Vote[] = [];
    let from = after + 1;
    for (;;) {
      const row = sql.firstOfName.get({ ...named, from, until });
      if (!row) return open;
      const range = { after: row.cast_at - NAME_INTERVAL_MS, before: row.cast_at + NAME_INTERVAL_MS };
      const claim = sql.lastClaimOfName.get({ ...named, ...range });
      if (!claim) open.push(toVote(row));
      from = (claim ?? row).cast_at + NAME_INTERVAL_MS;
    }
  }

  return {
    claimable({ guildId, identity, window, oneRewardPerName }) {
      if ('userId' in identity)
        return counted(sql.openOfUser.all({ guildId, ...identity, ...window }), toVote);
      const name = nameOf(identity);
      if (!name) return NONE;
      const named = { guildId, ...name };
      if (!isLimitedByName(identity, oneRewardPerName))
        return counted(sql.openOfName.all({ ...named, ...window }), toVote);
      const votes = walk(named, window);
      return { votes: votes.slice(0, MAX_LISTED_CLAIMS), total: votes.length };
    },
    claimed({ guildId, identity, window }) {
      if ('userId' in identity)
        return counted(sql.claimedOfUser.all({ guildId, ...identity, ...window }), toClaimed);
      const name = nameOf(identity);
      return name ? counted(sql.claimedOfName.all({ guildId, ...name, ...window }), toClaimed) : NONE;
    },
  };
}

function counted<R extends CountedRow, V>(rows: R[], toEntry: (row: R) => V): CountedVotes<V> {
  return { votes: rows.map(toEntry), total: rows[0]?.total ?? 0 };
}

function toClaimed(row: ClaimedRow): ClaimableVote {
  return { ...toVote(row), claimedAt: row.claimed_at };
}

function prepare(db: Connection) {
  type OfUser = { guildId: string; userId: string } & Range;
  return {
    openOfUser: db.prepare<[OfUser], CountedRow>(CLAIM_QUERIES.openOfUser),
    openOfName: db.prepare<[Named & Range], CountedRow>(CLAIM_QUERIES.openOfName),
    claimedOfUser: db.prepare<[OfUser], ClaimedRow>(CLAIM_QUERIES.claimedOfUser),
    claimedOfName: db.prepare<[Named & Range], ClaimedRow>(CLAIM_QUERIES.claimedOfName),
    firstOfName: db.prepare<[Named & { from: Instant; until: Instant }], VoteRow>(CLAIM_QUERIES.firstOfName),
    lastClaimOfName: db.prepare<[Named & { after: Instant; before: Instant }], { cast_at: Instant }>(
      CLAIM_QUERIES.lastClaimOfName,
    ),
  };
}
