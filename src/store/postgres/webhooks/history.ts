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
import type { Queryable } from '../connection/connection.ts';

// All of these use primary keys: event ids start with their time.
const SQL = {
  events: `
    SELECT event_id, occurs_at FROM webhook_events
    WHERE guild_id = $1 AND event_id >= $2 AND event_id <= $3 ORDER BY event_id LIMIT $4`,
  replay: `
    INSERT INTO webhook_deliveries (guild_id, event_id, endpoint_id, state, next_attempt_at)
    SELECT v.guild_id, v.event_id, e.endpoint_id, 'pending', greatest(v.occurs_at, $5)
    FROM webhook_events v
    JOIN webhook_endpoints e ON e.guild_id = v.guild_id AND e.disabled_at IS NULL
      AND v.type = ANY (string_to_array(e.events, ','))
    LEFT JOIN webhook_deliveries old
      ON old.guild_id = v.guild_id AND old.event_id = v.event_id AND old.endpoint_id = e.endpoint_id
    WHERE v.guild_id = $1 AND v.event_id >= $2 AND v.event_id <= $3 AND NOT v.is_test AND ($4::text IS NULL OR e.endpoint_id = $4)
      AND ($6 OR e.kind = 'https' OR coalesce(old.state NOT IN ('delivered', 'uncertain'), TRUE))
    ON CONFLICT (guild_id, event_id, endpoint_id) DO UPDATE
    SET state = 'pending', tries = 0, next_attempt_at = excluded.next_attempt_at, claimed_until = NULL
    WHERE (
      webhook_deliveries.state <> 'pending'
      AND coalesce(webhook_deliveries.claimed_until <= excluded.next_attempt_at, TRUE)
    ) OR (
      webhook_deliveries.claimed_until IS NULL
      AND webhook_deliveries.next_attempt_at > excluded.next_attempt_at
    )`,
  deliveries: `
    SELECT d.guild_id, d.event_id, d.endpoint_id, d.state, d.attempts, d.next_attempt_at, v.type, v.is_test, v.occurs_at,
           e.kind, e.url, a.at, a.status, a.duration_ms, a.answer, a.error
    FROM webhook_deliveries d
    JOIN webhook_events v ON v.guild_id = d.guild_id AND v.event_id = d.event_id
    LEFT JOIN webhook_endpoints e ON e.guild_id = d.guild_id AND e.endpoint_id = d.endpoint_id
    LEFT JOIN webhook_attempts a ON a.guild_id = d.guild_id AND a.event_id = d.event_id
      AND a.endpoint_id = d.endpoint_id AND a.number = d.attempts
    WHERE d.guild_id = $1 AND d.event_id <= $2
    ORDER BY d.event_id DESC, d.endpoint_id LIMIT $3`,
  attempts: `
    SELECT endpoint_id, at, status, duration_ms, answer, error FROM webhook_attempts
    WHERE guild_id = $1 AND event_id = $2 ORDER BY endpoint_id, number`,
  nextGuild: 'SELECT min(guild_id) AS guild_id FROM webhook_attempts WHERE guild_id > $1',
  lastKept: `
    SELECT event_id, endpoint_id, number FROM webhook_attempts WHERE guild_id = $1
    ORDER BY event_id DESC, endpoint_id DESC, number DESC LIMIT 1 OFFSET $2`,
  dropAttempts: `
    DELETE FROM webhook_attempts WHERE (guild_id, event_id, endpoint_id, number) IN (
      SELECT guild_id, event_id, endpoint_id, number FROM webhook_attempts
      WHERE guild_id = $1 AND (event_id, endpoint_id, number) < ($2, $3, $4)
      ORDER BY event_id, endpoint_id, number LIMIT $5 FOR UPDATE SKIP LOCKED
    )`,
  // Rows that another process is deleting are skipped.
  prune: `
    DELETE FROM webhook_events WHERE (guild_id, event_id) IN (
      SELECT v.guild_id, v.event_id
      FROM guilds g JOIN webhook_events v ON v.guild_id = g.guild_id AND v.event_id < $1
      LIMIT $2 FOR UPDATE OF v SKIP LOCKED
    )`,
} as const;

export function createWebhookHistory(database: Queryable): WebhookHistoryStore {
  return {
    replay(request) {
      const { guildId, endpointId, now } = request;
      return replayInBatches(request, {
        async find({ first, last }, limit) {
          const values = [guildId, first, last, limit];
          const { rows } = await database.query<EventTime>({ text: SQL.events, values });
          return rows;
        },
        async queue({ first, last }) {
          const values = [guildId, first, last, endpointId, now, mayRepeat(request)];
          const { rowCount } = await database.query({ text: SQL.replay, values });
          return rowCount ?? 0;
        },
      });
    },
    async deliveries(guildId, now, limit) {
      const values = [guildId, lastEventIdAt(now), limit];
      const { rows } = await database.query<DeliveryRow>({ text: SQL.deliveries, values });
      return rows.map(toDeliveryRecord);
    },
    async attempts(guildId, eventId) {
      const values = [guildId, eventId];
      const { rows } = await database.query<AttemptRecordRow>({ text: SQL.attempts, values });
      return rows.map(toAttemptRecord);
    },
    async pruneAttempts({ after, keep, limit }) {
      const next = await database.query<{ guild_id: string | null }>({
        text: SQL.nextGuild,
        values: [after],
      });
      const guildId = next.rows[0]?.guild_id;
      if (guildId == null) return undefined;
      const last = await database.query<AttemptKey>({ text: SQL.lastKept, values: [guildId, keep - 1] });
      if (!last.rows[0]) return { guildId, dropped: 0 };
      const { event_id, endpoint_id, number } = last.rows[0];
      const values = [guildId, event_id, endpoint_id, number, limit];
      const { rowCount } = await database.query({ text: SQL.dropAttempts, values });
      return { guildId, dropped: rowCount ?? 0 };
    },
    async prune(before, limit) {
      const values = [firstEventIdAt(before), limit];
      const { rowCount } = await database.query({ text: SQL.prune, values });
      return rowCount ?? 0;
    },
  };
}
