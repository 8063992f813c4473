import { setImmediate as yieldToRequests } from 'node:timers/promises';
import { NAME_INTERVAL_MS } from '../../../domain/votes/vote.ts';
import { type ClaimTables, forBoth, scopeOf } from '../../claims/claim-tables.ts';
import { type ClaimableQuery, type ClaimStore, nameOf } from '../../claims/claims.ts';
import type { Connection } from '../connection.ts';
import type { createClaimReader } from './claim-reader.ts';

/**
 * If fifty players voted every hour of a month, counting takes half a second on a slow machine. After this many, other
 * requests run.
 */
const IDENTITIES_AT_ONCE = 10;

/**
 * How many votes of each user or name can be claimed. One row per identity; `place` is its index in the JSON list.
 * Each claim is looked up by the primary key of its table.
 */
export const CLAIMABLE_QUERIES = forBoth(({ claims, byName, ifNamed }: ClaimTables) => {
  const open = `
    NOT EXISTS (SELECT 1 FROM ${claims} c
      WHERE c.guild_id = v.guild_id AND c.cast_at = v.cast_at AND c.user_id = v.user_id
        ${ifNamed('AND c.consumer = @consumer')})`;
  return {
    // Index votes_by_user, once per user.
    ofUsers: `
      SELECT asked.key AS place, (
        SELECT count(*) FROM votes v INDEXED BY votes_by_user
        WHERE v.guild_id = @guildId AND v.user_id = asked.value AND v.cast_at > @after AND v.cast_at <= @until
          AND ${open}
      ) AS claimable
      FROM json_each(@identities) AS asked`,
    // Index votes_by_external_id, once per name.
    ofNames: `
      SELECT asked.key AS place, (
        SELECT count(*) FROM votes v INDEXED BY votes_by_external_id
        WHERE v.guild_id = @guildId AND v.name_key = asked.value ->> 'nameKey'
          AND v.cast_at > @after AND v.cast_at <= @until
          AND (asked.value ->> 'externalId' IS NULL OR v.external_id = asked.value ->> 'externalId') AND ${open}
      ) AS claimable
      FROM json_each(@identities) AS asked`,
    // The indexes of votes and claims by name. Jumps from one claimable vote of a name to the next, like a claim: the
    // cost depends on the length of the window, not on the number of votes.
    limitedByName: `
      SELECT asked.key AS place, (
        WITH RECURSIVE steps (name_key, external_id, vote_at, claim_at) AS (
          SELECT asked.value ->> 'nameKey', asked.value ->> 'externalId', NULL, @after + 1 - ${NAME_INTERVAL_MS}
          UNION ALL
          SELECT steps.name_key, steps.external_id, v.cast_at, (
            SELECT c.cast_at FROM ${claims} c INDEXED BY ${byName}
            WHERE c.guild_id = @guildId ${ifNamed('AND c.consumer = @consumer')} AND c.name_key = steps.name_key
              AND (steps.external_id IS NULL OR c.external_id = steps.external_id)
              AND c.cast_at > v.cast_at - ${NAME_INTERVAL_MS} AND c.cast_at < v.cast_at + ${NAME_INTERVAL_MS}
            ORDER BY c.cast_at DESC LIMIT 1
          )
          FROM steps CROSS JOIN votes v INDEXED BY votes_by_external_id
            ON v.guild_id = @guildId AND v.name_key = steps.name_key AND (v.cast_at, v.user_id) = (
              SELECT f.cast_at, f.user_id FROM votes f INDEXED BY votes_by_external_id
              WHERE f.guild_id = @guildId AND f.name_key = steps.name_key
                AND (steps.external_id IS NULL OR f.external_id = steps.external_id)
                AND f.cast_at >= coalesce(steps.claim_at, steps.vote_at) + ${NAME_INTERVAL_MS} AND f.cast_at <= @until
              ORDER BY f.cast_at, f.user_id LIMIT 1
            )
        )
        SELECT count(*) FROM steps WHERE claim_at IS NULL
      ) AS claimable
      FROM json_each(@identities) AS asked`,
  };
});

type Asked = { guildId: string; consumer: string; identities: string; after: number; until: number };

export function createCountClaimable(
  db: Connection,
  reader: ReturnType<typeof createClaimReader>,
): ClaimStore['countClaimable'] {
  const both = forBoth((_, scope) => {
    const prepare = (name: keyof (typeof CLAIMABLE_QUERIES)['default']) =>
      db.prepare<[Asked], { place: number; claimable: number }>(CLAIMABLE_QUERIES[scope][name]);
    return {
      ofUsers: prepare('ofUsers'),
      ofNames: prepare('ofNames'),
      limitedByName: prepare('limitedByName'),
    };
  });

  /** For identities that are found under one key each. */
  async function countTogether(query: ClaimableQuery): Promise<number[]> {
    const { guildId, consumer, identities, window, playerNames, oneRewardPerName } = query;
    const isByUser = 'userIds' in identities;
    const asked = isByUser
      ? identities.userIds
      : identities.externalIds.map((externalId) => {
          const name = nameOf({ externalId }, playerNames);
          return name ? { nameKey: name.nameKeys[0], externalId: name.externalId } : null;
        });
    const sql = both[scopeOf(consumer)];
    const count = isByUser ? sql.ofUsers : oneRewardPerName ? sql.limitedByName : sql.ofNames;
    const counts: number[] = asked.map(() => 0);
    for (let start = 0; start < asked.length; start += IDENTITIES_AT_ONCE) {
      if (start > 0) await yieldToRequests();
      const group = JSON.stringify(asked.slice(start, start + IDENTITIES_AT_ONCE));
      for (const { place, claimable } of count.all({ guildId, consumer, identities: group, ...window }))
        counts[start + place] = claimable;
    }
    return counts;
  }

  /** For names that are found under several keys. */
  async function countEach(
    { identities: _, ...query }: ClaimableQuery,
    names: readonly string[],
  ): Promise<number[]> {
    const counts: number[] = [];
    for (const externalId of names) {
      if (counts.length > 0) await yieldToRequests();
      counts.push(reader.claimable({ ...query, identity: { externalId } }).length);
    }
    return counts;
  }

  return (query) =>
    'externalIds' in query.identities && query.playerNames === 'minecraft'
      ? countEach(query, query.identities.externalIds)
      : countTogether(query);
}
