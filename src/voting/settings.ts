import type { TurnstileConfig } from '../config.ts';
import { DEFAULT_NETWORK_LIMITS, type NetworkLimits } from '../domain/votes/networks.ts';
import type { ChallengeWork } from './proof-of-work.ts';

/** What the operator requires of voters. */
export type VotingSettings = {
  minAccountAgeDays: number;
  networkVotes: NetworkLimits;
  turnstile: TurnstileConfig | null;
  /** Default: CHALLENGE_WORK in proof-of-work.ts. */
  challengeWork?: ChallengeWork;
};

export const DEFAULT_VOTING: VotingSettings = {
  minAccountAgeDays: 7,
  networkVotes: DEFAULT_NETWORK_LIMITS,
  turnstile: null,
};
