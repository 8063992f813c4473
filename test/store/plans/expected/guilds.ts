import { createActivityStore } from '../../../../src/store/activities.ts';
import { createConsumerStore } from '../../../../src/store/claims/consumers.ts';
import { createTestVoteStore } from '../../../../src/store/claims/test-votes.ts';
import { createFingerprintStore } from '../../../../src/store/fingerprint.ts';
import { createBannerStore } from '../../../../src/store/guilds/banners.ts';
import { createGuildStore } from '../../../../src/store/guilds/guilds.ts';
import { createListingStore } from '../../../../src/store/guilds/listing.ts';
import { createMilestoneStore } from '../../../../src/store/guilds/milestones.ts';
import { createProfileStore } from '../../../../src/store/guilds/profiles.ts';
import { createReminderStore } from '../../../../src/store/reminders.ts';
import { createUserStore } from '../../../../src/store/users.ts';
import type { ExpectedPlans } from '../statements.ts';

export const GUILD_PLANS: ExpectedPlans = [
  [
    (database) => createUserStore(database, async (userId) => userId),
    {
      remember: [],
      find: ['users pkey user_id'],
      setShowName: ['users pkey user_id'],
      prune: {
        sqlite: ['users pkey user_id', 'users users_by_age seen_at (index only)'],
        postgres: ['users pkey user_id', 'users users_by_age seen_at'],
      },
      signOut: [],
      signedOutAt: ['sign_outs pkey user_id'],
      pruneSignOuts: {
        sqlite: ['sign_outs pkey user_id', 'sign_outs sign_outs_by_age signed_out_at (index only)'],
        postgres: ['sign_outs pkey user_id', 'sign_outs sign_outs_by_age signed_out_at'],
      },
    },
  ],
  [
    (database) => createReminderStore(database, async () => []),
    {
      enable: ['c pkey guild_id,user_id', 'g pkey guild_id'],
      disable: ['reminders pkey guild_id,user_id'],
      disableAll: ['reminders reminders_by_user user_id'],
      find: ['reminders pkey guild_id,user_id'],
      finish: ['reminders pkey guild_id,user_id'],
      retry: ['reminders pkey guild_id,user_id'],
      prune: ['reminders pkey guild_id,user_id', 'reminders scan'],
    },
  ],
  [
    createGuildStore,
    {
      add: [],
      list: { sqlite: ['guilds scan'], postgres: ['guilds pkey'] },
      page: ['guilds pkey guild_id'],
      find: ['guilds pkey guild_id'],
      findExisting: ['guilds pkey guild_id'],
      findKey: ['guilds pkey guild_id'],
      findByKeyHash: ['guilds guilds_by_key_hash key_hash'],
      rename: ['guilds pkey guild_id'],
      setUnlisted: ['guilds pkey guild_id'],
      setHidden: ['guilds pkey guild_id'],
      setKey: ['guilds pkey guild_id'],
      setPremiumUntil: ['guilds pkey guild_id'],
      setSanction: ['guilds pkey guild_id'],
      setRateLimit: ['guilds pkey guild_id'],
      setDoubling: ['guilds pkey guild_id'],
      setOneRewardPerName: ['guilds pkey guild_id'],
      setPlayerNames: ['guilds pkey guild_id'],
      setListforgeConsumer: ['guilds pkey guild_id'],
    },
  ],
  [
    createConsumerStore,
    {
      find: ['claim_consumers pkey guild_id,consumer'],
      touch: ['claim_consumers pkey guild_id,consumer'],
      lock: ['guilds pkey guild_id'],
      add: {
        sqlite: ['claim_consumers pkey guild_id', 'guilds pkey guild_id'],
        postgres: ['claim_consumers pkey guild_id (index only)', 'guilds pkey guild_id (index only)'],
      },
      list: ['claim_consumers pkey guild_id'],
      remove: ['claim_consumers pkey guild_id,consumer'],
    },
  ],
  [
    createTestVoteStore,
    {
      find: ['test_votes pkey guild_id'],
      send: ['guilds pkey guild_id'],
      claim: ['test_votes pkey guild_id'],
    },
  ],
  [
    createProfileStore,
    {
      find: ['guild_profiles pkey guild_id'],
      icon: ['guild_icons pkey guild_id'],
      seen: ['guild_icons pkey guild_id', 'guild_profiles pkey guild_id', 'guilds pkey guild_id'],
      set: ['guilds pkey guild_id'],
      'setIcon 1': ['guilds pkey guild_id'],
      'setIcon 2': [],
      'removeIcon 1': ['guilds pkey guild_id'],
      'removeIcon 2': ['guild_icons pkey guild_id'],
      setDiscordName: ['guilds pkey guild_id'],
    },
  ],
  [
    createBannerStore,
    {
      find: ['guild_banners pkey guild_id'],
      file: ['guild_banners pkey guild_id'],
      set: ['guilds pkey guild_id'],
      setAlt: ['guild_banners pkey guild_id'],
      remove: ['guild_banners pkey guild_id'],
    },
  ],
  [
    createActivityStore,
    {
      record: ['guilds pkey guild_id'],
      recent: { sqlite: ['activities activities_by_guild guild_id'], postgres: ['activities pkey guild_id'] },
      guildsAfter: { sqlite: ['guilds pkey guild_id'], postgres: ['guilds pkey guild_id (index only)'] },
      toPrune: {
        sqlite: ['activities activities_by_guild guild_id (index only)'],
        postgres: ['activities activities_merged guild_id'],
      },
      prune: {
        sqlite: [
          'activities activities_by_guild guild_id',
          'activities activities_by_guild guild_id,at,activity_id (index only)',
          'sort',
        ],
        postgres: ['activities activities_merged guild_id', 'activities pkey guild_id', 'sort'],
      },
    },
  ],
  [
    createMilestoneStore,
    {
      find: {
        sqlite: [
          'consumer_claims pkey guild_id (index only)',
          'guild_milestones pkey guild_id',
          'guilds pkey guild_id',
          'vote_claims pkey guild_id (index only)',
        ],
        postgres: [
          'consumer_claims consumer_claims_guild_id_vote_id_consumer_key guild_id (index only)',
          'guild_milestones pkey guild_id',
          'guilds pkey guild_id (index only)',
          'vote_claims vote_claims_guild_id_vote_id_key guild_id (index only)',
        ],
      },
      recordRequests: ['guilds pkey guild_id'],
      hideChecklist: ['guilds pkey guild_id'],
    },
  ],
  [
    createListingStore,
    {
      read: ['guilds pkey guild_id', 'months pkey guild_id,month', 'profiles pkey guild_id'],
      weeks: ['guilds pkey guild_id', 'hours pkey guild_id,hour'],
      lastVotes: ['cooldowns pkey guild_id,user_id'],
    },
  ],
  [
    createFingerprintStore,
    {
      find: { sqlite: ['master_secret pkey rowid'], postgres: ['master_secret pkey id'] },
      keep: [],
      replace: [],
    },
  ],
];
