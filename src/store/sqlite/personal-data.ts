import type { ErasureParts } from '../personal-data/erasure.ts';
import type { MemoryNetworks } from '../rates.ts';
import type { Connections } from './connection.ts';

/** Accounts of networks are in the memory of the service, for an hour. Only an erasure in that process deletes them. */
export function createErasureParts({ writer }: Connections, networks: MemoryNetworks): ErasureParts {
  return {
    forgetNetworks: async (userId) => networks.forget(userId),
    async removeCopies() {
      // In the log of recent writes. A program that is reading can prevent this; then later writes overwrite the log.
      writer.pragma('wal_checkpoint(TRUNCATE)');
    },
  };
}
