import { type EndpointRow, formatEvents, toEndpoint } from '../webhook-rows.ts';
import type { NewEndpoint, WebhookEndpointStore } from '../webhook-store.ts';
import type { Connections, Queryable } from './connection.ts';

// The primary keys answer all of these, but for what waits: the index webhook_deliveries_due.
const SQL = {
  // Two at once take turns here, so that both see the other's endpoint. Votes do not wait for it.
  lockGuild: 'SELECT FROM guilds WHERE guild_id = $1 FOR NO KEY UPDATE',
  count: 'SELECT count(*) AS endpoints FROM webhook_endpoints WHERE guild_id = $1',
  add: `
    INSERT INTO webhook_endpoints (guild_id, endpoint_id, url, events, secret, created_at)
    VALUES ($1, $2, $3, $4, $5, $6)`,
  list: 'SELECT * FROM webhook_endpoints WHERE guild_id = $1 ORDER BY created_at, endpoint_id',
  find: 'SELECT * FROM webhook_endpoints WHERE guild_id = $1 AND endpoint_id = $2',
  remove: 'DELETE FROM webhook_endpoints WHERE guild_id = $1 AND endpoint_id = $2',
  setSecrets: `
    UPDATE webhook_endpoints SET secret = $3, previous_secret = $4, previous_secret_until = $5
    WHERE guild_id = $1 AND endpoint_id = $2`,
  enable: `
    UPDATE webhook_endpoints SET disabled_at = NULL, disabled_reason = NULL, failing_since = NULL
    WHERE guild_id = $1 AND endpoint_id = $2`,
  disable: `
    UPDATE webhook_endpoints SET disabled_at = $3, disabled_reason = $4
    WHERE guild_id = $1 AND endpoint_id = $2 AND disabled_at IS NULL`,
  failPending: `
    UPDATE webhook_deliveries SET state = 'failed', claimed_until = NULL
    WHERE guild_id = $1 AND endpoint_id = $2 AND state = 'pending'`,
  dropPending: `DELETE FROM webhook_deliveries WHERE guild_id = $1 AND endpoint_id = $2 AND state = 'pending'`,
} as const;

export function createEndpointStore(database: Connections): WebhookEndpointStore {
  return {
    addEndpoint: (endpoint, maxEndpoints) =>
      database.transaction((inside) => add(inside, endpoint, maxEndpoints)),
    async listEndpoints(guildId) {
      const { rows } = await database.query<EndpointRow>({ text: SQL.list, values: [guildId] });
      return rows.map(toEndpoint);
    },
    async findEndpoint(guildId, endpointId) {
      const { rows } = await database.query<EndpointRow>({ text: SQL.find, values: [guildId, endpointId] });
      return rows.map(toEndpoint)[0];
    },
    removeEndpoint: (guildId, endpointId) =>
      database.transaction(async (inside) => {
        const isRemoved = await change(inside, SQL.remove, guildId, endpointId);
        await change(inside, SQL.dropPending, guildId, endpointId);
        return isRemoved;
      }),
    setSecrets(guildId, endpointId, { current, previous }) {
      const values = [current, previous?.sealed ?? null, previous?.validUntil ?? null];
      return change(database, SQL.setSecrets, guildId, endpointId, ...values);
    },
    enableEndpoint: (guildId, endpointId) => change(database, SQL.enable, guildId, endpointId),
    disableEndpoint: (guildId, endpointId, at, reason) =>
      database.transaction(async (inside) => {
        if (!(await change(inside, SQL.disable, guildId, endpointId, at, reason))) return false;
        await change(inside, SQL.failPending, guildId, endpointId);
        return true;
      }),
  };
}

async function add(
  inside: Queryable,
  { guildId, endpointId, url, events, secrets, createdAt }: NewEndpoint,
  maxEndpoints: number,
): Promise<'added' | 'too-many' | 'unknown-guild'> {
  const guild = await inside.query({ text: SQL.lockGuild, values: [guildId] });
  if (guild.rowCount === 0) return 'unknown-guild';
  const { rows } = await inside.query<{ endpoints: number }>({ text: SQL.count, values: [guildId] });
  if ((rows[0]?.endpoints ?? 0) >= maxEndpoints) return 'too-many';
  const values = [guildId, endpointId, url, formatEvents(events), secrets.current, createdAt];
  await inside.query({ text: SQL.add, values });
  return 'added';
}

async function change(database: Queryable, text: string, ...values: unknown[]): Promise<boolean> {
  const { rowCount } = await database.query({ text, values });
  return rowCount !== null && rowCount > 0;
}
