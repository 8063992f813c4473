import { firstEventIdAt } from '../../domain/webhooks/event.ts';
import type { Database } from '../database.ts';
import { lastEventIdAt, mayRepeat, replayInBatches } from './events.ts';
import {
  type AttemptKey,
  type AttemptRecordRow,
  type DeliveryRow,
  type EventTime,
  toAttemptRecord,
  toDeliveryRecord,
} from './rows.ts';
import type { WebhookHistoryStore } from './store.ts';

export function createWebhookHistory(database: Database): WebhookHistoryStore {
  const sql = prepare(database);
  return {
    replay(request) {
      const { guildId, endpointId, now } = request;
      return replayInBatches(request, {
        find: (range, limit) => sql.events({ guildId, ...range, limit }),
        queue: (range) => sql.replay({ guildId, ...range, endpointId, now, repeats: mayRepeat(request) }),
      });
    },
    async deliveries(guildId, now, limit) {
      const rows = await sql.deliveries({ guildId, last: lastEventIdAt(now), limit });
      return rows.map(toDeliveryRecord);
    },
    async attempts(guildId, eventId) {
      return (await sql.attempts({ guildId, eventId })).map(toAttemptRecord);
    },
    async pruneAttempts({ after, keep, limit }) {
      const guildId = (await sql.nextGuild({ after }))[0]?.guild_id;
      if (guildId == null) return undefined;
      const [last] = await sql.lastKept({ guildId, skipped: keep - 1 });
      return { guildId, dropped: last ? await sql.dropAttempts({ guildId, ...last, limit }) : 0 };
    },
    prune: (before, limit) => sql.prune({ first: firstEventIdAt(before), limit }),
  };
}

/** All of these use primary keys: event ids start with their time. */
function prepare({ read, write, dialect: { greatest, position, lock } }: Database) {
  return {
    events: read<EventTime>(`
      SELECT event_id, occurs_at FROM webhook_events
      WHERE guild_id = @guildId AND event_id >= @first AND event_id <= @last ORDER BY event_id LIMIT @limit + 0`),
    replay: write(`
      INSERT INTO webhook_deliveries (guild_id, event_id, endpoint_id, state, next_attempt_at)
      SELECT v.guild_id, v.event_id, e.endpoint_id, 'pending', ${greatest}(v.occurs_at, @now)
      FROM webhook_events v
      JOIN webhook_endpoints e ON e.guild_id = v.guild_id AND e.disabled_at IS NULL
        AND ${position}(',' || e.events || ',', ',' || v.type || ',') > 0
      LEFT JOIN webhook_deliveries old
        ON old.guild_id = v.guild_id AND old.event_id = v.event_id AND old.endpoint_id = e.endpoint_id
      WHERE v.guild_id = @guildId AND v.event_id >= @first AND v.event_id <= @last AND NOT v.is_test
        AND (CAST(@endpointId AS TEXT) IS NULL OR e.endpoint_id = @endpointId)
        AND (@repeats OR (e.kind = 'https' AND e.options = '{}') OR coalesce(old.state NOT IN ('delivered', 'uncertain'), TRUE))
      ON CONFLICT (guild_id, event_id, endpoint_id) DO UPDATE
      SET state = 'pending', tries = 0, next_attempt_at = excluded.next_attempt_at, claimed_until = NULL
      WHERE (
        webhook_deliveries.state <> 'pending'
        AND coalesce(webhook_deliveries.claimed_until <= excluded.next_attempt_at, TRUE)
      ) OR (
        webhook_deliveries.claimed_until IS NULL
        AND webhook_deliveries.next_attempt_at > excluded.next_attempt_at
      )`),
    deliveries: read<DeliveryRow>(`
      SELECT d.guild_id, d.event_id, d.endpoint_id, d.state, d.attempts, d.next_attempt_at, v.type, v.is_test,
        v.occurs_at, e.kind, e.url, a.at, a.status, a.duration_ms, a.answer, a.error
      FROM webhook_deliveries d
      JOIN webhook_events v ON v.guild_id = d.guild_id AND v.event_id = d.event_id
      LEFT JOIN webhook_endpoints e ON e.guild_id = d.guild_id AND e.endpoint_id = d.endpoint_id
      LEFT JOIN webhook_attempts a ON a.guild_id = d.guild_id AND a.event_id = d.event_id
        AND a.endpoint_id = d.endpoint_id AND a.number = d.attempts
      WHERE d.guild_id = @guildId AND d.event_id <= @last
      ORDER BY d.event_id DESC, d.endpoint_id LIMIT @limit + 0`),
    attempts: read<AttemptRecordRow>(`
      SELECT endpoint_id, at, status, duration_ms, answer, error FROM webhook_attempts
      WHERE guild_id = @guildId AND event_id = @eventId ORDER BY endpoint_id, number`),
    nextGuild: read<{ guild_id: string | null }>(
      'SELECT min(guild_id) AS guild_id FROM webhook_attempts WHERE guild_id > @after',
    ),
    lastKept: read<AttemptKey>(`
      SELECT event_id, endpoint_id, number FROM webhook_attempts WHERE guild_id = @guildId
      ORDER BY event_id DESC, endpoint_id DESC, number DESC LIMIT 1 OFFSET @skipped`),
    // Rows that another process is deleting are skipped, here and below.
    dropAttempts: write(`
      DELETE FROM webhook_attempts WHERE (guild_id, event_id, endpoint_id, number) IN (
        SELECT guild_id, event_id, endpoint_id, number FROM webhook_attempts
        WHERE guild_id = @guildId AND (event_id, endpoint_id, number) < (@event_id, @endpoint_id, @number)
        ORDER BY event_id, endpoint_id, number LIMIT @limit + 0 ${lock('FOR UPDATE SKIP LOCKED')}
      )`),
    // Guild by guild: SQLite keeps the order of a CROSS JOIN, and would otherwise read all events.
    prune: write(`
      DELETE FROM webhook_events WHERE (guild_id, event_id) IN (
        SELECT v.guild_id, v.event_id FROM guilds g CROSS JOIN webhook_events v
        WHERE v.guild_id = g.guild_id AND v.event_id < @first
        LIMIT @limit + 0 ${lock('FOR UPDATE OF v SKIP LOCKED')}
      )`),
  };
}
