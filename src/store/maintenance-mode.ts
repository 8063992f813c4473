/** Whether votes are refused, for all processes that share the database. */
import type { Instant } from '../domain/clock.ts';
import type { Maintenance } from '../domain/maintenance.ts';
import type { Database } from './database.ts';

export interface MaintenanceStore {
  /** `undefined` while votes are accepted. */
  find(): Promise<Maintenance | undefined>;
  /** Replaces the message of maintenance that has begun; its start stays. */
  begin(maintenance: Maintenance): Promise<void>;
  /** Returns false if votes were already accepted. */
  end(): Promise<boolean>;
}

/** A table of at most one row. */
export function createMaintenanceStore({ read, write }: Database): MaintenanceStore {
  const find = read<{ since: Instant; message: string | null }>(
    'SELECT since, message FROM maintenance WHERE id = 1',
  );
  const begin = write(`
    INSERT INTO maintenance (id, since, message) VALUES (1, @since, @message)
    ON CONFLICT (id) DO UPDATE SET message = excluded.message`);
  const end = write('DELETE FROM maintenance WHERE id = 1');
  return {
    async find() {
      return (await find())[0];
    },
    async begin({ since, message }) {
      await begin({ since, message });
    },
    async end() {
      return (await end()) > 0;
    },
  };
}
