import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { isActive } from '../../domain/guild.ts';
import type { Vote } from '../../domain/votes/vote.ts';
import { createPrivateFile, restrictToOwner } from '../private-file.ts';
import { MemoryNetworks, MemoryRateStore } from '../rates.ts';
import type { Admission, QueryObserver, RequestLookup, Store, VoteQuery } from '../store.ts';
import { createEndpointStore } from '../webhooks/endpoints.ts';
import { createWebhookHistory } from '../webhooks/history.ts';
import { WriteProbe } from '../write-probe.ts';
import { createActivityStore } from './activities.ts';
import { type Connection, Connections, explainUnavailable, isBusy } from './connection.ts';
import { createDatabase } from './database.ts';
import { createGuildStore, createProfileStore } from './guilds.ts';
import { HotCache } from './hot-cache.ts';
import { createFingerprintStore } from './maintenance.ts';
import { migrateSqlite } from './migrate.ts';
import { createIntegrityStore, createUnusualStore } from './moderation/integrity.ts';
import { createAuditStore, createBans, createOperatorStore } from './moderation/operator.ts';
import { createVoiding } from './moderation/voiding.ts';
import { createReminderStore, createUserStore } from './users.ts';
import { createClaimStore } from './votes/claims.ts';
import { createListingStore } from './votes/counts.ts';
import { createFeedStore, createVoteStore } from './votes/votes.ts';
import { createWebhookQueue } from './webhooks/queue.ts';

/** `admit` of the store, mostly from memory. The request is counted last, when nothing else can fail. */
export function createAdmit(
  cache: HotCache,
  rates: MemoryRateStore,
): (lookup: RequestLookup) => Promise<Admission> {
  return async ({ keyHash, voteQuery, rateKey, fallbackRateKey, limit, now }) => {
    const { guild, vote } = find(cache, keyHash, voteQuery);
    const window = rates.count(guild && isActive(guild) ? rateKey : fallbackRateKey, limit, now);
    return { guild, vote, window };
  };
}

function find(cache: HotCache, keyHash: string, query: VoteQuery | null): Omit<Admission, 'window'> {
  try {
    const guild = cache.guildByKeyHash(keyHash);
    return { guild, vote: guild && query ? findVote(cache, guild.guildId, query) : undefined };
  } catch (error) {
    throw explainUnavailable(error);
  }
}

function findVote(cache: HotCache, guildId: string, query: VoteQuery): Vote | undefined {
  if ('userId' in query) return cache.latestOfUser(guildId, query.userId, query.window);
  return cache.latestOfExternalId(guildId, query.externalId, query.window);
}

/**
 * A store in one file. Request counters and accounts per network are in memory, because one process serves the file.
 */
export async function openSqliteStore(
  path: string,
  { onQuery }: { onQuery?: QueryObserver } = {},
): Promise<Store> {
  await migrateSqlite(path);
  const database = new Connections(path, onQuery);
  const cache = new HotCache(database);
  // Reads the file, which a plain SELECT 1 would not.
  const ping = database.reader.prepare('SELECT max(version) FROM schema_migrations');
  const probe = new WriteProbe(async () => database.probeWrite());
  const shared = createDatabase(database);
  const rates = new MemoryRateStore();
  const networks = new MemoryNetworks();
  return {
    guilds: createGuildStore(database, cache),
    profiles: createProfileStore(database),
    listing: createListingStore(database.reader),
    votes: createVoteStore(database, path, cache, networks),
    rates,
    admit: createAdmit(cache, rates),
    activities: createActivityStore(database),
    users: createUserStore(database),
    webhooks: {
      ...createEndpointStore(shared),
      ...createWebhookQueue(database),
      ...createWebhookHistory(shared),
    },
    claims: createClaimStore(database),
    feed: createFeedStore(database.reader),
    reminders: createReminderStore(database),
    moderation: { ...createVoiding(database), ...createBans(database) },
    audit: createAuditStore(database),
    operator: createOperatorStore(database),
    unusual: createUnusualStore(database.reader),
    integrity: createIntegrityStore(database, networks),
    fingerprint: createFingerprintStore(database),
    async ping() {
      ping.get();
      await probe.check();
    },
    load: () => ({ waiting: database.waitingWrites, pool: null }),
    close: () => database.close(),
  };
}

/**
 * A lock on a separate file next to the database: SQLite has no lock that lasts and still lets commands write. The
 * system releases it when the process exits for any reason.
 */
export function lockForService(path: string): { isTaken: boolean; release(): void } {
  const file = `${path}.lock`;
  let db: Connection | undefined;
  try {
    createPrivateFile(file);
    restrictToOwner(file);
    db = new Database(file, { timeout: 0 });
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db?.close();
    return { isTaken: isBusy(error), release: () => {} };
  }
  const lock = db;
  return {
    isTaken: false,
    release: () => {
      try {
        rmSync(file, { force: true });
      } catch {
        // The folder has become read-only. A leftover file is not locked.
      }
      lock.close();
    },
  };
}
