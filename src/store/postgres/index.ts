import type { LocalCountObserver } from '../rates.ts';
import type { DatabaseCheck, QueryObserver, Store, UnopenedStore } from '../store.ts';
import { createEndpointStore } from '../webhooks/endpoints.ts';
import { createWebhookHistory } from '../webhooks/history.ts';
import { createActivityStore } from './activities.ts';
import { createAdmit } from './admit.ts';
import { openClient } from './connection/client.ts';
import { Connections } from './connection/connection.ts';
import { explainFailure, isUnreachable } from './connection/failures.ts';
import { createDatabase } from './database.ts';
import { createGuildStore, createProfileStore } from './guilds.ts';
import { createFingerprintStore } from './maintenance.ts';
import { migratePostgres } from './migrate.ts';
import { createIntegrityStore, createUnusualStore } from './moderation/integrity.ts';
import { createAuditStore, createBans, createOperatorStore } from './moderation/operator.ts';
import { createVoiding } from './moderation/voiding.ts';
import { PostgresRateStore } from './rates.ts';
import { createReminderStore, createUserStore } from './users.ts';
import { createClaimStore } from './votes/claims.ts';
import { createListingStore } from './votes/counts.ts';
import { createFeedStore, createVoteStore } from './votes/votes.ts';
import { createWebhookQueue } from './webhooks/queue.ts';

export type PostgresOptions = {
  poolSize?: number;
  onQuery?: QueryObserver;
  onLocalCount?: LocalCountObserver;
  timeLimitMs?: number | null;
};

/**
 * A store shared by any number of processes, including rate counters. Its calls reject until `open` has migrated the
 * database.
 */
export function createPostgresStore(url: string, options: PostgresOptions = {}): UnopenedStore {
  const database = new Connections(url, { ...options, isClosed: true });
  const open = async (check?: DatabaseCheck) => {
    await migratePostgres(url);
    if (check) await checkBeforeUse(url, check);
    await database.open().catch((error: unknown) => {
      throw explainFailure(url, error);
    });
  };
  return { store: assemble(database, url, options.onLocalCount), open };
}

/** On a separate connection, because those of the store are not in use yet. */
async function checkBeforeUse(url: string, check: DatabaseCheck): Promise<void> {
  try {
    const client = await openClient(url);
    await check({ fingerprint: createFingerprintStore(client) }).finally(() => client.end());
  } catch (error) {
    throw isUnreachable(error) ? explainFailure(url, error) : error;
  }
}

function assemble(database: Connections, url: string, onLocalCount?: LocalCountObserver): Store {
  const shared = createDatabase(database);
  const rates = new PostgresRateStore(database, onLocalCount);
  const guilds = createGuildStore(database);
  const votes = createVoteStore(database, url);
  return {
    guilds,
    profiles: createProfileStore(database),
    listing: createListingStore(database),
    votes,
    rates,
    admit: createAdmit(database, { guilds, votes, rates }),
    activities: createActivityStore(database),
    users: createUserStore(database),
    webhooks: {
      ...createEndpointStore(shared),
      ...createWebhookQueue(database),
      ...createWebhookHistory(shared),
    },
    claims: createClaimStore(database),
    feed: createFeedStore(database),
    reminders: createReminderStore(database),
    moderation: { ...createVoiding(database), ...createBans(database) },
    audit: createAuditStore(database),
    operator: createOperatorStore(database),
    unusual: createUnusualStore(database),
    integrity: createIntegrityStore(database),
    fingerprint: createFingerprintStore(database),
    ping: () => database.ping(),
    load: () => database.load(),
    close: () => database.close(),
  };
}
