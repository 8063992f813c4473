import type { Instant } from '../../../domain/clock.ts';
import {
  type ClaimedVote,
  isLimitedByName,
  NAME_INTERVAL_MS,
  type Vote,
} from '../../../domain/votes/vote.ts';
import { type ClaimScope, type ClaimTables, forBoth, scopeOf } from '../../claims/claim-tables.ts';
import { byPosition, type ClaimQuery, nameOf } from '../../claims/claims.ts';
import { toVote, type VoteRow } from '../../votes/votes.ts';
import type { Connection } from '../connection.ts';
import { withPositions } from '../database.ts';

const COLUMNS = 'v.guild_id, v.user_id, v.cast_at, v.external_id, v.is_doubled';
const IN_ORDER = 'ORDER BY v.cast_at, v.user_id';

/** Each claim is looked up by the primary key of its table. */
export const CLAIM_QUERIES = forBoth(({ claims, byName, ifNamed }: ClaimTables) => {
  const andClaims = `LEFT JOIN ${claims} c ON c.guild_id = v.guild_id AND c.cast_at = v.cast_at
    AND c.user_id = v.user_id ${ifNamed('AND c.consumer = @consumer')}`;
  const ofUser = `
    FROM votes v INDEXED BY votes_by_user ${andClaims}
    WHERE v.guild_id = @guildId AND v.user_id = @userId AND v.cast_at > @after AND v.cast_at <= @until`;
  const ofName = `
    FROM votes v INDEXED BY votes_by_external_id ${andClaims}
    WHERE v.guild_id = @guildId AND v.name_key = @nameKey AND v.cast_at > @after AND v.cast_at <= @until
      AND (@externalId IS NULL OR v.external_id = @externalId)`;
  return {
    // Without guild and user, which are known: the driver would make new texts of them.
    openOfUser: `SELECT v.cast_at, v.external_id, v.is_doubled ${ofUser} AND c.claimed_at IS NULL ${IN_ORDER}`,
    openOfName: `SELECT ${COLUMNS} ${ofName} AND c.claimed_at IS NULL ${IN_ORDER}`,
    claimedOfUser: `SELECT ${COLUMNS}, c.claimed_at ${ofUser} AND c.claimed_at IS NOT NULL ${IN_ORDER}`,
    claimedOfName: `SELECT ${COLUMNS}, c.claimed_at ${ofName} AND c.claimed_at IS NOT NULL ${IN_ORDER}`,
    firstOfName: `
      SELECT ${COLUMNS} FROM votes v INDEXED BY votes_by_external_id
      WHERE guild_id = @guildId AND name_key = @nameKey AND cast_at >= @from AND cast_at <= @until
        AND (@externalId IS NULL OR external_id = @externalId)
      ORDER BY cast_at, user_id LIMIT 1`,
    lastClaimOfName: `
      SELECT cast_at FROM ${claims} INDEXED BY ${byName}
      WHERE guild_id = @guildId ${ifNamed('AND consumer = @consumer')} AND name_key = @nameKey
        AND cast_at > @after AND cast_at < @before AND (@externalId IS NULL OR external_id = @externalId)
      ORDER BY cast_at DESC LIMIT 1`,
  };
});

type Named = { guildId: string; consumer: string; nameKey: string; externalId: string | null };
type Range = { after: Instant; until: Instant };
type ClaimedRow = VoteRow & { claimed_at: Instant };
type Statements = ReturnType<typeof prepareReader>;

/** Reads what can be claimed and what was, both ordered like votes. */
export function createClaimReader(db: Connection) {
  const both = forBoth((_, scope) => prepareReader(db, scope));

  return {
    claimable(query: ClaimQuery): Vote[] {
      const { guildId, consumer, identity, window, oneRewardPerName } = query;
      const sql = both[scopeOf(consumer)];
      if ('userId' in identity) {
        const { userId } = identity;
        const rows = sql.openOfUser(consumer, guildId, userId, window);
        return rows.map(({ cast_at, external_id, is_doubled }) =>
          toVote({ guild_id: guildId, user_id: userId, cast_at, external_id, is_doubled }),
        );
      }
      const names = namesOf(query);
      return isLimitedByName(identity, oneRewardPerName)
        ? claimableByName(sql, names, window)
        : inOrder(names, (named) => sql.openOfName.all({ ...named, ...window }).map(toVote));
    },
    claimed(query: ClaimQuery): ClaimedVote[] {
      const { guildId, consumer, identity, window } = query;
      const sql = both[scopeOf(consumer)];
      if ('userId' in identity) {
        const ofUser = { guildId, consumer, userId: identity.userId, ...window };
        return sql.claimedOfUser.all(ofUser).map(toClaimedVote);
      }
      return inOrder(namesOf(query), (named) =>
        sql.claimedOfName.all({ ...named, ...window }).map(toClaimedVote),
      );
    },
  };
}

