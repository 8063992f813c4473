import type { Instant } from '../../../domain/clock.ts';
import { columnsOf } from '../columns.ts';
import type { Queryable } from '../connection/connection.ts';

/** A user whose votes have changed. */
export type RoleCheck = { guildId: string; userId: string; at: Instant };

/**
 * The primary keys. Locks come last of all in the order of guilds, then in the order of users; each part reads the
 * previous one, which sets that order. The row of a guild is locked first, so that its role cannot change.
 */
export const MARK_ROLE_CHECKS = `
  WITH asked AS MATERIALIZED (
    SELECT guild_id COLLATE "C" AS guild_id, user_id COLLATE "C" AS user_id, max(at) AS at
    FROM unnest($1::text[], $2::text[], $3::bigint[]) AS asked (guild_id, user_id, at) GROUP BY 1, 2
  ), locked AS MATERIALIZED (
    SELECT guild_id FROM voter_roles
    WHERE guild_id IN (SELECT guild_id FROM asked) AND role_id IS NOT NULL ORDER BY guild_id FOR NO KEY UPDATE
  ), due AS (
    UPDATE voter_roles SET due_at = least(due_at, (
      SELECT min(at) FROM asked WHERE asked.guild_id = voter_roles.guild_id
    )) FROM locked WHERE voter_roles.guild_id = locked.guild_id RETURNING voter_roles.guild_id, role_id
  )
  INSERT INTO voter_role_members AS members (guild_id, user_id, role_id, state, check_at)
  SELECT guild_id, user_id, role_id, 'none', at FROM asked JOIN due USING (guild_id) ORDER BY guild_id, user_id
  ON CONFLICT (guild_id, user_id, role_id)
  DO UPDATE SET check_at = excluded.check_at, version = members.version + 1`;

/**
 * Makes voters due to be checked for the voter role of their guild, in the transaction that changes their votes. Does
 * nothing for guilds without one.
 */
export async function markRoleChecks(tx: Queryable, checks: readonly RoleCheck[]): Promise<void> {
  if (checks.length === 0) return;
  const values = columnsOf(checks.map(({ guildId, userId, at }) => [guildId, userId, at]));
  await tx.query({ name: 'mark-role-checks', text: MARK_ROLE_CHECKS, values });
}
