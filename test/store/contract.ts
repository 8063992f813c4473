/**
 * Tests the contract of src/store/store.ts on a real database. The whole test of a backend is one call:
 *
 *   storeContract('SQLite', SQLITE);
 */
import { after, before, describe } from 'node:test';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { admitContract } from './contract/access/admit.ts';
import { keyContract } from './contract/access/keys.ts';
import { rateContract } from './contract/access/rates.ts';
import { tokenContract } from './contract/access/tokens.ts';
import { claimableContract } from './contract/claims/claimable.ts';
import { claimContract } from './contract/claims/claims.ts';
import { consumerContract } from './contract/claims/consumers.ts';
import { idempotencyContract } from './contract/claims/idempotency.ts';
import { claimNameContract } from './contract/claims/names.ts';
import { playerNameContract } from './contract/claims/player-names.ts';
import { lifecycleContract } from './contract/database/lifecycle.ts';
import { migrationContract } from './contract/database/migrations.ts';
import { otherProgramsContract } from './contract/database/other-programs.ts';
import { severalProgramsContract } from './contract/database/several-programs.ts';
import { activityContract } from './contract/guilds/activities.ts';
import { bannerContract } from './contract/guilds/banners.ts';
import { guildContract } from './contract/guilds/guilds.ts';
import { listingContract } from './contract/guilds/listing.ts';
import { milestoneContract } from './contract/guilds/milestones.ts';
import { profileContract } from './contract/guilds/profiles.ts';
import { removalContract } from './contract/guilds/removal.ts';
import { userContract } from './contract/guilds/users.ts';
import { banContract } from './contract/moderation/bans.ts';
import { integrityContract } from './contract/moderation/integrity.ts';
import { operatorContract } from './contract/moderation/operator.ts';
import { unusualContract } from './contract/moderation/unusual.ts';
import { voidingContract } from './contract/moderation/voiding.ts';
import { erasureContract } from './contract/personal-data/erasure.ts';
import { erasureStepsContract } from './contract/personal-data/erasure-steps.ts';
import { castContract } from './contract/votes/cast.ts';
import { concurrencyContract } from './contract/votes/concurrency.ts';
import { countContract } from './contract/votes/counts.ts';
import { feedContract } from './contract/votes/feed.ts';
import { goalContract } from './contract/votes/goals.ts';
import { importContract } from './contract/votes/import.ts';
import { listContract } from './contract/votes/lists.ts';
import { oldVoteContract } from './contract/votes/old-votes.ts';
import { oneTickContract } from './contract/votes/one-tick.ts';
import { recentContract } from './contract/votes/recent.ts';
import { reminderContract } from './contract/votes/reminders.ts';
import { standingContract } from './contract/votes/standing.ts';
import { voterRoleContract } from './contract/votes/voter-roles.ts';
import { webhookDestinationContract } from './contract/webhooks/destinations.ts';
import { webhookEndpointContract } from './contract/webhooks/endpoints.ts';
import { webhookHistoryContract } from './contract/webhooks/history.ts';
import { webhookQueueContract } from './contract/webhooks/queue.ts';
import { webhookRetentionContract } from './contract/webhooks/retention.ts';
import { webhookTransactionContract } from './contract/webhooks/transaction.ts';
import type { Databases, FreshDatabase } from './fixtures.ts';
import { runInStores } from './tasks.ts';

/** How a part of the contract accesses the store and its database. */
export type Subject = {
  readonly store: Store;
  readonly database: FreshDatabase['database'];
  readonly query: FreshDatabase['query'];
  readonly run: FreshDatabase['run'];
};

export function storeContract(name: string, { createEmpty, createMigrated }: Databases): void {
  describe(`a store on ${name}`, () => {
    const subject = useSubject(createMigrated);
    guildContract(subject);
    removalContract(subject);
    keyContract(subject);
    otherProgramsContract(subject);
    admitContract(subject);
    castContract(subject);
    listContract(subject);
    recentContract(subject);
    importContract(subject);
    countContract(subject);
    goalContract(subject);
    standingContract(subject);
    listingContract(subject);
    concurrencyContract(subject);
    oneTickContract(subject);
    profileContract(subject);
    bannerContract(subject);
    activityContract(subject);
    milestoneContract(subject);
    userContract(subject);
    rateContract(subject);
    tokenContract(subject);
    claimContract(subject);
    claimNameContract(subject);
    claimableContract(subject);
    consumerContract(subject);
    playerNameContract(subject);
    idempotencyContract(subject);
    feedContract(subject);
    integrityContract(subject);
    reminderContract(subject);
    voterRoleContract(subject);
    voidingContract(subject);
    banContract(subject);
    operatorContract(subject);
    unusualContract(subject);
    webhookEndpointContract(subject);
    webhookDestinationContract(subject);
    webhookQueueContract(subject);
    webhookHistoryContract(subject);
    webhookRetentionContract(subject);
    webhookTransactionContract(createMigrated);
    describe('erasing users', () => erasureContract(createMigrated));
    describe('erasing in steps', () => erasureStepsContract(useSubject(createMigrated)));
    describe('deleting old votes', () => oldVoteContract(useSubject(createMigrated)));
    lifecycleContract(createMigrated);
    migrationContract({ createEmpty, createMigrated });
    severalProgramsContract(subject, createEmpty, { name: 'stores', run: runInStores });
  });
}

/** A store for all tests of the current suite. */
export function useSubject(createMigrated: Databases['createMigrated']): Subject {
  let fresh: FreshDatabase;
  let store: Store;
  before(async () => {
    fresh = await createMigrated();
    store = await openStore(fresh.database);
  });
  after(async () => {
    await store.close();
    await fresh.drop();
  });
  return {
    get store() {
      return store;
    },
    get database() {
      return fresh.database;
    },
    query: (sql) => fresh.query(sql),
    run: (sql) => fresh.run(sql),
  };
}
