/** Why votes are refused, as metric labels and in the statistics of operators. */
export const VOTE_REFUSALS = [
  'cooldown',
  'banned',
  'young_account',
  'not_member',
  'membership_unknown',
  'busy_network',
  'challenge',
  'bad_link',
  'maintenance',
] as const;

export type VoteRefusal = (typeof VOTE_REFUSALS)[number];
