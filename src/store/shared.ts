import { createActivityStore } from './activities.ts';
import { createConsumerStore } from './claims/consumers.ts';
import { createTestVoteStore } from './claims/test-votes.ts';
import type { Database } from './database.ts';
import { createFingerprintStore } from './fingerprint.ts';
import { createBannerStore } from './guilds/banners.ts';
import { createGoalStore } from './guilds/goals.ts';
import { createGuildStore } from './guilds/guilds.ts';
import { createListingStore } from './guilds/listing.ts';
import { createMilestoneStore } from './guilds/milestones.ts';
import { createProfileStore } from './guilds/profiles.ts';
import { createRemoval } from './guilds/removal.ts';
import { createVoterRoleStore } from './guilds/voter-roles.ts';
import { createMaintenanceStore } from './maintenance-mode.ts';
import { createAuditStore } from './moderation/audit.ts';
import { createBanStore } from './moderation/bans.ts';
import { createCommunityStore } from './moderation/communities.ts';
import { createIntegrityStore, type NetworkStore } from './moderation/integrity.ts';
import { createOperatorStore } from './moderation/operator.ts';
import { createTallyStore } from './moderation/tallies.ts';
import { createTokenStore } from './moderation/tokens.ts';
import { createUnusualStore } from './moderation/unusual.ts';
import type { VoidStore } from './moderation/voiding.ts';
import { createErasedIds } from './personal-data/erased-ids.ts';
import { createErasure, type ErasureParts } from './personal-data/erasure.ts';
import { createPersonalExport } from './personal-data/export.ts';
import { createReminderStore, type ReminderStore } from './reminders.ts';
import type { Store } from './store.ts';
import { createStoredResponseStore } from './stored-responses.ts';
import { createUserStore } from './users.ts';
import { createOldVotes } from './votes/old-votes.ts';
import { createEndpointStore } from './webhooks/endpoints.ts';
import { createWebhookHistory } from './webhooks/history.ts';
import type { WebhookQueueStore } from './webhooks/store.ts';

type SharedStores = Pick<
  Store,
  | 'guilds'
  | 'profiles'
  | 'banners'
  | 'goals'
  | 'voterRoles'
  | 'listing'
  | 'activities'
  | 'milestones'
  | 'consumers'
  | 'testVotes'
  | 'users'
  | 'tokens'
  | 'responses'
  | 'audit'
  | 'operator'
  | 'unusual'
  | 'fingerprint'
  | 'reminders'
  | 'webhooks'
  | 'moderation'
  | 'integrity'
  | 'personalData'
  | 'oldVotes'
  | 'maintenance'
>;

/** What each database does in its own way, for stores whose other queries are written once. */
type OwnParts = {
  claimReminders: ReminderStore['claim'];
  webhookQueue: WebhookQueueStore;
  voiding: VoidStore;
  networks: NetworkStore;
  erasure: ErasureParts;
};

/** The stores whose queries are written once for both databases, most of them completely. */
export function createSharedStores(database: Database, own: OwnParts): SharedStores {
  const erasedIdOf = createErasedIds(database);
  return {
    guilds: { ...createGuildStore(database), ...createRemoval(database) },
    profiles: createProfileStore(database),
    banners: createBannerStore(database),
    goals: createGoalStore(database),
    voterRoles: createVoterRoleStore(database),
    listing: createListingStore(database),
    activities: createActivityStore(database),
    milestones: createMilestoneStore(database),
    consumers: createConsumerStore(database),
    testVotes: createTestVoteStore(database),
    users: createUserStore(database, erasedIdOf),
    tokens: createTokenStore(database),
    responses: createStoredResponseStore(database),
    audit: createAuditStore(database),
    operator: {
      ...createOperatorStore(database),
      ...createCommunityStore(database),
      ...createTallyStore(database),
    },
    unusual: createUnusualStore(database),
    fingerprint: createFingerprintStore(database),
    reminders: createReminderStore(database, own.claimReminders),
    webhooks: { ...createEndpointStore(database), ...own.webhookQueue, ...createWebhookHistory(database) },
    moderation: { ...own.voiding, ...createBanStore(database, erasedIdOf) },
    integrity: createIntegrityStore(database, own.networks),
    oldVotes: createOldVotes(database),
    maintenance: createMaintenanceStore(database),
    personalData: {
      ...createErasure(database, erasedIdOf, own.erasure),
      ...createPersonalExport(database, erasedIdOf),
    },
  };
}
