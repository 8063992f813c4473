import { isLimitedByName, NAME_INTERVAL_MS, type Vote } from '../../../domain/votes/vote.ts';
import { type ClaimQuery, type ClaimStore, nameOf, namesOf } from '../../claims.ts';
import { toVote, type VoteRow } from '../../votes.ts';
import { columnsOf } from '../columns.ts';
import type { Queryable } from '../connection/connection.ts';

/** A subquery with a limit looks up each claim by its key, as for one identity. */
const OPEN = `(
  SELECT claimed_at FROM vote_claims c
  WHERE c.guild_id = v.guild_id AND c.cast_at = v.cast_at AND c.user_id = v.user_id LIMIT 1) IS NULL`;

/** How many votes of each user or name can be claimed. One row per identity, in order. */
export const CLAIMABLE_QUERIES = {
  // Index votes_by_user, once per user.
  ofUsers: `
    SELECT found.claimable FROM unnest($4::text[]) WITH ORDINALITY AS asked (user_id, place)
    CROSS JOIN LATERAL (
      SELECT count(*) AS claimable FROM votes v
      WHERE v.guild_id = $1 AND v.user_id = asked.user_id COLLATE "C" AND v.cast_at > $2 AND v.cast_at <= $3 AND ${OPEN}
    ) AS found ORDER BY place`,
  // Index votes_by_external_id, once per name.
  ofNames: `
    SELECT found.claimable
    FROM unnest($4::text[], $5::text[]) WITH ORDINALITY AS asked (name_key, external_id, place)
    CROSS JOIN LATERAL (
      SELECT count(*) AS claimable FROM votes v
      WHERE v.guild_id = $1 AND v.name_key = asked.name_key COLLATE "C" AND v.cast_at > $2 AND v.cast_at <= $3
        AND v.external_id = asked.external_id COLLATE "C" AND ${OPEN}
    ) AS found ORDER BY place`,
  // Indexes votes_by_external_id and vote_claims_by_name. Jumps from one claimable vote of a name to the next, like a
  // claim: the cost depends on the length of the window, not on the number of votes.
  limitedByName: `
    WITH RECURSIVE steps AS (
      SELECT place, name_key COLLATE "C" AS name_key, external_id COLLATE "C" AS external_id,
             $2::bigint + 1 AS next_at, false AS is_open
      FROM unnest($4::text[], $5::text[]) WITH ORDINALITY AS asked (name_key, external_id, place)
      UNION ALL
      SELECT place, name_key, external_id,
             coalesce(claim.cast_at, vote.cast_at) + ${NAME_INTERVAL_MS}, claim.cast_at IS NULL
      FROM steps
      CROSS JOIN LATERAL (
        SELECT v.cast_at FROM votes v
        WHERE v.guild_id = $1 AND v.name_key = steps.name_key AND v.external_id = steps.external_id
          AND v.cast_at >= steps.next_at AND v.cast_at <= $3
        ORDER BY v.cast_at LIMIT 1
      ) AS vote
      LEFT JOIN LATERAL (
        SELECT c.cast_at FROM vote_claims c
        WHERE c.guild_id = $1 AND c.name_key = steps.name_key AND c.external_id = steps.external_id
          AND c.cast_at > vote.cast_at - ${NAME_INTERVAL_MS} AND c.cast_at < vote.cast_at + ${NAME_INTERVAL_MS}
        ORDER BY c.cast_at DESC LIMIT 1
      ) AS claim ON true
    )
    SELECT count(*) FILTER (WHERE is_open) AS claimable FROM steps GROUP BY place ORDER BY place`,
} as const;

const ASKED_NAMES = `
  unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[]) WITH ORDINALITY
    AS asked (guild_id, name_key, starts_after, ends_at, wanted, place)`;
const COLUMNS = 'v.guild_id, v.user_id, v.cast_at, v.external_id, v.is_doubled';

