import type { QueryObserver, Store } from '../store.ts';
import type { WebhookStore } from '../webhooks/store.ts';
import { createActivityStore } from './activities.ts';
import { createAdmit } from './admit.ts';
import { Connections } from './connection/connection.ts';
import { createGuildStore } from './guilds.ts';
import { createIntegrityStore } from './integrity.ts';
import { migratePostgres } from './migrate.ts';
import { createBans } from './moderation/bans.ts';
import { createAuditStore, createOperatorStore } from './moderation/operator.ts';
import { createUnusualStore } from './moderation/unusual.ts';
import { createVoiding } from './moderation/voiding.ts';
import { createProfileStore } from './profiles.ts';
import { PostgresRateStore } from './rates.ts';
import { createReminderStore } from './reminders.ts';
import { createFingerprintStore } from './reseal.ts';
import { createUserStore } from './users.ts';
import { createClaimStore } from './votes/claims.ts';
import { createFeedStore } from './votes/feed.ts';
import { createListingStore } from './votes/listing.ts';
import { createVoteStore } from './votes/votes.ts';
import { createEndpointStore } from './webhooks/endpoints.ts';
import { createWebhookHistory } from './webhooks/history.ts';
import { createWebhookQueue } from './webhooks/queue.ts';

export function createWebhookStore(database: Connections): WebhookStore {
  return {
    ...createEndpointStore(database),
    ...createWebhookQueue(database),
    ...createWebhookHistory(database),
  };
}

/** A store shared by any number of processes, including rate counters. */
export async function openPostgresStore(
  url: string,
  { poolSize, onQuery }: { poolSize?: number; onQuery?: QueryObserver } = {},
): Promise<Store> {
  await migratePostgres(url);
  const database = new Connections(url, poolSize, onQuery);
  await database.detectPooler();
  const rates = new PostgresRateStore(database);
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
    webhooks: createWebhookStore(database),
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
