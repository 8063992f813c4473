import { isStorableExternalId } from '../../domain/identifiers.ts';
import { foldExternalId } from '../../domain/votes/claim.ts';
import type { RecentVote } from '../../domain/votes/cooldown.ts';
import type { VoteStore } from '../store.ts';
import type { Queryable } from './connection.ts';

function latest(condition: string): string {
  return `
    LEFT JOIN LATERAL (
      SELECT cast_at, is_doubled FROM votes
      WHERE guild_id = $1 AND ${condition} AND cast_at > $3 AND cast_at <= $4
      ORDER BY cast_at DESC, user_id DESC LIMIT 1
    ) AS vote ON true
    ORDER BY position`;
}

/** A row for each id, in order. The same indexes as for one, once for each id. */
export const MANY_QUERIES = {
  userId: `
    SELECT cast_at, is_doubled FROM unnest($2::text[]) WITH ORDINALITY AS asked (id, position)
    ${latest('user_id = asked.id')}`,
  externalId: `
    SELECT cast_at, is_doubled FROM unnest($2::text[], $5::text[]) WITH ORDINALITY AS asked (id, name_key, position)
    ${latest('votes.name_key = asked.name_key AND external_id = asked.id')}`,
} as const;

type Row = { cast_at: number | null; is_doubled: boolean | null };

export function createLatestOfMany(database: Queryable): VoteStore['latestOfMany'] {
  return async (guildId, kind, ids, { after, until }) => {
    // Text that no vote can carry is not sent: PostgreSQL refuses some of it. No row equals null.
    const asked = kind === 'userId' ? ids : ids.map((id) => (isStorableExternalId(id) ? id : null));
    const values: unknown[] = [guildId, asked, after, until];
    if (kind === 'externalId') values.push(asked.map((id) => id && foldExternalId(id)));
    const statement = { name: `latest-of-many-${kind}`, text: MANY_QUERIES[kind], values };
    return (await database.query<Row>(statement)).rows.map(toRecentVote);
  };
}

function toRecentVote({ cast_at, is_doubled }: Row): RecentVote | undefined {
  return cast_at === null ? undefined : { castAt: cast_at, isDoubled: is_doubled === true };
}
