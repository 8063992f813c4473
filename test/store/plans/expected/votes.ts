import { createVoteCounts } from '../../../../src/store/votes/counts.ts';
import { createVoteLists } from '../../../../src/store/votes/lists.ts';
import type { ExpectedPlans } from '../statements.ts';

export const VOTE_PLANS: ExpectedPlans = [
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
