import type { Instant } from '../../domain/clock.ts';
import { type EndpointRow, formatEvents, toEndpoint } from '../webhook-rows.ts';
import type { NewEndpoint, WebhookEndpointStore } from '../webhook-store.ts';
import { type Connection, type Connections, inTransaction } from './connection.ts';

export function createEndpointStore(database: Connections): WebhookEndpointStore {
  const { writer } = database;
  const read = prepareReads(database.reader);
  const write = prepareWrites(writer);

  function add(endpoint: NewEndpoint, maxEndpoints: number): 'added' | 'too-many' | 'unknown-guild' {
    const { guildId, endpointId, url, events, secrets, createdAt } = endpoint;
    const guild = write.countOfGuild.get(guildId);
    if (!guild) return 'unknown-guild';
    if (guild.endpoints >= maxEndpoints) return 'too-many';
    write.add.run(guildId, endpointId, url, formatEvents(events), secrets.current, createdAt);
    return 'added';
  }

  function disable(guildId: string, endpointId: string, at: Instant, reason: string): boolean {
    if (write.disable.run(at, reason, guildId, endpointId).changes === 0) return false;
    write.failPending.run(guildId, endpointId);
    return true;
  }

  function remove(guildId: string, endpointId: string): boolean {
    write.dropPending.run(guildId, endpointId);
    return write.remove.run(guildId, endpointId).changes > 0;
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
    removeEndpoint: (guildId, endpointId) =>
      database.write(() => inTransaction(writer, () => remove(guildId, endpointId))),
    setSecrets(guildId, endpointId, { current, previous }) {
      const values = [current, previous?.sealed ?? null, previous?.validUntil ?? null, guildId, endpointId];
      return database.write(() => write.setSecrets.run(...values).changes > 0);
    },
    enableEndpoint: (guildId, endpointId) =>
      database.write(() => write.enable.run(guildId, endpointId).changes > 0),
    disableEndpoint: (guildId, endpointId, at, reason) =>
      database.write(() => inTransaction(writer, () => disable(guildId, endpointId, at, reason))),
  };
}

// The primary key answers all of these.
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
      `INSERT INTO webhook_endpoints (guild_id, endpoint_id, url, events, secret, created_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
    ),
    remove: db.prepare('DELETE FROM webhook_endpoints WHERE guild_id = ? AND endpoint_id = ?'),
    setSecrets: db.prepare(
      `UPDATE webhook_endpoints SET secret = ?, previous_secret = ?, previous_secret_until = ?
       WHERE guild_id = ? AND endpoint_id = ?`,
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
    failPending: db.prepare(
      `UPDATE webhook_deliveries SET state = 'failed', claimed_until = NULL
       WHERE guild_id = ? AND endpoint_id = ? AND state = 'pending'`,
    ),
    dropPending: db.prepare(
      `DELETE FROM webhook_deliveries WHERE guild_id = ? AND endpoint_id = ? AND state = 'pending'`,
    ),
  };
}
