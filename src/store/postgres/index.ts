import { createFingerprintStore } from '../fingerprint.ts';
import type { LocalCountObserver } from '../rates.ts';
import { createSharedStores } from '../shared.ts';
import type { DatabaseCheck, QueryObserver, Store, UnopenedStore } from '../store.ts';
import { createAdmit } from './admit.ts';
import { openClient } from './connection/client.ts';
import { Connections } from './connection/connection.ts';
import { explainFailure, isUnreachable } from './connection/failures.ts';
import { createDatabase, createStatements } from './database.ts';
import { migratePostgres } from './migrate.ts';
import { createNetworkStore } from './moderation/networks.ts';
import { createVoiding } from './moderation/voiding.ts';
import { createErasureParts } from './personal-data.ts';
import { PostgresRateStore } from './rates.ts';
import { createReminderClaim } from './reminders.ts';
import { createClaimStore } from './votes/claims.ts';
import { createFeedStore } from './votes/feed.ts';
import { createVoteStore } from './votes/votes.ts';
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
  const connections = new Connections(url, { ...options, isClosed: true });
  const open = async (check?: DatabaseCheck) => {
    await migratePostgres(url);
    if (check) await checkBeforeUse(url, check);
    await connections.open().catch((error: unknown) => {
      throw explainFailure(url, error);
    });
  };
  return { store: assemble(connections, url, options.onLocalCount), open };
}

/** On a separate connection, because those of the store are not in use yet. */
async function checkBeforeUse(url: string, check: DatabaseCheck): Promise<void> {
  try {
    const client = await openClient(url);
    await check({ fingerprint: createFingerprintStore(createStatements(client)) }).finally(() =>
      client.end(),
    );
  } catch (error) {
    throw isUnreachable(error) ? explainFailure(url, error) : error;
  }
}

function assemble(connections: Connections, url: string, onLocalCount?: LocalCountObserver): Store {
  const database = createDatabase(connections);
  const shared = createSharedStores(database, {
    claimReminders: createReminderClaim(connections),
    webhookQueue: createWebhookQueue(connections),
    voiding: createVoiding(connections),
    networks: createNetworkStore(connections),
    erasure: createErasureParts(connections),
  });
  const votes = createVoteStore(connections, database, url);
  const rates = new PostgresRateStore(connections, onLocalCount);
  return {
    ...shared,
    votes,
    feed: createFeedStore(connections),
    claims: createClaimStore(connections, shared.consumers),
    rates,
    admit: createAdmit(connections, { guilds: shared.guilds, votes, rates }),
    ping: () => connections.ping(),
    load: () => connections.load(),
    close: () => connections.close(),
  };
}
