import { setImmediate as yieldToRequests } from 'node:timers/promises';
import { formatOptions } from '../../../domain/webhooks/destination.ts';
import type { PlannedEvent, Subscription } from '../../webhooks/events.ts';
import { type EndpointRow, formatEvents, toEndpoint } from '../../webhooks/rows.ts';
import type { NewEndpoint, WebhookEndpointStore } from '../../webhooks/store.ts';
import { type Connection, type Connections, inTransaction } from '../connection.ts';

const DROP_BATCH = 500;

export function createEndpointStore(database: Connections): WebhookEndpointStore {
  const { writer } = database;
  const read = prepareReads(database.reader);
  const write = prepareWrites(writer);

  function add(endpoint: NewEndpoint, maxEndpoints: number): 'added' | 'too-many' | 'unknown-guild' {
    const { guildId, endpointId, name, destination, url, events, secrets, createdAt } = endpoint;
    const guild = write.countOfGuild.get(guildId);
    if (!guild) return 'unknown-guild';
    if (guild.endpoints >= maxEndpoints) return 'too-many';
    const kind = [destination.kind, url, formatOptions(destination)];
    const values = [guildId, endpointId, name, ...kind, formatEvents(events), secrets.current, createdAt];
    write.add.run(...values);
    return 'added';
  }

  /** Deletes a long queue in batches, so that other writes run in between. */
  async function dropPending(guildId: string, endpointId: string, keep: readonly string[]): Promise<void> {
    const batch = () => write.dropPending.run(guildId, endpointId, JSON.stringify(keep), DROP_BATCH).changes;
    while ((await database.write(batch)) === DROP_BATCH) await yieldToRequests();
  }

  return {
    addEndpoint: (endpoint, maxEndpoints) =>
      database.write(() => inTransaction(writer, () => add(endpoint, maxEndpoints))),
    async listEndpoints(guildId) {
      return read.list.all(guildId).map(toEndpoint);
    },
    async findEndpoint(guildId, endpointId) {
      const row = read.find.get(guildId, endpointId);
      return row && toEndpoint(row);
    },
    async removeEndpoint(guildId, endpointId) {
      const isRemoved = await database.write(() => write.remove.run(guildId, endpointId).changes > 0);
      // If the process ends here, the remaining deliveries are never claimed, and deleted with their event.
      await dropPending(guildId, endpointId, []);
      return isRemoved;
    },
    async updateEndpoint(guildId, endpointId, { name, destination, url, events, secret = null }) {
      const target = [url, secret, url, formatOptions(destination), secret];
      const values = [name, ...target, formatEvents(events), guildId, endpointId];
      const isUpdated = await database.write(() => write.update.run(...values).changes > 0);
      if (isUpdated) await dropPending(guildId, endpointId, events);
      return isUpdated;
    },
    setSecrets(guildId, endpointId, { current, previous }, replaces) {
      const sealed = [current, previous?.sealed ?? null, previous?.validUntil ?? null];
      const values = [...sealed, guildId, endpointId, replaces ?? null, replaces ?? null];
      return database.write(() => write.setSecrets.run(...values).changes > 0);
    },
    setPaused: (guildId, endpointId, at) =>
      database.write(() =>
        at === null
          ? write.resume.run(guildId, endpointId).changes > 0
          : write.pause.run(at, guildId, endpointId).changes > 0,
      ),
    enableEndpoint: (guildId, endpointId) =>
      database.write(() => write.enable.run(guildId, endpointId).changes > 0),
    disableEndpoint: (guildId, endpointId, at, reason) =>
      database.write(() => write.disable.run(at, reason, guildId, endpointId).changes > 0),
  };
}

// All of these use the primary key.
function prepareReads(db: Connection) {
  return {
    list: db.prepare<[string], EndpointRow>(
      'SELECT * FROM webhook_endpoints WHERE guild_id = ? ORDER BY created_at, endpoint_id',
    ),
    find: db.prepare<[string, string], EndpointRow>(
      'SELECT * FROM webhook_endpoints WHERE guild_id = ? AND endpoint_id = ?',
    ),
  };
}

