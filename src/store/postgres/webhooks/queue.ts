import type { Instant } from '../../../domain/clock.ts';
import { type ClaimRow, countedTries, toClaimedDelivery, toClaimedTest } from '../../webhooks/rows.ts';
import {
  type Backlog,
  type DueEndpoint,
  type EndpointHealth,
  MAX_ATTEMPTS_KEPT,
  MAX_BACKLOG_COUNTED,
  MAX_TESTS_KEPT,
  type WebhookQueueStore,
} from '../../webhooks/store.ts';
import type { Connections } from '../connection/connection.ts';

/** Endpoints with due deliveries. The index webhook_deliveries_due finds the first of each in one step. */
const dueSql = (which: string) => `
  SELECT guild_id AS "guildId", endpoint_id AS "endpointId" FROM (
    SELECT guild_id, endpoint_id, (
      SELECT min(d.next_attempt_at) FROM webhook_deliveries d
      WHERE d.guild_id = e.guild_id AND d.endpoint_id = e.endpoint_id AND d.state = 'pending'
    ) AS due_at
    FROM webhook_endpoints e WHERE ${which} disabled_at IS NULL AND paused_at IS NULL
      AND endpoint_id <> ALL ($2::text[])
      AND ($4::text[] IS NULL OR endpoint_id = ANY ($4))
  ) AS queues
  WHERE due_at <= $1 AND NOT EXISTS (
    SELECT FROM guilds g WHERE g.guild_id = queues.guild_id AND g.sanctioned_at IS NOT NULL
  )
  ORDER BY due_at LIMIT $3`;

/** The limit inside keeps the plan to one index range per endpoint. */
function countPending(queue: string, delivery: string): string {
  return `
    SELECT count(*) FROM (
      SELECT FROM queues q CROSS JOIN LATERAL (
        SELECT FROM webhook_deliveries d
        WHERE d.guild_id = q.guild_id AND d.endpoint_id = q.endpoint_id AND d.state = 'pending' AND ${delivery}
        LIMIT $2
      ) AS d
      WHERE ${queue} LIMIT $2
    ) AS counted`;
}

const SQL = {
  due: dueSql(''),
  dueOfGuilds: dueSql('guild_id = ANY ($5::text[]) AND'),
  // The first delivery of each endpoint that no other worker is claiming, by the same index.
  claim: `
    WITH picked AS MATERIALIZED (
      SELECT first.* FROM unnest($3::text[], $4::text[]) AS due (guild_id, endpoint_id) CROSS JOIN LATERAL (
        SELECT d.guild_id, d.event_id, d.endpoint_id FROM webhook_deliveries d
        WHERE d.guild_id = due.guild_id AND d.endpoint_id = due.endpoint_id
          AND d.state = 'pending' AND d.next_attempt_at <= $1
        ORDER BY d.next_attempt_at, d.event_id LIMIT 1 FOR UPDATE SKIP LOCKED
      ) AS first
    ), claimed AS (
      UPDATE webhook_deliveries d SET claimed_until = $2, next_attempt_at = $2 FROM picked
      WHERE d.guild_id = picked.guild_id AND d.event_id = picked.event_id AND d.endpoint_id = picked.endpoint_id
      RETURNING d.guild_id, d.event_id, d.endpoint_id, d.tries, d.claimed_until
    )
    SELECT e.*, c.event_id, c.tries, c.claimed_until, v.type, v.occurs_at, v.is_test, v.body
    FROM claimed c
    JOIN webhook_events v ON v.guild_id = c.guild_id AND v.event_id = c.event_id
    JOIN webhook_endpoints e ON e.guild_id = c.guild_id AND e.endpoint_id = c.endpoint_id`,
  // A separate statement, so no transaction locks a delivery while it waits for the endpoint.
  clearFailure: `
    UPDATE webhook_endpoints SET failing_since = NULL
    WHERE guild_id = $1 AND endpoint_id = $2 AND failing_since IS NOT NULL`,
  recordFailure: `
    UPDATE webhook_endpoints SET failing_since = $3
    WHERE guild_id = $1 AND endpoint_id = $2 AND failing_since IS NULL`,
  // The attempt is logged only if the claim was still valid.
  finish: `
    WITH done AS (
      UPDATE webhook_deliveries
      SET state = $5, next_attempt_at = $6, tries = tries + $13, attempts = attempts + 1, claimed_until = NULL
      WHERE guild_id = $1 AND event_id = $2 AND endpoint_id = $3 AND claimed_until = $4
      RETURNING guild_id, event_id, endpoint_id, attempts
    ), dropped AS (
      DELETE FROM webhook_attempts a USING done
      WHERE a.guild_id = done.guild_id AND a.event_id = done.event_id AND a.endpoint_id = done.endpoint_id
        AND a.number <= done.attempts - $12
    )
    INSERT INTO webhook_attempts
      (guild_id, event_id, endpoint_id, number, at, status, duration_ms, answer, error)
    SELECT guild_id, event_id, endpoint_id, attempts, $7, $8, $9, $10, $11 FROM done`,
  // Reads the index webhook_deliveries_due endpoint by endpoint; its first entry of each for `dueSince`.
  backlog: `
    WITH queues AS MATERIALIZED (
      SELECT e.guild_id, e.endpoint_id,
        e.disabled_at IS NOT NULL OR e.paused_at IS NOT NULL OR g.sanctioned_at IS NOT NULL AS is_held
      FROM webhook_endpoints e JOIN guilds g USING (guild_id)
    )
    SELECT
      (${countPending('NOT q.is_held', 'd.next_attempt_at <= $1')}) AS due,
      (${countPending('NOT q.is_held', 'd.next_attempt_at > $1')}) AS scheduled,
      (${countPending('q.is_held', 'TRUE')}) AS held,
      (SELECT min(due_at) FROM (
        SELECT (
          SELECT min(d.next_attempt_at) FROM webhook_deliveries d
          WHERE d.guild_id = q.guild_id AND d.endpoint_id = q.endpoint_id AND d.state = 'pending'
        ) AS due_at
        FROM queues q WHERE NOT is_held
      ) AS heads WHERE due_at <= $1) AS "dueSince"`,
  markSent: `
    UPDATE webhook_deliveries SET state = 'uncertain'
    WHERE guild_id = $1 AND event_id = $2 AND endpoint_id = $3 AND claimed_until = $4`,
  release: `
    UPDATE webhook_deliveries SET state = 'pending', claimed_until = NULL, next_attempt_at = $5
    WHERE guild_id = $1 AND event_id = $2 AND endpoint_id = $3 AND claimed_until = $4`,
  beginTest: `
    UPDATE webhook_endpoints SET testing_until = $3
    WHERE guild_id = $1 AND endpoint_id = $2 AND (testing_until IS NULL OR testing_until <= $4)`,
  endTest: `
    UPDATE webhook_endpoints SET testing_until = NULL
    WHERE guild_id = $1 AND endpoint_id = $2 AND testing_until = $3`,
  // Index webhook_events_tests.
  dropOldTests: `
    DELETE FROM webhook_events WHERE guild_id = $1 AND is_test AND event_id <= (
      SELECT event_id FROM webhook_events WHERE guild_id = $1 AND is_test
      ORDER BY event_id DESC LIMIT 1 OFFSET $2
    )`,
  addTest: `
    WITH kept AS (
      INSERT INTO webhook_events (guild_id, event_id, type, occurs_at, body, is_test)
      VALUES ($1, $2, $3, $4, $5, TRUE)
      RETURNING guild_id, event_id
    )
    INSERT INTO webhook_deliveries (guild_id, event_id, endpoint_id, state, next_attempt_at, claimed_until)
    SELECT guild_id, event_id, $6, 'pending', $7, $7 FROM kept`,
} as const;

