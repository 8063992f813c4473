import { createGoalStore } from '../../../../src/store/guilds/goals.ts';
import { createVoterRoleStore } from '../../../../src/store/guilds/voter-roles.ts';
import { createVoteCounts } from '../../../../src/store/votes/counts.ts';
import { createVoteLists } from '../../../../src/store/votes/lists.ts';
import { createOldVotes } from '../../../../src/store/votes/old-votes.ts';
import type { ExpectedPlans } from '../statements.ts';

export const VOTE_PLANS: ExpectedPlans = [
  [
    createGoalStore,
    {
      exists: ['guilds pkey guild_id'],
      find: ['vote_goals pkey guild_id'],
      findMany: ['vote_goals pkey guild_id'],
      countHours: ['hourly_votes pkey guild_id,hour'],
      countMonth: ['monthly_votes pkey guild_id,month'],
      set: ['guilds pkey guild_id', 'vote_sequences pkey guild_id'],
      setTimed: ['guilds pkey guild_id', 'vote_sequences pkey guild_id'],
      addReached: ['hourly_votes pkey guild_id,hour', 'vote_goals pkey guild_id'],
      remove: ['vote_goals pkey guild_id'],
      prune: {
        sqlite: [
          'guilds guilds_by_name (index only)',
          'reached pkey guild_id,starts_at',
          'reached_goals pkey guild_id,starts_at,period,target',
        ],
        postgres: [
          'guilds pkey',
          'reached pkey guild_id,starts_at',
          'reached_goals pkey guild_id,starts_at,period,target',
        ],
      },
    },
  ],
  [
    createVoterRoleStore,
    {
      exists: ['guilds pkey guild_id'],
      find: ['voter_roles pkey guild_id'],
      set: ['guilds pkey guild_id'],
      setChecks: {
        sqlite: ['voter_role_members pkey guild_id', 'voter_role_members pkey guild_id,user_id,role_id'],
        postgres: [
          'sort',
          'voter_role_members pkey guild_id',
          'voter_role_members pkey guild_id,user_id,role_id',
        ],
      },
      addQualified: {
        sqlite: ['r pkey guild_id', 'sort', 'v pkey guild_id,cast_at'],
        postgres: ['r pkey guild_id (index only)', 'v votes_by_user guild_id,cast_at (index only)'],
      },
      turnOff: ['voter_roles pkey guild_id'],
      turnOffChecks: {
        sqlite: ['voter_role_members pkey guild_id', 'voter_role_members pkey guild_id,user_id,role_id'],
        postgres: [
          'sort',
          'voter_role_members pkey guild_id',
          'voter_role_members pkey guild_id,user_id,role_id',
        ],
      },
      retry: ['voter_roles pkey guild_id'],
      anyDue: ['voter_roles voter_roles_due due_at'],
      claim: ['voter_roles pkey guild_id', 'voter_roles voter_roles_due due_at'],
      due: [
        'm voter_role_members_due guild_id,check_at',
        'v votes_by_user guild_id,user_id (index only)',
        'v votes_by_user guild_id,user_id,cast_at (index only)',
      ],
      request: ['voter_role_members pkey guild_id,user_id,role_id'],
      cancelRequest: ['voter_role_members pkey guild_id,user_id,role_id'],
      keep: ['voter_role_members pkey guild_id,user_id,role_id'],
      drop: ['voter_role_members pkey guild_id,user_id,role_id'],
      dropRow: ['voter_role_members pkey guild_id,user_id,role_id'],
      postponeForgotten: {
        sqlite: [
          'm voter_role_members_due guild_id,check_at (index only)',
          'r pkey guild_id',
          'sort',
          'v votes_by_user guild_id,user_id,cast_at (index only)',
          'voter_role_members pkey guild_id,user_id,role_id',
        ],
        postgres: [
          'm pkey guild_id,role_id',
          'r pkey guild_id',
          'v votes_by_user guild_id,user_id,cast_at',
          'voter_role_members pkey guild_id',
        ],
      },
      postpone: {
        sqlite: [
          'm voter_role_members_due guild_id,check_at (index only)',
          'r pkey guild_id',
          'sort',
          'voter_role_members pkey guild_id,user_id,role_id',
        ],
        postgres: ['m pkey guild_id,role_id', 'r pkey guild_id', 'voter_role_members pkey guild_id'],
      },
      release: ['voter_roles pkey guild_id'],
      releaseDue: ['m voter_role_members_due guild_id (index only)', 'voter_roles pkey guild_id'],
      setProblem: ['voter_roles pkey guild_id'],
      clearProblem: ['voter_roles pkey guild_id'],
      prune: {
        sqlite: [
          'm voter_role_members_due guild_id,check_at (index only)',
          'r scan',
          'voter_role_members pkey guild_id,user_id,role_id',
        ],
        postgres: [
          'm voter_role_members_due check_at',
          'r pkey guild_id',
          'voter_role_members pkey guild_id,user_id,role_id',
        ],
      },
    },
  ],
  [
    createVoteLists,
    {
      page: ['votes pkey guild_id,cast_at,user_id'],
      pageOfUser: ['votes votes_by_user guild_id,user_id,cast_at'],
      list: ['votes pkey guild_id,cast_at,user_id'],
      listOfUser: ['votes votes_by_user guild_id,user_id,cast_at'],
      recent: ['votes pkey guild_id,cast_at,user_id'],
      recentOfUser: ['votes votes_by_user guild_id,user_id,cast_at'],
      beforeOfName: ['votes votes_by_external_id guild_id,name_key,cast_at,user_id'],
      afterOfName: ['votes votes_by_external_id guild_id,name_key,cast_at,user_id'],
    },
  ],
  [
    createOldVotes,
    {
      guilds: { sqlite: ['guilds pkey guild_id'], postgres: ['guilds pkey guild_id (index only)'] },
      guildsWithOldVotes: {
        sqlite: [
          'consumer_claims pkey guild_id,cast_at (index only)',
          'guilds pkey guild_id',
          'voided_votes pkey guild_id,cast_at',
          'vote_claims pkey guild_id,cast_at (index only)',
          'votes pkey guild_id,cast_at',
        ],
        postgres: [
          'consumer_claims pkey guild_id,cast_at (index only)',
          'guilds pkey guild_id (index only)',
          'voided_votes pkey guild_id,cast_at (index only)',
          'vote_claims pkey guild_id,cast_at (index only)',
          'votes pkey guild_id,cast_at (index only)',
        ],
      },
      oldestVotes: {
        sqlite: ['votes pkey guild_id,cast_at'],
        postgres: ['votes pkey guild_id,cast_at (index only)'],
      },
      oldestVoided: {
        sqlite: ['voided_votes pkey guild_id,cast_at'],
        postgres: ['voided_votes pkey guild_id,cast_at (index only)'],
      },
      oldestClaims: ['vote_claims pkey guild_id,cast_at (index only)'],
      oldestConsumerClaims: ['consumer_claims pkey guild_id,cast_at (index only)'],
      dropVotes: ['votes pkey guild_id,cast_at,user_id'],
      dropVoided: ['voided_votes pkey guild_id,cast_at,user_id'],
      dropClaims: {
        sqlite: ['vote_claims pkey guild_id,cast_at,user_id (index only)'],
        postgres: ['vote_claims pkey guild_id,cast_at,user_id'],
      },
      dropConsumerClaims: {
        sqlite: ['consumer_claims pkey guild_id,cast_at,user_id (index only)'],
        postgres: ['consumer_claims pkey guild_id,cast_at,user_id'],
      },
      dropCooldowns: ['cooldowns pkey guild_id,user_id'],
    },
  ],
  [
    createVoteCounts,
    {
      count: {
        sqlite: ['votes pkey guild_id,cast_at'],
        postgres: ['votes pkey guild_id,cast_at (index only)'],
      },
      countByHours: {
        sqlite: ['hourly_votes pkey guild_id,hour', 'votes pkey guild_id,cast_at'],
        postgres: ['hourly_votes pkey guild_id,hour', 'votes pkey guild_id,cast_at (index only)'],
      },
      countOfUser: ['votes votes_by_user guild_id,user_id,cast_at (index only)'],
      countInMonth: ['monthly_votes pkey guild_id,month'],
      monthly: ['monthly_votes pkey guild_id,month'],
      daily: ['hourly_votes pkey guild_id,hour', 'sort'],
    },
  ],
];
