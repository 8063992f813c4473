import type pg from 'pg';
import type { Vacuumed } from '../maintenance/vacuum.ts';
import { withClient } from './migrate.ts';

/** Makes the space of deleted rows usable again, while the service runs. Throws `StoreOpenError`. */
export function vacuumPostgres(url: string): Promise<Vacuumed> {
  return withClient(url, async (client) => {
    const bytesBefore = await sizeOf(client);
    await client.query('VACUUM (ANALYZE)');
    return { bytesBefore, bytesAfter: await sizeOf(client) };
  });
}

async function sizeOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    'SELECT pg_database_size(current_database()) AS bytes',
  );
  return Number(rows[0]?.bytes);
}
