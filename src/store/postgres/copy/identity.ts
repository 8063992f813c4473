import { withClient } from '../migrate.ts';

/** A server is identified by the moment it started; a database may contain several schemas. */
const IDENTITY = `
  SELECT concat_ws(' ', pg_postmaster_start_time(), pg_database.oid, current_schema()) AS identity
  FROM pg_database WHERE datname = current_database()`;

/** The same text for addresses that lead to the same tables, however they are written. Throws `StoreOpenError`. */
export function identifyPostgres(url: string): Promise<string | undefined> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ identity: string }>(IDENTITY);
    return rows[0]?.identity;
  });
}
