/** Why votes are refused, and what happens to challenges, as metric labels. */
export const VOTE_REFUSALS = [
  'cooldown',
  'banned',
  'young_account',
  'not_member',
  'membership_unknown',
  'busy_network',
  'challenge',
  'bad_link',
] as const;

export type VoteRefusal = (typeof VOTE_REFUSALS)[number];

export const CHALLENGE_EVENTS = [
  'issued',
  'passed',
  'missing',
  'expired',
  'forged',
  'replayed',
  'too_cheap',
  'turnstile_refused',
  'turnstile_unreachable',
  'store_failed',
] as const;

export type ChallengeEvent = (typeof CHALLENGE_EVENTS)[number];
