import type { Instant } from '../../../domain/clock.ts';
import { firstEventIdAt } from '../../../domain/webhooks/event.ts';
import { lastEventIdAt, mayRepeat, replayInBatches } from '../../webhooks/events.ts';
import {
  type AttemptKey,
  type AttemptRecordRow,
  type DeliveryRow,
  type EventTime,
  toAttemptRecord,
  toDeliveryRecord,
} from '../../webhooks/rows.ts';
import type { WebhookHistoryStore } from '../../webhooks/store.ts';
import type { Connection, Connections } from '../connection.ts';

export function createWebhookHistory(database: Connections): WebhookHistoryStore {
  const sql = prepare(database);
  return {
    replay(request) {
      const { guildId, endpointId, now } = request;
      const repeats = mayRepeat(request) ? 1 : 0;
      return replayInBatches(request, {
        find: async ({ first, last }, limit) => sql.events.all(guildId, first, last, limit),
        queue: ({ first, last }) =>
          database.write(
            () => sql.replay.run(now, guildId, first, last, endpointId, endpointId, repeats).changes,
          ),
      });
    },
    async deliveries(guildId, now, limit) {
      return sql.deliveries.all(guildId, lastEventIdAt(now), limit).map(toDeliveryRecord);
    },
    async attempts(guildId, eventId) {
      return sql.attempts.all(guildId, eventId).map(toAttemptRecord);
    },
    async pruneAttempts({ after, keep, limit }) {
      const guildId = sql.nextGuild.get(after)?.guild_id;
      if (guildId == null) return undefined;
      const last = sql.lastKept.get(guildId, keep - 1);
      if (!last) return { guildId, dropped: 0 };
      const { event_id, endpoint_id, number } = last;
      const values = [guildId, event_id, endpoint_id, number, limit];
      return { guildId, dropped: await database.write(() => sql.dropAttempts.run(...values).changes) };
    },
    prune: (before, limit) => database.write(() => sql.prune.run(firstEventIdAt(before), limit).changes),
  };
}

// All of these use primary keys: event ids start with their time.
function prepare({ reader, writer }: { reader: Connection; writer: Connection }) {
  return {
    events: reader.prepare<[string, string, string, number], EventTime>(
      `SELECT event_id, occurs_at FROM webhook_events
       WHERE guild_id = ? AND event_id >= ? AND event_id <= ? ORDER BY event_id LIMIT ? + 0`,
    ),
    replay: writer.prepare(
      `INSERT INTO webhook_deliveries (guild_id, event_id, endpoint_id, state, next_attempt_at)
       SELECT v.guild_id, v.event_id, e.endpoint_id, 'pending', max(v.occurs_at, ?)
       FROM webhook_events v
       JOIN webhook_endpoints e ON e.guild_id = v.guild_id AND e.disabled_at IS NULL
         AND instr(',' || e.events || ',', ',' || v.type || ',') > 0
       LEFT JOIN webhook_deliveries old
         ON old.guild_id = v.guild_id AND old.event_id = v.event_id AND old.endpoint_id = e.endpoint_id
       WHERE v.guild_id = ? AND v.event_id >= ? AND v.event_id <= ? AND v.is_test = 0 AND (? IS NULL OR e.endpoint_id = ?)
         AND (? OR e.kind = 'https' OR coalesce(old.state NOT IN ('delivered', 'uncertain'), TRUE))
       ON CONFLICT (guild_id, event_id, endpoint_id) DO UPDATE
       SET state = 'pending', tries = 0, next_attempt_at = excluded.next_attempt_at, claimed_until = NULL
       WHERE (
         webhook_deliveries.state <> 'pending'
         AND coalesce(webhook_deliveries.claimed_until <= excluded.next_attempt_at, TRUE)
       ) OR (
         webhook_deliveries.claimed_until IS NULL
         AND webhook_deliveries.next_attempt_at > excluded.next_attempt_at
       )`,
    ),
    deliveries: reader.prepare<[string, string, number], DeliveryRow>(
      `SELECT d.guild_id, d.event_id, d.endpoint_id, d.state, d.attempts, d.next_attempt_at, v.type, v.is_test, v.occurs_at,
              e.kind, e.url, a.at, a.status, a.duration_ms, a.answer, a.error
       FROM webhook_deliveries d
       JOIN webhook_events v ON v.guild_id = d.guild_id AND v.event_id = d.event_id
       LEFT JOIN webhook_endpoints e ON e.guild_id = d.guild_id AND e.endpoint_id = d.endpoint_id
       LEFT JOIN webhook_attempts a ON a.guild_id = d.guild_id AND a.event_id = d.event_id
         AND a.endpoint_id = d.endpoint_id AND a.number = d.attempts
       WHERE d.guild_id = ? AND d.event_id <= ?
       ORDER BY d.event_id DESC, d.endpoint_id LIMIT ? + 0`,
    ),
    attempts: reader.prepare<[string, string], AttemptRecordRow>(
      `SELECT endpoint_id, at, status, duration_ms, answer, error FROM webhook_attempts
       WHERE guild_id = ? AND event_id = ? ORDER BY endpoint_id, number`,
    ),
    nextGuild: reader.prepare<[string], { guild_id: string | null }>(
      'SELECT min(guild_id) AS guild_id FROM webhook_attempts WHERE guild_id > ?',
    ),
    lastKept: reader.prepare<[string, number], AttemptKey>(
      `SELECT event_id, endpoint_id, number FROM webhook_attempts WHERE guild_id = ?
       ORDER BY event_id DESC, endpoint_id DESC, number DESC LIMIT 1 OFFSET ?`,
    ),
    dropAttempts: writer.prepare(
      `DELETE FROM webhook_attempts WHERE (guild_id, event_id, endpoint_id, number) IN (
         SELECT guild_id, event_id, endpoint_id, number FROM webhook_attempts
         WHERE guild_id = ? AND (event_id, endpoint_id, number) < (?, ?, ?)
         ORDER BY event_id, endpoint_id, number LIMIT ? + 0
       )`,
    ),
    prune: writer.prepare<[string, Instant]>(
      `DELETE FROM webhook_events WHERE (guild_id, event_id) IN (
         SELECT v.guild_id, v.event_id
         FROM guilds g JOIN webhook_events v ON v.guild_id = g.guild_id AND v.event_id < ? LIMIT ? + 0
       )`,
    ),
  };
}
