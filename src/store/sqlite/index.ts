import { MemoryRateStore } from '../memory-rates.ts';
import type { Store } from '../store.ts';
import { createActivityStore } from './activities.ts';
import { createAdmit } from './admit.ts';
import { Connections } from './connection.ts';
import { createGuildStore } from './guilds.ts';
import { HotCache } from './hot-cache.ts';
import { migrateSqlite } from './migrate.ts';
import { createVoteStore } from './votes.ts';
import { createWebhookStore } from './webhooks.ts';

/** A store in one file. Its rate counters are in memory, since one file is served by one process. */
export async function openSqliteStore(path: string): Promise<Store> {
  await migrateSqlite(path);
  const database = new Connections(path);
  const cache = new HotCache(database);
  // Reads the file, where a bare SELECT 1 would not.
  const ping = database.reader.prepare('SELECT max(version) FROM schema_migrations');
  const rates = new MemoryRateStore();
  return {
    guilds: createGuildStore(database, cache),
    votes: createVoteStore(database, path, cache),
    rates,
    admit: createAdmit(cache, rates),
    activities: createActivityStore(database),
    webhooks: createWebhookStore(database),
    async ping() {
      ping.get();
    },
    close: () => database.close(),
  };
}
