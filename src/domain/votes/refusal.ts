/** Why votes are refused, and what happens to challenges and reminders, as metric labels. */
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

/** What became of reminders. `refused`: the user accepts no direct messages. */
export const REMINDER_RESULTS = ['sent', 'dropped', 'limited', 'refused', 'retried', 'rejected'] as const;

export type ReminderResult = (typeof REMINDER_RESULTS)[number];

export type ChallengeEvent = (typeof CHALLENGE_EVENTS)[number];
