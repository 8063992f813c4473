import type { Instant } from '../../domain/clock.ts';
import { type ClaimedReminderRow, type ReminderStore, toClaimedReminder } from '../reminders.ts';
import type { Connections } from './connection.ts';

export function createReminderClaim(database: Connections): ReminderStore['claim'] {
  const { reader, writer } = database;
  // Index reminders_due.
  const anyDue = reader.prepare<[Instant], { one: number }>(
    'SELECT 1 AS one FROM reminders INDEXED BY reminders_due WHERE next_attempt_at <= ? LIMIT 1',
  );
  // Index reminders_due, then the primary key of guilds.
  const due = writer.prepare<[Instant, number], ClaimedReminderRow>(
    `SELECT r.guild_id, r.user_id, r.locale, r.active_at, r.next_attempt_at, r.may_be_sent, g.name, g.sanctioned_at
     FROM reminders r INDEXED BY reminders_due JOIN guilds g ON g.guild_id = r.guild_id
     WHERE r.next_attempt_at <= ? ORDER BY r.next_attempt_at LIMIT ? + 0`,
  );
  const claim = writer.prepare(
    'UPDATE reminders SET next_attempt_at = ?, may_be_sent = 1 WHERE guild_id = ? AND user_id = ?',
  );
  return async ({ now, until, limit }) => {
    // Searched without the write lock, because usually nothing is due.
    if (!anyDue.get(now)) return [];
    return database.write(() => {
      const claimed = due.all(now, limit);
      for (const { guild_id, user_id } of claimed) claim.run(until, guild_id, user_id);
      return claimed.map((row) => toClaimedReminder(row, until));
    });
  };
}
