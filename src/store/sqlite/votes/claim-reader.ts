import type { Instant } from '../../../domain/clock.ts';
import {
  type ClaimedVote,
  isLimitedByName,
  NAME_INTERVAL_MS,
  type Vote,
} from '../../../domain/votes/vote.ts';
import { type ClaimName, type ClaimQuery, nameOf } from '../../claims.ts';
import { toVote, type VoteRow } from '../../votes.ts';
import type { Connection } from '../connection.ts';

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
export function createClaimReader(db: Connection) {
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
