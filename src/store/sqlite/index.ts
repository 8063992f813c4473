import { MemoryRateStore } from '../memory-rates.ts';
import { PendingWork } from '../pending.ts';
import type { Store } from '../store.ts';
import { connect } from './connection.ts';
import { createGuildStore } from './guilds.ts';
import { migrateSqlite } from './migrate.ts';
import { createVoteStore } from './votes.ts';

/** A store in one file. Its rate counters are in memory, since one file is served by one process. */
export function openSqliteStore(path: string): Store {
  migrateSqlite(path);
  const db = connect(path);
  const pending = new PendingWork();
  // Reads the file, where a bare SELECT 1 would not.
  const ping = db.prepare('SELECT max(version) FROM schema_migrations');
  return {
    guilds: createGuildStore(db),
    votes: createVoteStore(db, path, pending),
    rates: new MemoryRateStore(),
    async ping() {
      ping.get();
    },
    async close() {
      await pending.settled();
      db.close();
    },
  };
}
