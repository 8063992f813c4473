/** One promise of the service, tested until it breaks or the run is over. */
export type Trial = {
  name: string;
  /** The promise, in one sentence. */
  promise: string;
  run(context: TrialContext): Promise<TrialResult>;
  /** Time in addition to the limit of every trial. */
  extraSeconds?: (scale: Scale) => number;
};

export type TrialContext = {
  scale: Scale;
  /** Reports progress on the terminal. */
  say(text: string): void;
};

export type Counts = Record<string, number | string | Record<string, number>>;

/** `broken` lists a message for every error found; empty when everything held. The report counts them as `faults`. */
export type TrialResult = { broken: string[]; counts: Counts };

export type Scale = {
  isQuick: boolean;
  /** A trial that is not over by then has broken its promise. */
  trialSeconds: number;
  /** How many processes share a database. */
  processes: number;
  crashRounds: number;
  migrationKills: number;
  copyKills: number;
  copyVotes: number;
  stopRounds: number;
  faultSeconds: number;
  raceVotes: number;
  raceRequests: number;
  claimUsers: number;
  claimKills: number;
  /** Each has five votes to be rewarded. */
  rewardedUsers: number;
  restoreRounds: number;
  feedKills: number;
  farmAccounts: number;
  /** The number of networks that the accounts are spread over, one run for each. */
  farmNetworks: readonly number[];
  /** What a farm that solves challenges spends on them, by number of networks. */
  farmCpuSeconds: number;
  keyRounds: number;
  hostileRequests: number;
  slowClients: number;
  slowSeconds: number;
  slowReaders: number;
  logRequests: number;
  rollingRequests: number;
  failoverRounds: number;
  /** Accepted by each process before and after the primary is killed. */
  failoverVotes: number;
  soakSeconds: number;
};

export const FULL: Scale = {
  isQuick: false,
  trialSeconds: 900,
  processes: 4,
  crashRounds: 50,
  migrationKills: 15,
  copyKills: 20,
  copyVotes: 200_000,
  stopRounds: 10,
  faultSeconds: 8,
  raceVotes: 1000,
  raceRequests: 1000,
  claimUsers: 1000,
  claimKills: 20,
  rewardedUsers: 200,
  restoreRounds: 12,
  feedKills: 20,
  farmAccounts: 2000,
  farmNetworks: [1, 50],
  farmCpuSeconds: 60,
  keyRounds: 20,
  hostileRequests: 100_000,
  slowClients: 1000,
  slowSeconds: 12,
  slowReaders: 500,
  logRequests: 10_000,
  rollingRequests: 30_000,
  failoverRounds: 10,
  failoverVotes: 300,
  soakSeconds: 600,
};

/** Shows that the campaign itself works; proves little about the service. */
export const QUICK: Scale = {
  isQuick: true,
  trialSeconds: 120,
  processes: 2,
  crashRounds: 2,
  migrationKills: 1,
  copyKills: 2,
  copyVotes: 5000,
  stopRounds: 1,
  faultSeconds: 1,
  raceVotes: 100,
  raceRequests: 100,
  claimUsers: 100,
  claimKills: 1,
  rewardedUsers: 20,
  restoreRounds: 3,
  feedKills: 1,
  farmAccounts: 100,
  farmNetworks: [1],
  farmCpuSeconds: 1,
  keyRounds: 2,
  hostileRequests: 500,
  slowClients: 50,
  slowSeconds: 1,
  slowReaders: 40,
  logRequests: 3000,
  rollingRequests: 2000,
  failoverRounds: 1,
  failoverVotes: 20,
  soakSeconds: 8,
};

/** Records a failed expectation and continues, so a trial reports everything that broke. */
export class Findings {
  readonly broken: string[] = [];

  expect(holds: boolean, whatBroke: string): void {
    if (!holds) this.broken.push(whatBroke);
  }
}
