import type { Queryable } from './connection/connection.ts';

/**
 * The number of other connections of Votary: every one has this application name. A process that has been idle for a
 * while has none and is not counted.
 */
export async function countOthers(database: Queryable): Promise<number> {
  const { rows } = await database.query<{ others: number }>({
    text: `SELECT count(*) AS others FROM pg_stat_activity
           WHERE datname = current_database() AND application_name = 'votary' AND pid <> pg_backend_pid()`,
  });
  return rows[0]?.others ?? 0;
}
