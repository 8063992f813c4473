import { setImmediate as yieldToRequests } from 'node:timers/promises';
import { formatOptions, storedKind } from '../../domain/webhooks/destination.ts';
import type { Database } from '../database.ts';
import { type EndpointRow, formatEvents, toEndpoint } from './rows.ts';
import type { WebhookEndpointStore } from './store.ts';

const DROP_BATCH = 500;

export function createEndpointStore(database: Database): WebhookEndpointStore {
  const sql = prepare(database);

  /** Deletes a long queue in batches, so that other writes run in between and no rows stay locked for long. */
  async function dropPending(guildId: string, endpointId: string, keep: readonly string[]): Promise<void> {
    const batch = { guildId, endpointId, keep, limit: DROP_BATCH };
    while ((await sql.dropPending(batch)) === DROP_BATCH) await yieldToRequests();
  }

  return {
    async addEndpoint({ secrets, events, destination, guildId, endpointId, name, url, createdAt }, max) {
      const [guilds, endpoints] = await sql.add({
        ...{ guildId, endpointId, name, url, createdAt, max, kind: storedKind(destination) },
        options: formatOptions(destination),
        events: formatEvents(events),
        secret: secrets.current,
      });
      if (guilds === 0) return 'unknown-guild';
      return endpoints === 0 ? 'too-many' : 'added';
    },
    async listEndpoints(guildId) {
      return (await sql.list({ guildId })).map(toEndpoint);
    },
    async findEndpoint(guildId, endpointId) {
      return (await sql.find({ guildId, endpointId })).map(toEndpoint)[0];
    },
    async removeEndpoint(guildId, endpointId) {
      const isRemoved = (await sql.remove({ guildId, endpointId })) > 0;
      // If the process ends here, the remaining deliveries are never claimed, and deleted with their event.
      await dropPending(guildId, endpointId, []);
      return isRemoved;
    },
    async updateEndpoint(guildId, endpointId, { name, destination, url, events, secret = null }) {
      const texts = { options: formatOptions(destination), events: formatEvents(events) };
      const isUpdated = (await sql.update({ guildId, endpointId, name, url, secret, ...texts })) > 0;
      if (isUpdated) await dropPending(guildId, endpointId, events);
      return isUpdated;
    },
    async setSecrets(guildId, endpointId, { current, previous }, replaces) {
      const { sealed, validUntil } = previous ?? { sealed: null, validUntil: null };
      return (
        (await sql.setSecrets({
          guildId,
          endpointId,
          current,
          sealed,
          validUntil,
          replaces: replaces ?? null,
        })) > 0
      );
    },
    async setPaused(guildId, endpointId, at) {
      if (at === null) return (await sql.resume({ guildId, endpointId })) > 0;
      return (await sql.pause({ guildId, endpointId, at })) > 0;
    },
    async enableEndpoint(guildId, endpointId) {
      return (await sql.enable({ guildId, endpointId })) > 0;
    },
    async disableEndpoint(guildId, endpointId, at, reason) {
      return (await sql.disable({ guildId, endpointId, at, reason })) > 0;
    },
  };
}

const THIS_ENDPOINT = 'guild_id = @guildId AND endpoint_id = @endpointId';

/** All of these use the primary keys, except for pending deliveries. */
function prepare({ read, write, transaction, dialect: { indexedBy, inList, lock } }: Database) {
  return {
    add: transaction(
      // Concurrent additions wait here, so that each sees the other's endpoint. Votes do not wait.
      `SELECT guild_id FROM guilds WHERE guild_id = @guildId ${lock('FOR NO KEY UPDATE')}`,
      `INSERT INTO webhook_endpoints
         (guild_id, endpoint_id, name, kind, url, options, events, secret, created_at)
       SELECT guild_id, @endpointId, @name, @kind, @url, @options, @events, @secret, @createdAt FROM guilds
       WHERE guild_id = @guildId AND (SELECT count(*) FROM webhook_endpoints WHERE guild_id = @guildId) < @max`,
    ),
    list: read<EndpointRow>(
      'SELECT * FROM webhook_endpoints WHERE guild_id = @guildId ORDER BY created_at, endpoint_id',
    ),
    find: read<EndpointRow>(`SELECT * FROM webhook_endpoints WHERE ${THIS_ENDPOINT}`),
    remove: write(`DELETE FROM webhook_endpoints WHERE ${THIS_ENDPOINT}`),
    update: write(`
      UPDATE webhook_endpoints
      SET name = @name, url = @url, options = @options, events = @events, secret = coalesce(@secret, secret),
        failing_since = CASE WHEN url = @url AND CAST(@secret AS TEXT) IS NULL THEN failing_since END
      WHERE ${THIS_ENDPOINT}`),
    setSecrets: write(`
      UPDATE webhook_endpoints
      SET secret = @current, previous_secret = @sealed, previous_secret_until = @validUntil
      WHERE ${THIS_ENDPOINT} AND (CAST(@replaces AS TEXT) IS NULL OR secret = @replaces)`),
    pause: write(`UPDATE webhook_endpoints SET paused_at = @at WHERE ${THIS_ENDPOINT} AND paused_at IS NULL`),
    resume: write(`
      UPDATE webhook_endpoints SET paused_at = NULL, failing_since = NULL
      WHERE ${THIS_ENDPOINT} AND paused_at IS NOT NULL`),
    enable: write(`
      UPDATE webhook_endpoints SET disabled_at = NULL, disabled_reason = NULL, failing_since = NULL
      WHERE ${THIS_ENDPOINT}`),
    disable: write(`
      UPDATE webhook_endpoints SET disabled_at = @at, disabled_reason = @reason
      WHERE ${THIS_ENDPOINT} AND disabled_at IS NULL`),
    // Index webhook_deliveries_due.
    dropPending: write(`
      DELETE FROM webhook_deliveries WHERE (guild_id, event_id, endpoint_id) IN (
        SELECT d.guild_id, d.event_id, d.endpoint_id
        FROM webhook_deliveries d ${indexedBy('webhook_deliveries_due')}
        JOIN webhook_events v ON v.guild_id = d.guild_id AND v.event_id = d.event_id
        WHERE d.guild_id = @guildId AND d.endpoint_id = @endpointId AND d.state = 'pending'
          AND NOT (v.type ${inList('@keep')}) AND NOT v.is_test
        LIMIT @limit + 0
      )`),
  };
}
