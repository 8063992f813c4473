import {
  isLimitedByName,
  NAME_INTERVAL_MS,
  type Vote,
  type VoterTotals,
} from '../../../domain/votes/vote.ts';
import {
  CLAIM_SCOPES,
  type ClaimScope,
  type ClaimTables,
  forBoth,
  scopeOf,
} from '../../claims/claim-tables.ts';
import { type ClaimQuery, type ClaimStore, nameOf } from '../../claims/claims.ts';
import { type CountedRange, planTotals } from '../../votes/totals.ts';
import { toVote, type VoteRow } from '../../votes/votes.ts';
import { type Cell, columnsOf } from '../columns.ts';
import type { Queryable } from '../connection/connection.ts';
import { withTotalsOfFirst } from './standing.ts';

/**
 * The claim of the vote `v`, by the primary key. A subquery with a limit, because with a plain join the planner may read all
 * claims of the guild for each vote. From its user to its user, in that order, because only the primary key has it: with
 * statistics from before the first claim all indexes seem equal, and another one leads to all claims of the guild. The time
 * is compared for equality: the planner expects that a range of times contains a large part of the claims.
 * `consumer`: SQL for its name.
 */
export function claimOf({ claims, ifNamed }: ClaimTables, consumer: string, columns = 'claimed_at'): string {
  return `
    SELECT ${columns} FROM ${claims} c
    WHERE c.guild_id = v.guild_id AND c.cast_at = v.cast_at AND c.user_id >= v.user_id AND c.user_id <= v.user_id
      ${ifNamed(`AND c.consumer = ${consumer}`)} ORDER BY c.user_id LIMIT 1`;
}

/** Whether the vote `v` was not claimed. */
export function openFor(tables: ClaimTables, consumer: string): string {
  return `(${claimOf(tables, consumer)}) IS NULL`;
}

type StepColumns = { guild: string; wanted: string; until: string; consumer: string };

/**
 * The next vote under the names of a step, and the last claim less than an hour from it. Each name is looked up in the
 * indexes of votes and claims by name.
 */
function nextStep({ claims, ifNamed }: ClaimTables, columns: string, step: StepColumns): string {
  const { guild, wanted, until, consumer } = step;
  return `
    CROSS JOIN LATERAL (
      SELECT found.* FROM unnest(steps.name_keys) AS one (name_key) CROSS JOIN LATERAL (
        SELECT ${columns} FROM votes v
        WHERE v.guild_id = ${guild} AND v.name_key = one.name_key COLLATE "C"
          AND v.cast_at >= steps.next_at AND v.cast_at <= ${until} AND (${wanted} IS NULL OR v.external_id = ${wanted})
        ORDER BY v.cast_at, v.user_id LIMIT 1
      ) AS found ORDER BY found.cast_at, found.user_id LIMIT 1
    ) AS vote
    LEFT JOIN LATERAL (
      SELECT found.cast_at FROM unnest(steps.name_keys) AS one (name_key) CROSS JOIN LATERAL (
        SELECT c.cast_at FROM ${claims} c
        WHERE c.guild_id = ${guild} ${ifNamed(`AND c.consumer = ${consumer}`)}
          AND c.name_key = one.name_key COLLATE "C" AND (${wanted} IS NULL OR c.external_id = ${wanted})
          AND c.cast_at > vote.cast_at - ${NAME_INTERVAL_MS} AND c.cast_at < vote.cast_at + ${NAME_INTERVAL_MS}
        ORDER BY c.cast_at DESC LIMIT 1
      ) AS found ORDER BY found.cast_at DESC LIMIT 1
    ) AS claim ON true`;
}

const KEYS = 'array_agg(name_key COLLATE "C") AS name_keys';
const NAMES_OF_GUILD = 'unnest($4::int[], $5::text[], $6::text[]) AS asked (place, name_key, external_id)';

