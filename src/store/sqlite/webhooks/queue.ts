import type { Instant } from '../../../domain/clock.ts';
import { type ClaimRow, countedTries, toClaimedDelivery, toClaimedTest } from '../../webhooks/rows.ts';
import {
  type AttemptResult,
  type Backlog,
  type ClaimedDelivery,
  type ClaimTime,
  type DeliveryOutcome,
  type DueEndpoint,
  type EndpointHealth,
  MAX_ATTEMPTS_KEPT,
  MAX_BACKLOG_COUNTED,
  MAX_TESTS_KEPT,
  type WebhookQueueStore,
} from '../../webhooks/store.ts';
import type { Connection, Connections } from '../connection.ts';

export function createWebhookQueue(database: Connections): WebhookQueueStore {
  const { writer } = database;
  const due = prepareDue(database.reader);
  const write = prepareWrites(writer);
  const backlog = prepareBacklog(database.reader);

  function claimFirst({ guildId, endpointId }: DueEndpoint, { now, until }: ClaimTime): ClaimedDelivery[] {
    const taken = write.claimFirst.get(until, until, guildId, endpointId, now);
    const row = taken && write.claimed.get(guildId, taken.event_id, endpointId);
    return row ? [toClaimedDelivery(row)] : [];
  }

  function finish(
    delivery: ClaimedDelivery,
    attempt: AttemptResult,
    outcome: DeliveryOutcome,
    health: EndpointHealth,
  ): boolean {
    const { guildId, eventId, endpointId, claimedUntil } = delivery;
    const next = outcome.state === 'pending' ? outcome.nextAttemptAt : attempt.at;
    const done = write.finish.get(
      outcome.state,
      next,
      countedTries(outcome),
      guildId,
      eventId,
      endpointId,
      claimedUntil,
    );
    if (!done) return false;
    const { at, status, durationMs, answer, error } = attempt;
    write.log.run(guildId, eventId, endpointId, done.attempts, at, status, durationMs, answer, error);
    const firstKept = done.attempts - MAX_ATTEMPTS_KEPT;
    if (firstKept > 0) write.dropOldAttempts.run(guildId, eventId, endpointId, firstKept);
    if (health === 'works') write.clearFailure.run(guildId, endpointId);
    if (health === 'fails') write.recordFailure.run(at, guildId, endpointId);
    return true;
  }

  return {
    // Searched without the write lock, because usually nothing is due.
    async findDue({ guildIds, except, only, now, limit }) {
      const busy = JSON.stringify(except);
      const allowed = only ? JSON.stringify(only) : null;
      return guildIds === null
        ? due.ofAll.all(busy, allowed, allowed, now, limit)
        : due.ofGuilds.all(JSON.stringify(guildIds), busy, allowed, allowed, now, limit);
    },
    claim: (endpoints, time) =>
      database.write(() => endpoints.flatMap((endpoint) => claimFirst(endpoint, time))),
    finish: (delivery, attempt, outcome, health) =>
      database.write(() => finish(delivery, attempt, outcome, health)),
    markSent: ({ guildId, eventId, endpointId, claimedUntil }) =>
      database.write(() => write.markSent.run(guildId, eventId, endpointId, claimedUntil).changes > 0),
    async release({ guildId, eventId, endpointId, claimedUntil }, dueAt) {
      await database.write(() => write.release.run(dueAt, guildId, eventId, endpointId, claimedUntil));
    },
    async beginTest(event, endpoint, { now, until }) {
      const { guildId, eventId, type, occursAt, body } = event;
      const { endpointId } = endpoint;
      const begin = () => {
        if (write.beginTest.run(until, guildId, endpointId, now).changes === 0) return false;
        write.addTest.run(guildId, eventId, type, occursAt, body);
        write.addClaimed.run(guildId, eventId, endpointId, until, until);
        write.dropOldTests.run(guildId, guildId, MAX_TESTS_KEPT);
        return true;
      };
      if (!(await database.write(begin))) return undefined;
      return toClaimedTest(event, endpoint, until);
    },
    async backlog(now) {
      return { ...EMPTY_BACKLOG, ...backlog.get({ now, limit: MAX_BACKLOG_COUNTED }) };
    },
    async endTest({ guildId, endpointId, claimedUntil }) {
      await database.write(() => write.endTest.run(guildId, endpointId, claimedUntil));
    },
  };
}