/** The names to look up, one by one. */
function namesOf({ guildId, consumer, identity, playerNames }: ClaimQuery): Named[] {
  const name = 'userId' in identity ? undefined : nameOf(identity, playerNames);
  const { nameKeys = [], externalId = null } = name ?? {};
  return nameKeys.map((nameKey) => ({ guildId, consumer, nameKey, externalId }));
}

function inOrder<Found extends Vote>(names: readonly Named[], find: (named: Named) => Found[]): Found[] {
  const found = names.flatMap(find);
  return names.length > 1 ? found.sort(byPosition) : found;
}

/**
 * Jumps from one claimable vote to the next, at least an hour later, so the cost depends on the length of the window,
 * not on the number of votes under the name.
 */
function claimableByName(sql: Statements, names: readonly Named[], { after, until }: Range): Vote[] {
  const votes: Vote[] = [];
  const firstFrom = (from: Instant) => (named: Named) => sql.firstOfName.get({ ...named, from, until }) ?? [];
  const lastWithin = (range: { after: Instant; before: Instant }) => (named: Named) =>
    sql.lastClaimOfName.get({ ...named, ...range }) ?? [];
  // Of the names that count as the same, a player uses one or two.
  const isAny = (find: (named: Named) => unknown) => (named: Named) =>
    names.length === 1 || !Array.isArray(find(named));
  const voted = names.filter(isAny(firstFrom(after + 1)));
  const claimed = names.filter(
    isAny(lastWithin({ after: after - NAME_INTERVAL_MS, before: until + NAME_INTERVAL_MS })),
  );
  for (let from = after + 1; ; ) {
    const [vote] = voted.flatMap(firstFrom(from)).map(toVote).sort(byPosition);
    if (!vote) return votes;
    const near = { after: vote.castAt - NAME_INTERVAL_MS, before: vote.castAt + NAME_INTERVAL_MS };
    const claims = claimed.flatMap(lastWithin(near)).map((claim) => claim.cast_at);
    if (claims.length === 0) votes.push(vote);
    from = (claims.length === 0 ? vote.castAt : Math.max(...claims)) + NAME_INTERVAL_MS;
  }
}

function toClaimedVote(row: ClaimedRow): ClaimedVote {
  return { ...toVote(row), claimedAt: row.claimed_at };
}

function prepareReader(db: Connection, scope: ClaimScope) {
  type OfUser = { guildId: string; consumer: string; userId: string } & Range;
  const queries = CLAIM_QUERIES[scope];
  return {
    openOfUser: prepareOpenOfUser(db, scope),
    openOfName: db.prepare<[Named & Range], VoteRow>(queries.openOfName),
    claimedOfUser: db.prepare<[OfUser], ClaimedRow>(queries.claimedOfUser),
    claimedOfName: db.prepare<[Named & Range], ClaimedRow>(queries.claimedOfName),
    firstOfName: db.prepare<[Named & { from: Instant; until: Instant }], VoteRow>(queries.firstOfName),
    lastClaimOfName: db.prepare<[Named & { after: Instant; before: Instant }], { cast_at: Instant }>(
      queries.lastClaimOfName,
    ),
  };
}

type OpenOfUser = (consumer: string, guildId: string, userId: string, range: Range) => OpenRow[];
type OpenRow = Omit<VoteRow, 'guild_id' | 'user_id'>;

/** With values as arguments (decision 39), in the order of the text: a join with the claims of a consumer comes first. */
function prepareOpenOfUser(db: Connection, scope: ClaimScope): OpenOfUser {
  const sql = db.prepare<(string | Instant)[], OpenRow>(withPositions(CLAIM_QUERIES[scope].openOfUser));
  return scope === 'default'
    ? (_, guildId, userId, { after, until }) => sql.all(guildId, userId, after, until)
    : (consumer, guildId, userId, { after, until }) => sql.all(consumer, guildId, userId, after, until);
}