/** How many votes of each user or name can be claimed: a row for each `place`. A name has a row per key in `asked`. */
export const CLAIMABLE_QUERIES = forBoth((tables) => ({
  // Index votes_by_user, once per user.
  ofUsers: `
    SELECT place, found.claimable FROM unnest($4::int[], $5::text[]) AS asked (place, user_id)
    CROSS JOIN LATERAL (
      SELECT count(*) AS claimable FROM votes v
      WHERE v.guild_id = $1 AND v.user_id = asked.user_id COLLATE "C" AND v.cast_at > $2 AND v.cast_at <= $3
        AND ${openFor(tables, '$6')}
    ) AS found`,
  // Index votes_by_external_id, once per key of a name.
  ofNames: `
    SELECT place, sum(found.claimable)::bigint AS claimable FROM ${NAMES_OF_GUILD}
    CROSS JOIN LATERAL (
      SELECT count(*) AS claimable FROM votes v
      WHERE v.guild_id = $1 AND v.name_key = asked.name_key COLLATE "C" AND v.cast_at > $2 AND v.cast_at <= $3
        AND (asked.external_id IS NULL OR v.external_id = asked.external_id COLLATE "C")
        AND ${openFor(tables, '$7')}
    ) AS found GROUP BY place`,
  // Jumps from one claimable vote of a name to the next, like a claim: the cost depends on the length of the window,
  // not on the number of votes.
  limitedByName: `
    WITH RECURSIVE steps AS (
      SELECT place, ${KEYS}, external_id COLLATE "C" AS external_id, $2::bigint + 1 AS next_at, false AS is_open
      FROM ${NAMES_OF_GUILD} GROUP BY place, external_id
      UNION ALL
      SELECT place, name_keys, external_id, coalesce(claim.cast_at, vote.cast_at) + ${NAME_INTERVAL_MS},
             claim.cast_at IS NULL
      FROM steps
      ${nextStep(tables, 'v.cast_at, v.user_id', {
        guild: '$1',
        wanted: 'steps.external_id',
        until: '$3',
        consumer: '$7',
      })}
    )
    SELECT place, count(*) FILTER (WHERE is_open) AS claimable FROM steps GROUP BY place`,
}));

/** The guild is known by the place. */
const COLUMNS = 'place, user_id, cast_at, external_id, is_doubled';
const OF_VOTE = 'v.user_id, v.cast_at, v.external_id, v.is_doubled';

/**
 * The votes that each user or name can claim now: by `place` of the identity, then in order. A name has a row per key in
 * `asked`. `guild`: the guild as a further column, or nothing.
 */
function openQueries(tables: ClaimTables, guild: '' | ', guild_id'): Record<OpenKind, string> {
  const { ifNamed } = tables;
  const columns = `place, ${OF_VOTE}${guild && ', v.guild_id'}`;
  const askedNames = `
    unnest($1::int[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::text[] ${ifNamed(', $7::text[]')})
      AS asked (place, guild_id, name_key, starts_after, ends_at, wanted ${ifNamed(', consumer')})`;
  const open = openFor(tables, 'asked.consumer COLLATE "C"');
  return {
    // Index votes_by_user, once per user.
    ofUsers: `
      SELECT ${columns}
      FROM unnest($1::int[], $2::text[], $3::text[], $4::bigint[], $5::bigint[] ${ifNamed(', $6::text[]')})
        AS asked (place, guild_id, user_id, starts_after, ends_at ${ifNamed(', consumer')})
      JOIN votes v ON v.guild_id = asked.guild_id COLLATE "C" AND v.user_id = asked.user_id COLLATE "C"
        AND v.cast_at > starts_after AND v.cast_at <= ends_at
      WHERE ${open} ORDER BY place, v.cast_at`,
    // Index votes_by_external_id, once per key of a name.
    ofNames: `
      SELECT ${columns} FROM ${askedNames}
      JOIN votes v ON v.guild_id = asked.guild_id COLLATE "C" AND v.name_key = asked.name_key COLLATE "C"
        AND v.cast_at > starts_after AND v.cast_at <= ends_at
        AND (wanted IS NULL OR v.external_id = wanted COLLATE "C")
      WHERE ${open} ORDER BY place, v.cast_at, v.user_id`,
    // Jumps from one claimable vote to the next, at least an hour later, so the cost depends on the length of the
    // window, not on the number of votes under the name.
    limitedByName: `
      WITH RECURSIVE steps AS (
        SELECT place, guild_id COLLATE "C" AS guild_id, ${KEYS}, wanted COLLATE "C" AS wanted,
               ${ifNamed('consumer COLLATE "C" AS consumer,')} ends_at, starts_after + 1 AS next_at, false AS is_open,
               NULL::text COLLATE "C" AS user_id, NULL::bigint AS cast_at, NULL::text COLLATE "C" AS external_id,
               false AS is_doubled
        FROM ${askedNames} GROUP BY place, guild_id, wanted, ends_at, starts_after ${ifNamed(', consumer')}
        UNION ALL
        SELECT place, steps.guild_id, name_keys, wanted, ${ifNamed('consumer,')} ends_at,
               coalesce(claim.cast_at, vote.cast_at) + ${NAME_INTERVAL_MS}, claim.cast_at IS NULL, vote.*
        FROM steps
        ${nextStep(tables, OF_VOTE, {
          guild: 'steps.guild_id',
          wanted: 'steps.wanted',
          until: 'steps.ends_at',
          consumer: 'steps.consumer',
        })}
      )
      SELECT ${COLUMNS}${guild} FROM steps WHERE is_open
      ORDER BY place, cast_at`,
  };
}

const OPEN_KINDS = ['ofUsers', 'ofNames', 'limitedByName'] as const;
type OpenKind = (typeof OPEN_KINDS)[number];

