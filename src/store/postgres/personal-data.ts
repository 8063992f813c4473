import type { ErasureParts } from '../personal-data/erasure.ts';
import type { Queryable } from './connection/connection.ts';

/** Every row: a vote deletes expired ones. */
const FORGET_NETWORKS = `
  UPDATE network_accounts SET accounts = accounts - $1::text WHERE jsonb_exists(accounts, $1)`;

/** PostgreSQL overwrites old versions of rows when it vacuums the table. */
export function createErasureParts(database: Queryable): ErasureParts {
  return {
    async forgetNetworks(userId) {
      await database.query({ text: FORGET_NETWORKS, values: [userId] });
    },
    removeCopies: async () => {},
  };
}
