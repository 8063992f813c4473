import { oldestKeptNetwork } from '../../../domain/votes/networks.ts';
import type { NetworkStore } from '../../moderation/integrity.ts';
import type { MemoryNetworks } from '../../rates.ts';
import type { Connections } from '../connection.ts';

/** The accounts of networks are in memory, because one process serves the file; the hashes are stored with votes. */
export function createNetworkStore(database: Connections, networks: MemoryNetworks): NetworkStore {
  // Index votes_by_network, once per guild.
  const pruneHashes = database.writer.prepare(
    `UPDATE votes SET network = NULL WHERE (guild_id, cast_at, user_id) IN (
       SELECT old.guild_id, old.cast_at, old.user_id
       FROM guilds CROSS JOIN votes AS old INDEXED BY votes_by_network
       WHERE old.guild_id = guilds.guild_id AND old.network < ? LIMIT ? + 0)`,
  );
  return {
    usage: async (network, userId, now) => networks.usage(network, userId, now),
    prune: (now, limit) => database.write(() => pruneHashes.run(oldestKeptNetwork(now), limit).changes),
  };
}