/** The votes that each user or name can claim now: by `place` of the identity, then in order. */
export const OPEN_QUERIES = {
  // Index votes_by_user, once per user.
  ofUsers: `
    SELECT place, ${COLUMNS}
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) WITH ORDINALITY
      AS asked (guild_id, user_id, starts_after, ends_at, place)
    JOIN votes v ON v.guild_id = asked.guild_id COLLATE "C" AND v.user_id = asked.user_id COLLATE "C"
      AND v.cast_at > starts_after AND v.cast_at <= ends_at
    WHERE ${OPEN} ORDER BY place, v.cast_at`,
  // Index votes_by_external_id, once per name.
  ofNames: `
    SELECT place, ${COLUMNS} FROM ${ASKED_NAMES}
    JOIN votes v ON v.guild_id = asked.guild_id COLLATE "C" AND v.name_key = asked.name_key COLLATE "C"
      AND v.cast_at > starts_after AND v.cast_at <= ends_at
      AND (wanted IS NULL OR v.external_id = wanted COLLATE "C")
    WHERE ${OPEN} ORDER BY place, v.cast_at, v.user_id`,
  // Jumps from one claimable vote to the next, at least an hour later, so the cost depends on the length of the
  // window, not on the number of votes under the name. Indexes votes_by_external_id and vote_claims_by_name.
  limitedByName: `
    WITH RECURSIVE steps AS (
      SELECT place, guild_id COLLATE "C" AS guild_id, name_key COLLATE "C" AS name_key, wanted COLLATE "C" AS wanted,
             ends_at, starts_after + 1 AS next_at, false AS is_open, NULL::text COLLATE "C" AS user_id,
             NULL::bigint AS cast_at, NULL::text COLLATE "C" AS external_id, false AS is_doubled
      FROM ${ASKED_NAMES}
      UNION ALL
      SELECT place, steps.guild_id, steps.name_key, wanted, ends_at,
             coalesce(claim.cast_at, vote.cast_at) + ${NAME_INTERVAL_MS}, claim.cast_at IS NULL, vote.*
      FROM steps
      CROSS JOIN LATERAL (
        SELECT v.user_id, v.cast_at, v.external_id, v.is_doubled FROM votes v
        WHERE v.guild_id = steps.guild_id AND v.name_key = steps.name_key AND v.cast_at >= next_at
          AND v.cast_at <= ends_at AND (wanted IS NULL OR v.external_id = wanted)
        ORDER BY v.cast_at, v.user_id LIMIT 1
      ) AS vote
      LEFT JOIN LATERAL (
        SELECT c.cast_at FROM vote_claims c
        WHERE c.guild_id = steps.guild_id AND c.name_key = steps.name_key
          AND c.cast_at > vote.cast_at - ${NAME_INTERVAL_MS} AND c.cast_at < vote.cast_at + ${NAME_INTERVAL_MS}
          AND (wanted IS NULL OR c.external_id = wanted)
        ORDER BY c.cast_at DESC LIMIT 1
      ) AS claim ON true
    )
    SELECT place, guild_id, user_id, cast_at, external_id, is_doubled FROM steps WHERE is_open ORDER BY place, cast_at`,
} as const;

type OpenKind = keyof typeof OPEN_QUERIES;

/** The votes that each query can claim now, in order: one statement for each kind of identity. */
export async function readClaimable(tx: Queryable, queries: readonly ClaimQuery[]): Promise<Vote[][]> {
  const found: Vote[][] = queries.map(() => []);
  const kinds: Record<OpenKind, { place: number; values: unknown[] }[]> = {
    ofUsers: [],
    ofNames: [],
    limitedByName: [],
  };
  for (const [place, { guildId, identity, window, oneRewardPerName }] of queries.entries()) {
    const range = [window.after, window.until];
    const name = 'userId' in identity ? undefined : nameOf(identity);
    if ('userId' in identity) kinds.ofUsers.push({ place, values: [guildId, identity.userId, ...range] });
    else if (name)
      kinds[isLimitedByName(identity, oneRewardPerName) ? 'limitedByName' : 'ofNames'].push({
        place,
        values: [guildId, name.nameKey, ...range, name.externalId],
      });
  }
  for (const kind of ['ofUsers', 'ofNames', 'limitedByName'] as const) {
    const asked = kinds[kind];
    if (asked.length === 0) continue;
    const values = columnsOf(asked.map((one) => one.values));
    const statement = { name: `open-${kind}`, text: OPEN_QUERIES[kind], values };
    for (const row of (await tx.query<VoteRow & { place: number }>(statement)).rows)
      found[asked[row.place - 1]?.place ?? 0]?.push(toVote(row));
  }
  return found;
}

export function createCountClaimable(database: Queryable): ClaimStore['countClaimable'] {
  async function count(name: keyof typeof CLAIMABLE_QUERIES, ...values: unknown[]): Promise<number[]> {
    const statement = { name: `claimable-${name}`, text: CLAIMABLE_QUERIES[name], values };
    return (await database.query<{ claimable: number }>(statement)).rows.map(({ claimable }) => claimable);
  }

  return ({ guildId, identities, window: { after, until }, oneRewardPerName }) => {
    if ('userIds' in identities) return count('ofUsers', guildId, after, until, identities.userIds);
    const names = namesOf(identities);
    const keys = names.map((name) => name?.nameKey ?? null);
    const externalIds = names.map((name) => name?.externalId ?? null);
    return count(oneRewardPerName ? 'limitedByName' : 'ofNames', guildId, after, until, keys, externalIds);
  };
}
