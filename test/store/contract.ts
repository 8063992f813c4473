/**
 * Tests the contract of src/store/store.ts on a real database. The whole test of a backend is one call:
 *
 *   storeContract('SQLite', createDatabase);
 */
import { after, before, describe } from 'node:test';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { activityContract } from './contract/activities.ts';
import { admitContract } from './contract/admit.ts';
import { banContract } from './contract/bans.ts';
import { castContract } from './contract/cast.ts';
import { claimNameContract } from './contract/claim-names.ts';
import { claimProcessContract } from './contract/claim-processes.ts';
import { claimContract } from './contract/claims.ts';
import { concurrencyContract } from './contract/concurrency.ts';
import { countContract } from './contract/counts.ts';
import { feedContract } from './contract/feed.ts';
import { guildContract } from './contract/guilds.ts';
import { idempotencyContract } from './contract/idempotency.ts';
import { importContract } from './contract/import.ts';
import { integrityContract } from './contract/integrity.ts';
import { keyContract } from './contract/keys.ts';
import { lifecycleContract } from './contract/lifecycle.ts';
import { listingContract } from './contract/listing.ts';
import { listContract } from './contract/lists.ts';
import { migrationContract } from './contract/migrations.ts';
import { operatorContract } from './contract/operator.ts';
import { otherProgramsContract } from './contract/other-programs.ts';
import { profileContract } from './contract/profiles.ts';
import { rateContract } from './contract/rates.ts';
import { recentContract } from './contract/recent.ts';
import { reminderContract } from './contract/reminders.ts';
import { standingContract } from './contract/standing.ts';
import { unusualContract } from './contract/unusual.ts';
import { userContract } from './contract/users.ts';
import { voidingContract } from './contract/voiding.ts';
import { webhookDestinationContract } from './contract/webhook-destinations.ts';
import { webhookEndpointContract } from './contract/webhook-endpoints.ts';
import { webhookHistoryContract } from './contract/webhook-history.ts';
import { webhookQueueContract } from './contract/webhook-queue.ts';
import { webhookRetentionContract } from './contract/webhook-retention.ts';
import { webhookTransactionContract } from './contract/webhook-transaction.ts';
import type { FreshDatabase } from './fixtures.ts';

/** How a part of the contract accesses the store and its database. */
export type Subject = {
  readonly store: Store;
  readonly database: FreshDatabase['database'];
  readonly query: FreshDatabase['query'];
};

export function storeContract(name: string, createDatabase: () => Promise<FreshDatabase>): void {
  describe(`a store on ${name}`, () => {
    let fresh: FreshDatabase;
    let store: Store;
    before(async () => {
      fresh = await createDatabase();
      store = await openStore(fresh.database);
    });
    after(async () => {
      await store.close();
      await fresh.drop();
    });

    const subject: Subject = {
      get store() {
        return store;
      },
      get database() {
        return fresh.database;
      },
      query: (sql) => fresh.query(sql),
    };
    guildContract(subject);
    keyContract(subject);
    otherProgramsContract(subject);
    admitContract(subject);
    castContract(subject);
    listContract(subject);
    recentContract(subject);
    importContract(subject);
    countContract(subject);
    standingContract(subject);
    listingContract(subject);
    concurrencyContract(subject);
    profileContract(subject);
    activityContract(subject);
    userContract(subject);
    rateContract(subject);
    claimContract(subject);
    claimNameContract(subject);
    idempotencyContract(subject);
    claimProcessContract(subject);
    feedContract(subject);
    integrityContract(subject);
    reminderContract(subject);
    voidingContract(subject);
    banContract(subject);
    operatorContract(subject);
    unusualContract(subject);
    webhookEndpointContract(subject);
    webhookDestinationContract(subject);
    webhookQueueContract(subject);
    webhookHistoryContract(subject);
    webhookRetentionContract(subject);
    webhookTransactionContract(createDatabase);
    lifecycleContract(createDatabase);
    migrationContract(createDatabase);
  });
}
