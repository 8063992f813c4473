import type { Instant } from '../../../domain/clock.ts';
import type { Connection } from '../connection.ts';

/**
 * Makes voters due to be checked for the voter role of their guild, in the transaction that changes their votes. Guilds
 * without a voter role cost a search by primary key.
 */
export function createRoleCheck(
  db: Connection,
): (guildId: string, userIds: Iterable<string>, at: Instant) => void {
  // The primary key.
  const markGuild = db.prepare<[Instant, Instant, string], { role_id: string }>(
    `UPDATE voter_roles SET due_at = min(coalesce(due_at, ?), ?) WHERE guild_id = ? AND role_id IS NOT NULL
     RETURNING role_id`,
  );
  const markMember = db.prepare<[string, string, string, Instant]>(
    `INSERT INTO voter_role_members (guild_id, user_id, role_id, state, check_at) VALUES (?, ?, ?, 'none', ?)
     ON CONFLICT (guild_id, user_id, role_id) DO UPDATE SET check_at = excluded.check_at, version = version + 1`,
  );
  return (guildId, userIds, at) => {
    const roleId = markGuild.get(at, at, guildId)?.role_id;
    if (roleId === undefined) return;
    for (const userId of userIds) markMember.run(guildId, userId, roleId, at);
  };
}
