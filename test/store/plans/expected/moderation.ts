import { createAuditStore } from '../../../../src/store/moderation/audit.ts';
import { createBanStore } from '../../../../src/store/moderation/bans.ts';
import { createCommunityStore } from '../../../../src/store/moderation/communities.ts';
import { createIntegrityStore } from '../../../../src/store/moderation/integrity.ts';
import { createOperatorStore } from '../../../../src/store/moderation/operator.ts';
import { createTallyStore } from '../../../../src/store/moderation/tallies.ts';
import { createTokenStore } from '../../../../src/store/moderation/tokens.ts';
import { createUnusualStore } from '../../../../src/store/moderation/unusual.ts';
import { createStoredResponseStore } from '../../../../src/store/stored-responses.ts';
import type { ExpectedPlans } from '../statements.ts';

const NO_NETWORKS = { usage: async () => ({ otherVotes: [] }), prune: async () => 0 };

export const MODERATION_PLANS: ExpectedPlans = [
  [
    createAuditStore,
    {
      record: [],
      recent: {
        sqlite: ['operator_actions operator_actions_by_time at'],
        postgres: ['operator_actions pkey at,action_id'],
      },
      prune: {
        sqlite: ['operator_actions operator_actions_by_time at (index only)', 'operator_actions pkey rowid'],
        postgres: ['operator_actions pkey at', 'operator_actions pkey at,action_id'],
      },
    },
  ],
  [
    (database) => createBanStore(database, async (userId) => userId),
    {
      ban: [],
      unban: ['voter_bans pkey user_id'],
      find: ['voter_bans pkey user_id'],
      list: ['voter_bans pkey user_id'],
      prune: {
        sqlite: ['voter_bans pkey user_id', 'voter_bans voter_bans_by_end until (index only)'],
        postgres: ['voter_bans pkey user_id', 'voter_bans voter_bans_by_end until'],
      },
    },
  ],
  [
    createTokenStore,
    {
      add: [],
      findByHash: {
        sqlite: ['api_tokens sqlite_autoindex_api_tokens_2 hash'],
        postgres: ['api_tokens api_tokens_hash_key hash'],
      },
      find: ['api_tokens pkey token_id'],
      list: ['api_tokens scan', 'sort'],
      revoke: ['api_tokens pkey token_id'],
      markUsed: ['api_tokens pkey token_id'],
      // The responses of a deleted token are deleted with it.
      prune: {
        sqlite: ['api_tokens pkey token_id', 'api_tokens scan', 'stored_responses pkey token_id'],
        postgres: ['api_tokens pkey token_id', 'api_tokens scan'],
      },
    },
  ],
  [
    createStoredResponseStore,
    {
      reserve: [],
      find: ['stored_responses pkey token_id,key'],
      complete: ['stored_responses pkey token_id,key'],
      release: ['stored_responses pkey token_id,key'],
      prune: {
        sqlite: [
          'stored_responses pkey token_id,key',
          'stored_responses stored_responses_by_age created_at (index only)',
        ],
        postgres: [
          'stored_responses pkey token_id,key',
          'stored_responses stored_responses_by_age created_at',
        ],
      },
    },
  ],
  [
    createTallyStore,
    {
      add: ['sort'],
      since: ['tallies pkey day'],
      prune: ['tallies pkey day'],
    },
  ],
  [
    createCommunityStore,
    {
      whole: {
        sqlite: [
          'guilds guilds_by_name name_folded,guild_id',
          'guilds pkey guild_id',
          'm pkey guild_id,month',
          'sort',
        ],
        postgres: [
          'guilds guilds_by_name name_folded,guild_id',
          'guilds pkey guild_id',
          'm pkey guild_id,month',
        ],
      },
      // As many rows as there are communities.
      name: ['guilds pkey guild_id', 'guilds scan', 'm pkey guild_id,month', 'sort'],
      votes: {
        sqlite: ['guilds pkey guild_id', 'guilds scan', 'm pkey guild_id,month', 'sort'],
        postgres: ['guilds pkey', 'guilds pkey guild_id', 'm pkey guild_id,month', 'sort'],
      },
      created: ['guilds pkey guild_id', 'guilds scan', 'm pkey guild_id,month', 'sort'],
      premium: ['guilds pkey guild_id', 'guilds scan', 'm pkey guild_id,month', 'sort'],
      names: ['guilds pkey guild_id'],
    },
  ],
  [
    createOperatorStore,
    {
      counts: {
        sqlite: [
          'guilds guilds_by_name (index only)',
          'guilds guilds_removed',
          'guilds guilds_sanctioned',
          'guilds guilds_unlisted',
          'voter_bans scan',
          'webhook_deliveries webhook_deliveries_due (index only)',
        ],
        postgres: [
          'guilds guilds_by_name (index only)',
          'guilds guilds_removed (index only)',
          'guilds guilds_sanctioned (index only)',
          'guilds guilds_unlisted (index only)',
          'voter_bans scan',
          'webhook_deliveries webhook_deliveries_due (index only)',
        ],
      },
      failing: ['endpoints webhook_endpoints_failing', 'guilds pkey guild_id'],
      batches: ['void_batches void_batches_by_time created_at,batch'],
    },
  ],
  [
    (database) => createIntegrityStore(database, NO_NETWORKS),
    {
      rules: ['guild_rules pkey guild_id'],
      linkSecrets: ['guild_rules pkey guild_id'],
      setRules: { sqlite: ['guilds pkey guild_id'], postgres: ['guilds pkey guild_id (index only)'] },
      setLinkSecrets: { sqlite: ['guilds pkey guild_id'], postgres: ['guilds pkey guild_id (index only)'] },
      salt: { sqlite: ['network_keys pkey rowid'], postgres: ['network_keys pkey period'] },
      addSalt: [],
      pruneSalts: { sqlite: ['network_keys pkey rowid'], postgres: ['network_keys pkey period'] },
      useChallenge: { sqlite: ['guilds pkey guild_id'], postgres: ['guilds pkey guild_id (index only)'] },
      pruneChallenges: ['used_challenges pkey guild_id,challenge_id', 'used_challenges scan'],
    },
  ],
  [
    createUnusualStore,
    {
      scan: ['sort', 'votes votes_marked_by_time cast_at,guild_id,user_id (index only)'],
      marked: {
        sqlite: ['sort', 'votes pkey guild_id,cast_at,user_id'],
        postgres: ['sort', 'votes votes_by_user guild_id,user_id,cast_at'],
      },
      days: ['sort', 'votes votes_marked guild_id,cast_at (index only)'],
      sharedNames: {
        sqlite: [
          'sort',
          'votes pkey guild_id,cast_at,user_id',
          'votes votes_marked guild_id,cast_at (index only)',
        ],
        postgres: [
          'sort',
          'votes votes_by_user guild_id,user_id,cast_at',
          'votes votes_marked guild_id,cast_at (index only)',
        ],
      },
      busyNetworks: {
        sqlite: [
          'sort',
          'votes pkey guild_id,cast_at,user_id',
          'votes votes_marked guild_id,cast_at (index only)',
        ],
        postgres: [
          'sort',
          'votes votes_by_user guild_id,user_id,cast_at',
          'votes votes_marked guild_id,cast_at (index only)',
        ],
      },
      hourly: ['hourly_votes pkey guild_id,hour'],
    },
  ],
];
