import { createActivityStore } from './activities.ts';
import type { Database } from './database.ts';
import { createFingerprintStore } from './fingerprint.ts';
import { createGuildStore } from './guilds.ts';
import { createListingStore } from './listing.ts';
import { createAuditStore } from './moderation/audit.ts';
import { createOperatorStore } from './moderation/operator.ts';
import { createTallyStore } from './moderation/tallies.ts';
import { createUnusualStore } from './moderation/unusual.ts';
import { createProfileStore } from './profiles.ts';
import { createRemoval } from './removal.ts';
import type { Store } from './store.ts';
import { createUserStore } from './users.ts';

type SharedStores = Pick<
  Store,
  | 'guilds'
  | 'profiles'
  | 'listing'
  | 'activities'
  | 'users'
  | 'audit'
  | 'operator'
  | 'unusual'
  | 'fingerprint'
>;

/** The parts of a store that are the same on both databases. The others have parts of their own in each. */
export function createSharedStores(database: Database): SharedStores {
  return {
    guilds: { ...createGuildStore(database), ...createRemoval(database) },
    profiles: createProfileStore(database),
    listing: createListingStore(database),
    activities: createActivityStore(database),
    users: createUserStore(database),
    audit: createAuditStore(database),
    operator: { ...createOperatorStore(database), ...createTallyStore(database) },
    unusual: createUnusualStore(database),
    fingerprint: createFingerprintStore(database),
  };
}