export const OPEN_QUERIES = forBoth((tables) => openQueries(tables, ''));

/** Also returns the totals of the voter at the first of these votes. */
export const OPEN_WITH_TOTALS = forBoth((tables) => {
  const { ofUsers, ofNames, limitedByName } = openQueries(tables, ', guild_id');
  return {
    ofUsers: withTotalsOfFirst(ofUsers, COLUMNS),
    ofNames: withTotalsOfFirst(ofNames, COLUMNS),
    limitedByName: withTotalsOfFirst(limitedByName, COLUMNS),
  };
});

type OpenRow = Omit<VoteRow, 'guild_id'> & { place: number };

/** The votes that a query can claim now, in order. */
export type Claimable = { votes: Vote[]; totalsOfFirst?: VoterTotals };

/** One statement for each kind of identity and table of claims. */
export async function readClaimable(
  tx: Queryable,
  queries: readonly ClaimQuery[],
  withTotals = false,
): Promise<Claimable[]> {
  const found: Claimable[] = queries.map(() => ({ votes: [] }));
  const asked = forBoth((): Record<OpenKind, Cell[][]> => ({ ofUsers: [], ofNames: [], limitedByName: [] }));
  for (const [place, query] of queries.entries()) {
    const { kind, rows } = askedOf(place, query);
    asked[scopeOf(query.consumer)][kind].push(...rows);
  }
  const reads = CLAIM_SCOPES.flatMap((scope) =>
    OPEN_KINDS.map((kind) => readOpen(tx, scope, kind, asked[scope][kind], withTotals)),
  );
  for (const { votes, days, ...row } of (await Promise.all(reads)).flat()) {
    const of = found[row.place];
    if (!of) continue;
    const vote = toVote({ ...row, guild_id: queries[row.place]?.guildId ?? '' });
    const [totals] = of.votes.length === 0 && withTotals ? planTotals([vote]).combine([{ votes, days }]) : [];
    of.votes.push(vote);
    if (totals) of.totalsOfFirst = totals;
  }
  return found;
}

/** The rows of `asked`. */
function askedOf(place: number, query: ClaimQuery): { kind: OpenKind; rows: Cell[][] } {
  const { guildId, consumer, identity, playerNames, window, oneRewardPerName } = query;
  const range = [window.after, window.until];
  const named = scopeOf(consumer) === 'named' ? [consumer] : [];
  if ('userId' in identity)
    return { kind: 'ofUsers', rows: [[place, guildId, identity.userId, ...range, ...named]] };
  const { nameKeys = [], externalId = null } = nameOf(identity, playerNames) ?? {};
  return {
    kind: isLimitedByName(identity, oneRewardPerName) ? 'limitedByName' : 'ofNames',
    rows: nameKeys.map((nameKey) => [place, guildId, nameKey, ...range, externalId, ...named]),
  };
}

async function readOpen(
  tx: Queryable,
  scope: ClaimScope,
  kind: OpenKind,
  asked: readonly Cell[][],
  withTotals: boolean,
): Promise<(OpenRow & CountedRange)[]> {
  if (asked.length === 0) return [];
  const text = (withTotals ? OPEN_WITH_TOTALS : OPEN_QUERIES)[scope][kind];
  const name = `open-${scope}-${kind}${withTotals ? '-totals' : ''}`;
  return (await tx.query<OpenRow & CountedRange>({ name, text, values: columnsOf(asked) })).rows;
}

export function createCountClaimable(database: Queryable): ClaimStore['countClaimable'] {
  return async ({
    guildId,
    consumer,
    identities,
    playerNames,
    window: { after, until },
    oneRewardPerName,
  }) => {
    const scope = scopeOf(consumer);
    const isByUser = 'userIds' in identities;
    const kind = isByUser ? 'ofUsers' : oneRewardPerName ? 'limitedByName' : 'ofNames';
    const asked = isByUser
      ? identities.userIds.map((userId, place) => [place, userId])
      : identities.externalIds.flatMap((sent, place) => {
          const { nameKeys = [], externalId = null } = nameOf({ externalId: sent }, playerNames) ?? {};
          return nameKeys.map((nameKey) => [place, nameKey, externalId]);
        });
    const counts = new Array<number>(
      isByUser ? identities.userIds.length : identities.externalIds.length,
    ).fill(0);
    if (asked.length === 0) return counts;
    const named = scope === 'named' ? [consumer] : [];
    const values = [guildId, after, until, ...columnsOf(asked), ...named];
    const statement = { name: `claimable-${scope}-${kind}`, text: CLAIMABLE_QUERIES[scope][kind], values };
    const { rows } = await database.query<{ place: number; claimable: number }>(statement);
    for (const { place, claimable } of rows) counts[place] = claimable;
    return counts;
  };
}