/** Endpoints with due deliveries. The index webhook_deliveries_due finds the first of each in one step. */
function prepareDue(db: Connection) {
  const sql = (which: string) => `
    SELECT guild_id AS guildId, endpoint_id AS endpointId FROM (
      SELECT guild_id, endpoint_id, (
        SELECT min(d.next_attempt_at) FROM webhook_deliveries d INDEXED BY webhook_deliveries_due
        WHERE d.guild_id = e.guild_id AND d.endpoint_id = e.endpoint_id AND d.state = 'pending'
      ) AS due_at
      FROM webhook_endpoints e
      WHERE ${which} disabled_at IS NULL AND paused_at IS NULL AND endpoint_id NOT IN (SELECT value FROM json_each(?))
        AND (? IS NULL OR endpoint_id IN (SELECT value FROM json_each(?)))
    ) AS queues
    WHERE due_at <= ? AND NOT EXISTS (
      SELECT 1 FROM guilds g WHERE g.guild_id = queues.guild_id AND g.sanctioned_at IS NOT NULL
    )
    ORDER BY due_at LIMIT ? + 0`;
  return {
    ofAll: db.prepare<[string, string | null, string | null, Instant, number], DueEndpoint>(sql('')),
    ofGuilds: db.prepare<[string, string, string | null, string | null, Instant, number], DueEndpoint>(
      sql('guild_id IN (SELECT value FROM json_each(?)) AND'),
    ),
  };
}

const EMPTY_BACKLOG: Backlog = { due: 0, scheduled: 0, held: 0, dueSince: null };

/** Reads the index webhook_deliveries_due endpoint by endpoint; its first entry of each for `dueSince`. */
function prepareBacklog(db: Connection) {
  const count = (which: string) => `
    SELECT count(*) FROM (
      SELECT 1 FROM queues q CROSS JOIN webhook_deliveries d INDEXED BY webhook_deliveries_due
        ON d.guild_id = q.guild_id AND d.endpoint_id = q.endpoint_id AND d.state = 'pending'
      WHERE ${which} LIMIT @limit + 0
    )`;
  return db.prepare<[{ now: Instant; limit: number }], Backlog>(`
    WITH queues AS MATERIALIZED (
      SELECT e.guild_id, e.endpoint_id,
        e.disabled_at IS NOT NULL OR e.paused_at IS NOT NULL OR g.sanctioned_at IS NOT NULL AS is_held
      FROM webhook_endpoints e JOIN guilds g USING (guild_id)
    )
    SELECT
      (${count('NOT q.is_held AND d.next_attempt_at <= @now')}) AS due,
      (${count('NOT q.is_held AND d.next_attempt_at > @now')}) AS scheduled,
      (${count('q.is_held')}) AS held,
      (SELECT min(due_at) FROM (
        SELECT (
          SELECT min(d.next_attempt_at) FROM webhook_deliveries d INDEXED BY webhook_deliveries_due
          WHERE d.guild_id = q.guild_id AND d.endpoint_id = q.endpoint_id AND d.state = 'pending'
        ) AS due_at
        FROM queues q WHERE NOT is_held
      ) WHERE due_at <= @now) AS dueSince`);
}