export function createWebhookQueue(database: Connections): WebhookQueueStore {
  async function recordHealth(
    guildId: string,
    endpointId: string,
    at: Instant,
    health: EndpointHealth,
  ): Promise<void> {
    if (health === 'unknown') return;
    const values = health === 'works' ? [guildId, endpointId] : [guildId, endpointId, at];
    const text = health === 'works' ? SQL.clearFailure : SQL.recordFailure;
    await database.query({ name: `endpoint-${health}`, text, values });
  }

  return {
    async findDue({ now, guildIds, except, only, limit }) {
      const values = [now, except, limit, only ?? null];
      const statement =
        guildIds === null
          ? { name: 'due-endpoints', text: SQL.due, values }
          : { name: 'due-endpoints-of-guilds', text: SQL.dueOfGuilds, values: [...values, guildIds] };
      const { rows } = await database.query<DueEndpoint>(statement);
      return rows;
    },
    async claim(endpoints, { now, until }) {
      const guildIds = endpoints.map(({ guildId }) => guildId);
      const endpointIds = endpoints.map(({ endpointId }) => endpointId);
      const values = [now, until, guildIds, endpointIds];
      const { rows } = await database.query<ClaimRow>({ name: 'claim-deliveries', text: SQL.claim, values });
      return rows.map(toClaimedDelivery);
    },
    async finish({ guildId, eventId, endpointId, claimedUntil }, attempt, outcome, health) {
      const { at, status, durationMs, answer, error } = attempt;
      const next = outcome.state === 'pending' ? outcome.nextAttemptAt : at;
      const key = [guildId, eventId, endpointId, claimedUntil];
      const logged = [at, status, durationMs, answer, error, MAX_ATTEMPTS_KEPT];
      const values = [...key, outcome.state, next, ...logged, countedTries(outcome)];
      await recordHealth(guildId, endpointId, at, health);
      const { rowCount } = await database.query({ name: 'finish-delivery', text: SQL.finish, values });
      return rowCount === 1;
    },
    async markSent({ guildId, eventId, endpointId, claimedUntil }) {
      const values = [guildId, eventId, endpointId, claimedUntil];
      const { rowCount } = await database.query({ text: SQL.markSent, values });
      return rowCount === 1;
    },
    async release({ guildId, eventId, endpointId, claimedUntil }, dueAt) {
      const values = [guildId, eventId, endpointId, claimedUntil, dueAt];
      await database.query({ text: SQL.release, values });
    },
    async beginTest(event, endpoint, { now, until }) {
      const { guildId, eventId, type, occursAt, body } = event;
      const { endpointId } = endpoint;
      const hasBegun = await database.transaction(async (tx) => {
        const begun = await tx.query({ text: SQL.beginTest, values: [guildId, endpointId, until, now] });
        if (begun.rowCount === 0) return false;
        const values = [guildId, eventId, type, occursAt, body, endpointId, until];
        await tx.query({ text: SQL.addTest, values });
        await tx.query({ text: SQL.dropOldTests, values: [guildId, MAX_TESTS_KEPT] });
        return true;
      });
      if (!hasBegun) return undefined;
      return toClaimedTest(event, endpoint, until);
    },
    async backlog(now) {
      const values = [now, MAX_BACKLOG_COUNTED];
      const { rows } = await database.query<Backlog>({ name: 'backlog', text: SQL.backlog, values });
      return rows[0] ?? { due: 0, scheduled: 0, held: 0, dueSince: null };
    },
    async endTest({ guildId, endpointId, claimedUntil }) {
      await database.query({ text: SQL.endTest, values: [guildId, endpointId, claimedUntil] });
    },
  };
}