function prepareWrites(db: Connection) {
  return {
    countOfGuild: db.prepare<[string], { endpoints: number }>(
      `SELECT (SELECT count(*) FROM webhook_endpoints e WHERE e.guild_id = g.guild_id) AS endpoints
       FROM guilds g WHERE guild_id = ?`,
    ),
    add: db.prepare(
      `INSERT INTO webhook_endpoints
         (guild_id, endpoint_id, name, kind, url, options, events, secret, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    remove: db.prepare('DELETE FROM webhook_endpoints WHERE guild_id = ? AND endpoint_id = ?'),
    update: db.prepare(
      `UPDATE webhook_endpoints
       SET name = ?, failing_since = CASE WHEN url = ? AND ? IS NULL THEN failing_since END, url = ?,
           options = ?, secret = coalesce(?, secret), events = ?
       WHERE guild_id = ? AND endpoint_id = ?`,
    ),
    setSecrets: db.prepare(
      `UPDATE webhook_endpoints SET secret = ?, previous_secret = ?, previous_secret_until = ?
       WHERE guild_id = ? AND endpoint_id = ? AND (? IS NULL OR secret = ?)`,
    ),
    pause: db.prepare(
      `UPDATE webhook_endpoints SET paused_at = ?
       WHERE guild_id = ? AND endpoint_id = ? AND paused_at IS NULL`,
    ),
    resume: db.prepare(
      `UPDATE webhook_endpoints SET paused_at = NULL, failing_since = NULL
       WHERE guild_id = ? AND endpoint_id = ? AND paused_at IS NOT NULL`,
    ),
    enable: db.prepare(
      `UPDATE webhook_endpoints SET disabled_at = NULL, disabled_reason = NULL, failing_since = NULL
       WHERE guild_id = ? AND endpoint_id = ?`,
    ),
    disable: db.prepare(
      `UPDATE webhook_endpoints SET disabled_at = ?, disabled_reason = ?
       WHERE guild_id = ? AND endpoint_id = ? AND disabled_at IS NULL`,
    ),
    // Index webhook_deliveries_due.
    dropPending: db.prepare(
      `DELETE FROM webhook_deliveries WHERE (guild_id, event_id, endpoint_id) IN (
         SELECT d.guild_id, d.event_id, d.endpoint_id
         FROM webhook_deliveries d INDEXED BY webhook_deliveries_due
         JOIN webhook_events v ON v.guild_id = d.guild_id AND v.event_id = d.event_id
         WHERE d.guild_id = ? AND d.endpoint_id = ? AND d.state = 'pending'
           AND v.type NOT IN (SELECT value FROM json_each(?)) AND NOT v.is_test
         LIMIT ? + 0
       )`,
    ),
  };
}

type Plan = (subscriptions: readonly Subscription[]) => PlannedEvent[];

/** Writes the events of a vote or a claim, and their deliveries, in the transaction of that vote or claim. */
export function createEventWriter(db: Connection): (guildId: string, plan: Plan) => void {
  // The primary key of webhook_endpoints. For a guild without endpoints this is the only query.
  const subscriptions = db.prepare<[string], Subscription>(
    'SELECT endpoint_id, events FROM webhook_endpoints WHERE guild_id = ?',
  );
  const addEvent = db.prepare(
    `INSERT INTO webhook_events (guild_id, event_id, type, occurs_at, body) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const addDelivery = db.prepare(
    `INSERT INTO webhook_deliveries (guild_id, event_id, endpoint_id, state, next_attempt_at)
     VALUES (?, ?, ?, 'pending', ?) ON CONFLICT DO NOTHING`,
  );
  return (guildId, plan) => {
    for (const { event, endpointIds } of plan(subscriptions.all(guildId))) {
      const { eventId, type, occursAt, body } = event;
      addEvent.run(guildId, eventId, type, occursAt, body);
      for (const endpointId of endpointIds) addDelivery.run(guildId, eventId, endpointId, occursAt);
    }
  };
}