function prepareWrites(db: Connection) {
  return {
    claimFirst: db.prepare<[Instant, Instant, string, string, Instant], { event_id: string }>(
      `UPDATE webhook_deliveries SET claimed_until = ?, next_attempt_at = ?
       WHERE (guild_id, event_id, endpoint_id) = (
         SELECT guild_id, event_id, endpoint_id FROM webhook_deliveries INDEXED BY webhook_deliveries_due
         WHERE guild_id = ? AND endpoint_id = ? AND state = 'pending' AND next_attempt_at <= ?
         ORDER BY next_attempt_at, event_id LIMIT 1
       )
       RETURNING event_id`,
    ),
    claimed: db.prepare<[string, string, string], ClaimRow>(
      `SELECT e.*, d.event_id, d.tries, d.claimed_until, v.type, v.occurs_at, v.is_test, v.body
       FROM webhook_deliveries d
       JOIN webhook_events v ON v.guild_id = d.guild_id AND v.event_id = d.event_id
       JOIN webhook_endpoints e ON e.guild_id = d.guild_id AND e.endpoint_id = d.endpoint_id
       WHERE d.guild_id = ? AND d.event_id = ? AND d.endpoint_id = ?`,
    ),
    finish: db.prepare<[string, Instant, number, string, string, string, Instant], { attempts: number }>(
      `UPDATE webhook_deliveries
       SET state = ?, next_attempt_at = ?, tries = tries + ?, attempts = attempts + 1, claimed_until = NULL
       WHERE guild_id = ? AND event_id = ? AND endpoint_id = ? AND claimed_until = ?
       RETURNING attempts`,
    ),
    log: db.prepare(
      `INSERT INTO webhook_attempts
         (guild_id, event_id, endpoint_id, number, at, status, duration_ms, answer, error)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    dropOldAttempts: db.prepare(
      'DELETE FROM webhook_attempts WHERE guild_id = ? AND event_id = ? AND endpoint_id = ? AND number <= ?',
    ),
    clearFailure: db.prepare(
      `UPDATE webhook_endpoints SET failing_since = NULL
       WHERE guild_id = ? AND endpoint_id = ? AND failing_since IS NOT NULL`,
    ),
    recordFailure: db.prepare(
      `UPDATE webhook_endpoints SET failing_since = ?
       WHERE guild_id = ? AND endpoint_id = ? AND failing_since IS NULL`,
    ),
    markSent: db.prepare(
      `UPDATE webhook_deliveries SET state = 'uncertain'
       WHERE guild_id = ? AND event_id = ? AND endpoint_id = ? AND claimed_until = ?`,
    ),
    release: db.prepare(
      `UPDATE webhook_deliveries SET state = 'pending', claimed_until = NULL, next_attempt_at = ?
       WHERE guild_id = ? AND event_id = ? AND endpoint_id = ? AND claimed_until = ?`,
    ),
    beginTest: db.prepare(
      `UPDATE webhook_endpoints SET testing_until = ?
       WHERE guild_id = ? AND endpoint_id = ? AND (testing_until IS NULL OR testing_until <= ?)`,
    ),
    endTest: db.prepare(
      `UPDATE webhook_endpoints SET testing_until = NULL
       WHERE guild_id = ? AND endpoint_id = ? AND testing_until = ?`,
    ),
    addTest: db.prepare(
      `INSERT INTO webhook_events (guild_id, event_id, type, occurs_at, body, is_test)
       VALUES (?, ?, ?, ?, ?, 1)`,
    ),
    // Index webhook_events_tests.
    dropOldTests: db.prepare(
      `DELETE FROM webhook_events WHERE guild_id = ? AND is_test = 1 AND event_id <= (
         SELECT event_id FROM webhook_events WHERE guild_id = ? AND is_test = 1
         ORDER BY event_id DESC LIMIT 1 OFFSET ?
       )`,
    ),
    addClaimed: db.prepare(
      `INSERT INTO webhook_deliveries
         (guild_id, event_id, endpoint_id, state, next_attempt_at, claimed_until)
       VALUES (?, ?, ?, 'pending', ?, ?)`,
    ),
  };
}
