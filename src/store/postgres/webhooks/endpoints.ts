import { formatOptions } from '../../../domain/webhooks/destination.ts';
import type { PlannedEvent } from '../../webhooks/events.ts';
import { type EndpointRow, formatEvents, toEndpoint } from '../../webhooks/rows.ts';
import type { NewEndpoint, WebhookEndpointStore } from '../../webhooks/store.ts';
import type { Connections, Queryable } from '../connection/connection.ts';

const DROP_BATCH = 500;

// All of these use the primary keys, except for pending deliveries: the index webhook_deliveries_due.
const SQL = {
  // Concurrent additions wait here, so that each sees the other's endpoint. Votes do not wait.
  lockGuild: 'SELECT FROM guilds WHERE guild_id = $1 FOR NO KEY UPDATE',
  count: 'SELECT count(*) AS endpoints FROM webhook_endpoints WHERE guild_id = $1',
  add: `
    INSERT INTO webhook_endpoints
      (guild_id, endpoint_id, name, kind, url, options, events, secret, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
  list: 'SELECT * FROM webhook_endpoints WHERE guild_id = $1 ORDER BY created_at, endpoint_id',
  find: 'SELECT * FROM webhook_endpoints WHERE guild_id = $1 AND endpoint_id = $2',
  remove: 'DELETE FROM webhook_endpoints WHERE guild_id = $1 AND endpoint_id = $2',
  setSecrets: `
    UPDATE webhook_endpoints SET secret = $3, previous_secret = $4, previous_secret_until = $5
    WHERE guild_id = $1 AND endpoint_id = $2 AND ($6::text IS NULL OR secret = $6)`,
  update: `
    UPDATE webhook_endpoints
    SET name = $3, failing_since = CASE WHEN url = $4 AND $7::text IS NULL THEN failing_since END, url = $4,
        events = $5, options = $6, secret = coalesce($7, secret)
    WHERE guild_id = $1 AND endpoint_id = $2`,
  pause: `
    UPDATE webhook_endpoints SET paused_at = $3
    WHERE guild_id = $1 AND endpoint_id = $2 AND paused_at IS NULL`,
  resume: `
    UPDATE webhook_endpoints SET paused_at = NULL, failing_since = NULL
    WHERE guild_id = $1 AND endpoint_id = $2 AND paused_at IS NOT NULL`,
  enable: `
    UPDATE webhook_endpoints SET disabled_at = NULL, disabled_reason = NULL, failing_since = NULL
    WHERE guild_id = $1 AND endpoint_id = $2`,
  disable: `
    UPDATE webhook_endpoints SET disabled_at = $3, disabled_reason = $4
    WHERE guild_id = $1 AND endpoint_id = $2 AND disabled_at IS NULL`,
  dropPending: `
    DELETE FROM webhook_deliveries WHERE (guild_id, event_id, endpoint_id) IN (
      SELECT d.guild_id, d.event_id, d.endpoint_id
      FROM webhook_deliveries d
      JOIN webhook_events v ON v.guild_id = d.guild_id AND v.event_id = d.event_id
      WHERE d.guild_id = $1 AND d.endpoint_id = $2 AND d.state = 'pending'
        AND v.type <> ALL ($3::text[]) AND NOT v.is_test
      LIMIT $4
    )`,
} as const;

export function createEndpointStore(database: Connections): WebhookEndpointStore {
  return {
    addEndpoint: (endpoint, maxEndpoints) => database.transaction((tx) => add(tx, endpoint, maxEndpoints)),
    async listEndpoints(guildId) {
      const { rows } = await database.query<EndpointRow>({ text: SQL.list, values: [guildId] });
      return rows.map(toEndpoint);
    },
    async findEndpoint(guildId, endpointId) {
      const { rows } = await database.query<EndpointRow>({ text: SQL.find, values: [guildId, endpointId] });
      return rows.map(toEndpoint)[0];
    },
    async removeEndpoint(guildId, endpointId) {
      const isRemoved = await change(database, SQL.remove, guildId, endpointId);
      // If the process ends here, the remaining deliveries are never claimed, and deleted with their event.
      await dropPending(database, guildId, endpointId, []);
      return isRemoved;
    },
    async updateEndpoint(guildId, endpointId, { name, destination, url, events, secret = null }) {
      const values = [name, url, formatEvents(events), formatOptions(destination), secret];
      const isUpdated = await change(database, SQL.update, guildId, endpointId, ...values);
      if (isUpdated) await dropPending(database, guildId, endpointId, events);
      return isUpdated;
    },
    setSecrets(guildId, endpointId, { current, previous }, replaces) {
      const values = [current, previous?.sealed ?? null, previous?.validUntil ?? null, replaces ?? null];
      return change(database, SQL.setSecrets, guildId, endpointId, ...values);
    },
    setPaused: (guildId, endpointId, at) =>
      at === null
        ? change(database, SQL.resume, guildId, endpointId)
        : change(database, SQL.pause, guildId, endpointId, at),
    enableEndpoint: (guildId, endpointId) => change(database, SQL.enable, guildId, endpointId),
    disableEndpoint: (guildId, endpointId, at, reason) =>
      change(database, SQL.disable, guildId, endpointId, at, reason),
  };
}

async function add(
  tx: Queryable,
  { guildId, endpointId, name, destination, url, events, secrets, createdAt }: NewEndpoint,
  maxEndpoints: number,
): Promise<'added' | 'too-many' | 'unknown-guild'> {
  const guild = await tx.query({ text: SQL.lockGuild, values: [guildId] });
  if (guild.rowCount === 0) return 'unknown-guild';
  const { rows } = await tx.query<{ endpoints: number }>({ text: SQL.count, values: [guildId] });
  if ((rows[0]?.endpoints ?? 0) >= maxEndpoints) return 'too-many';
  const kind = [destination.kind, url, formatOptions(destination)];
  const values = [guildId, endpointId, name, ...kind, formatEvents(events), secrets.current, createdAt];
  await tx.query({ text: SQL.add, values });
  return 'added';
}

/** Deletes a long queue in batches, so no transaction locks its rows for long. */
async function dropPending(
  database: Queryable,
  guildId: string,
  endpointId: string,
  keep: readonly string[],
): Promise<void> {
  const statement = { text: SQL.dropPending, values: [guildId, endpointId, keep, DROP_BATCH] };
  while ((await database.query(statement)).rowCount === DROP_BATCH);
}

async function change(database: Queryable, text: string, ...values: unknown[]): Promise<boolean> {
  const { rowCount } = await database.query({ text, values });
  return rowCount !== null && rowCount > 0;
}

const ADD_EVENTS = `
  WITH kept AS (
    INSERT INTO webhook_events (guild_id, event_id, type, occurs_at, body)
    SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bigint[], $5::text[])
    ON CONFLICT DO NOTHING RETURNING guild_id, event_id, occurs_at
  )
  INSERT INTO webhook_deliveries (guild_id, event_id, endpoint_id, state, next_attempt_at)
  SELECT guild_id, event_id, endpoint_id, 'pending', occurs_at
  FROM kept JOIN unnest($6::text[], $7::text[]) AS planned (event_id, endpoint_id) USING (event_id)`;

/** Writes the events of a vote or a claim, and their deliveries, in the transaction of that vote or claim. */
export async function writeEvents(
  tx: Queryable,
  guildId: string,
  plan: readonly PlannedEvent[],
): Promise<void> {
  if (plan.length === 0) return;
  const events = plan.map(({ event }) => event);
  const deliveries = plan.flatMap(({ event: { eventId }, endpointIds }) =>
    endpointIds.map((endpointId) => ({ eventId, endpointId })),
  );
  const values = [
    guildId,
    events.map((event) => event.eventId),
    events.map((event) => event.type),
    events.map((event) => event.occursAt),
    events.map((event) => event.body),
    deliveries.map((delivery) => delivery.eventId),
    deliveries.map((delivery) => delivery.endpointId),
  ];
  await tx.query({ name: 'add-events', text: ADD_EVENTS, values });
}
