import { setImmediate as yieldToRequests } from 'node:timers/promises';
import { NAME_INTERVAL_MS } from '../../../domain/votes/vote.ts';
import { type ClaimStore, namesOf } from '../../claims.ts';
import type { Connection } from '../connection.ts';

/**
 * If fifty players voted every hour of a month, counting takes half a second on a slow machine. After this many, other
 * requests run.
 */
const IDENTITIES_AT_ONCE = 10;

const OPEN = `
  NOT EXISTS (SELECT 1 FROM vote_claims c
    WHERE c.guild_id = v.guild_id AND c.cast_at = v.cast_at AND c.user_id = v.user_id)`;

/**
 * How many votes of each user or name can be claimed. One row per identity; `place` is its index in the JSON list.
 * Each claim is looked up by the primary key of vote_claims.
 */
export const CLAIMABLE_QUERIES = {
  // Index votes_by_user, once per user.
  ofUsers: `
    SELECT asked.key AS place, (
      SELECT count(*) FROM votes v INDEXED BY votes_by_user
      WHERE v.guild_id = @guildId AND v.user_id = asked.value AND v.cast_at > @after AND v.cast_at <= @until AND ${OPEN}
    ) AS claimable
    FROM json_each(@identities) AS asked`,
  // Index votes_by_external_id, once per name.
  ofNames: `
    SELECT asked.key AS place, (
      SELECT count(*) FROM votes v INDEXED BY votes_by_external_id
      WHERE v.guild_id = @guildId AND v.name_key = asked.value ->> 'nameKey'
        AND v.cast_at > @after AND v.cast_at <= @until AND v.external_id = asked.value ->> 'externalId' AND ${OPEN}
    ) AS claimable
    FROM json_each(@identities) AS asked`,
  // Indexes votes_by_external_id and vote_claims_by_name. Jumps from one claimable vote of a name to the next, like a
  // claim: the cost depends on the length of the window, not on the number of votes.
  limitedByName: `
    SELECT asked.key AS place, (
      WITH RECURSIVE steps (name_key, external_id, vote_at, claim_at) AS (
        SELECT asked.value ->> 'nameKey', asked.value ->> 'externalId', NULL, @after + 1 - ${NAME_INTERVAL_MS}
        UNION ALL
        SELECT steps.name_key, steps.external_id, v.cast_at, (
          SELECT c.cast_at FROM vote_claims c INDEXED BY vote_claims_by_name
          WHERE c.guild_id = @guildId AND c.name_key = steps.name_key AND c.external_id = steps.external_id
            AND c.cast_at > v.cast_at - ${NAME_INTERVAL_MS} AND c.cast_at < v.cast_at + ${NAME_INTERVAL_MS}
          ORDER BY c.cast_at DESC LIMIT 1
        )
        FROM steps CROSS JOIN votes v INDEXED BY votes_by_external_id
          ON v.guild_id = @guildId AND v.name_key = steps.name_key AND (v.cast_at, v.user_id) = (
            SELECT f.cast_at, f.user_id FROM votes f INDEXED BY votes_by_external_id
            WHERE f.guild_id = @guildId AND f.name_key = steps.name_key AND f.external_id = steps.external_id
              AND f.cast_at >= coalesce(steps.claim_at, steps.vote_at) + ${NAME_INTERVAL_MS} AND f.cast_at <= @until
            ORDER BY f.cast_at, f.user_id LIMIT 1
          )
      )
      SELECT count(*) FROM steps WHERE claim_at IS NULL
    ) AS claimable
    FROM json_each(@identities) AS asked`,
} as const;

type Asked = { guildId: string; identities: string; after: number; until: number };

export function createCountClaimable(db: Connection): ClaimStore['countClaimable'] {
  const prepare = (text: string) => db.prepare<[Asked], { place: number; claimable: number }>(text);
  const ofUsers = prepare(CLAIMABLE_QUERIES.ofUsers);
  const ofNames = prepare(CLAIMABLE_QUERIES.ofNames);
  const limitedByName = prepare(CLAIMABLE_QUERIES.limitedByName);

  return async ({ guildId, identities, window, oneRewardPerName }) => {
    const isByUser = 'userIds' in identities;
    const asked = isByUser ? identities.userIds : namesOf(identities).map((name) => name ?? null);
    const query = isByUser ? ofUsers : oneRewardPerName ? limitedByName : ofNames;
    const counts: number[] = asked.map(() => 0);
    for (let start = 0; start < asked.length; start += IDENTITIES_AT_ONCE) {
      if (start > 0) await yieldToRequests();
      const group = JSON.stringify(asked.slice(start, start + IDENTITIES_AT_ONCE));
      for (const { place, claimable } of query.all({ guildId, identities: group, ...window }))
        counts[start + place] = claimable;
    }
    return counts;
  };
}
