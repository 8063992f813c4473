import { MemoryNetworks, MemoryRateStore } from '../rates.ts';
import { createSharedStores } from '../shared.ts';
import type { QueryObserver, Store } from '../store.ts';
import { WriteProbe } from '../write-probe.ts';
import { createAdmit } from './admit.ts';
import { Connections } from './connection.ts';
import { createDatabase } from './database.ts';
import { HotCache } from './hot-cache.ts';
import { migrateSqlite } from './migrate.ts';
import { createNetworkStore } from './moderation/networks.ts';
import { createVoiding } from './moderation/voiding.ts';
import { createErasureParts } from './personal-data.ts';
import { createReminderClaim } from './reminders.ts';
import { createClaimStore } from './votes/claims.ts';
import { createFeedStore } from './votes/feed.ts';
import { createVoteStore } from './votes/votes.ts';
import { createWebhookQueue } from './webhooks/queue.ts';

/**
 * A store in one file. Request counters and accounts per network are in memory, because one process serves the file.
 */
export async function openSqliteStore(
  path: string,
  { onQuery, preparesOnUse }: { onQuery?: QueryObserver; preparesOnUse?: boolean } = {},
): Promise<Store> {
  await migrateSqlite(path);
  const connections = new Connections(path, { onQuery, preparesOnUse });
  const database = createDatabase(connections);
  const cache = new HotCache(connections);
  // Reads the file, which a plain SELECT 1 would not.
  const ping = connections.reader.prepare('SELECT max(version) FROM schema_migrations');
  const probe = new WriteProbe(async () => connections.probeWrite());
  const rates = new MemoryRateStore();
  const networks = new MemoryNetworks();
  const shared = createSharedStores(database, {
    claimReminders: createReminderClaim(connections),
    webhookQueue: createWebhookQueue(connections),
    voiding: createVoiding(connections, cache),
    networks: createNetworkStore(connections, networks),
    erasure: createErasureParts(connections, networks),
  });
  return {
    ...shared,
    guilds: { ...shared.guilds, findByKeyHash: async (hash) => cache.guildByKeyHash(hash) },
    votes: createVoteStore(connections, database, path, { cache, networks }),
    feed: createFeedStore(connections.reader),
    claims: createClaimStore(connections, shared.consumers),
    rates,
    admit: createAdmit(cache, rates),
    async ping() {
      ping.get();
      await probe.check();
    },
    load: () => ({ waiting: connections.waitingWrites, pool: null }),
    close: () => connections.close(),
  };
}
