import { type ClaimedReminderRow, type ReminderStore, toClaimedReminder } from '../reminders.ts';
import type { Queryable } from './connection/connection.ts';

/** Index reminders_due; reminders that another worker is claiming are skipped. */
const CLAIM = `
  WITH due AS MATERIALIZED (
    SELECT guild_id, user_id, locale, active_at, next_attempt_at, may_be_sent FROM reminders
    WHERE next_attempt_at <= $1 ORDER BY next_attempt_at LIMIT $3 FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE reminders r SET next_attempt_at = $2, may_be_sent = TRUE FROM due
    WHERE r.guild_id = due.guild_id AND r.user_id = due.user_id
  )
  SELECT due.*, g.name, g.sanctioned_at FROM due JOIN guilds g ON g.guild_id = due.guild_id
  ORDER BY due.next_attempt_at`;

export function createReminderClaim(database: Queryable): ReminderStore['claim'] {
  return async ({ now, until, limit }) => {
    const statement = { name: 'reminders-claim', text: CLAIM, values: [now, until, limit] };
    const { rows } = await database.query<ClaimedReminderRow>(statement);
    return rows.map((row) => toClaimedReminder(row, until));
  };
}
