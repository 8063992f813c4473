/**
 * Casts votes for the voting page, the Discord app and everything else that accepts them. Every attempt is counted here.
 *
 *   const voting = createVoting({ store, clock, secrets, settings, onVote, onRefusal, onChallenge });
 *   const gate = await voting.preview(request, rules);   // what the voter would be asked for
 *   const outcome = await voting.cast({ ...request, solution });
 *
 * The events of a vote and the voter's next reminder are written in its transaction, by the store.
 */
import type { Clock, Instant } from '../domain/clock.ts';
import type { Secrets } from '../domain/secrets.ts';
import type { ChallengeEvent } from '../domain/votes/challenges.ts';
import { accountMarks } from '../domain/votes/marks.ts';
import { belowLimitAt, countAccounts, type WeightedUsage } from '../domain/votes/networks.ts';
import type { VoteRefusal } from '../domain/votes/refusals.ts';
import { COOLDOWN_MS, isDoubledAt, type Vote } from '../domain/votes/vote.ts';
import type { GuildRules } from '../store/moderation/integrity.ts';
import type { Store } from '../store/store.ts';
import type { CastOutcome } from '../store/votes/votes.ts';
import {
  type ChallengeProblem,
  type CheckedSolution,
  createChallenges,
  type IssuedChallenge,
  type Solution,
} from './challenge.ts';
import { createEligibility, type Eligibility, type Refusal, type VoteRequest } from './eligibility.ts';
import { createVoterNetworks, type Networks } from './networks.ts';
import { DEFAULT_VOTING, type VotingSettings } from './settings.ts';
import { TURNSTILE_ORIGIN } from './turnstile.ts';

/** `solution` is `waived` for callers that do not show challenges: only the limit that refuses votes applies. */
export type Ballot = VoteRequest & { solution: Solution | 'waived' };

type NetworkRefusal =
  /** `noChallengeAt`: when a vote is possible without a challenge. */
  | ({ kind: 'challenge'; noChallengeAt: Instant } & IssuedChallenge)
  | { kind: 'busy_network'; canVoteAt: Instant };

/** What a voter is asked for. */
export type Gate = { kind: 'open' } | Refusal | NetworkRefusal;

export type VoteOutcome = { kind: 'accepted'; vote: Vote; canVoteAt: Instant } | Refusal | NetworkRefusal;

export type Voting = Pick<Eligibility, 'linkRefusalOf' | 'statusOf'> & {
  /** What would happen to a vote without a solution. The cooldown is not part of it. */
  preview(request: VoteRequest, rules: GuildRules): Promise<Gate>;
  cast(ballot: Ballot): Promise<VoteOutcome>;
  /** Where the script of the challenge is loaded from, if it is not our own. */
  readonly challengeOrigin: string | null;
};

export type VoteCounters = {
  /** Called for every attempt to vote. */
  onVote(outcome: 'accepted' | 'refused'): void;
  /** Called with the reason of a refused vote. */
  onRefusal(reason: VoteRefusal): void;
  /** Called for every challenge that was issued or solved. */
  onChallenge(event: ChallengeEvent): void;
};

type Options = VoteCounters & {
  store: Store;
  clock: Clock;
  secrets: Secrets;
  settings?: Partial<VotingSettings> | undefined;
};

export function createVoting(options: Options): Voting {
  const { store, clock, secrets, onChallenge } = options;
  const { integrity } = store;
  const settings = { ...DEFAULT_VOTING, ...options.settings };
  const { minAccountAgeDays, networkVotes: limits } = settings;
  const eligibility = createEligibility({ store, clock, secrets, minAccountAgeDays });
  const networksOfVoters = createVoterNetworks({ integrity, clock, key: secrets.networkKey });
  const challenges = createChallenges({
    ...settings,
    integrity,
    clock,
    key: secrets.challengeKey,
    onEvent: onChallenge,
  });

  const isRefused = (usages: readonly WeightedUsage[]) => countAccounts(usages) > limits.refuseAbove;

  const busyNetwork = (usages: readonly WeightedUsage[]): NetworkRefusal => ({
    kind: 'busy_network',
    canVoteAt: belowLimitAt(usages, limits.refuseAbove, clock()),
  });

  async function challengeFor(
    { guild, voter }: VoteRequest,
    usages: readonly WeightedUsage[],
    problem: ChallengeProblem | null,
  ): Promise<NetworkRefusal> {
    const solver = { guildId: guild.guildId, userId: voter.userId };
    const issued = await challenges.issue(solver, countAccounts(usages), problem);
    const noChallengeAt = belowLimitAt(usages, limits.challengeFrom - 1, clock());
    return { kind: 'challenge', noChallengeAt, ...issued };
  }

  /** The vote was not accepted without another solution, or at all. */
  async function refuseNetwork(
    ballot: Ballot,
    networks: Networks,
    problem: ChallengeProblem | 'limit',
  ): Promise<NetworkRefusal> {
    const usages = await networksOfVoters.usage(networks, ballot.voter.userId);
    if (problem === 'limit' || isRefused(usages)) return busyNetwork(usages);
    return challengeFor(ballot, usages, problem);
  }

  /** Without a solution the vote is still attempted: the database has the exact number of accounts. */
  async function checkSolution({ guild, voter, solution }: Ballot): Promise<CheckedSolution> {
    if (solution === 'waived') return { kind: 'passed', maxAccounts: limits.refuseAbove };
    if (!isSolved(solution)) return { kind: 'passed', maxAccounts: limits.challengeFrom - 1 };
    return challenges.check(solution, { guildId: guild.guildId, userId: voter.userId }, voter.address);
  }

  /** The network has more accounts than the solution was for. */
  async function refuseCrowded(ballot: Ballot, networks: Networks): Promise<NetworkRefusal> {
    const { solution } = ballot;
    if (solution === 'waived') return refuseNetwork(ballot, networks, 'limit');
    const problem = isSolved(solution) ? 'too_cheap' : 'missing';
    onChallenge(problem);
    return refuseNetwork(ballot, networks, problem);
  }

  function write(ballot: Ballot, networks: Networks, maxAccounts: number): Promise<CastOutcome> {
    const { guild, voter, externalId } = ballot;
    const { guildId, doubling } = guild;
    const { userId } = voter;
    const castAt = clock();
    const [smallest, ...wider] = networks;
    return store.votes.cast(
      { guildId, userId, castAt, externalId, isDoubled: isDoubledAt(doubling, castAt) },
      {
        marks: accountMarks(userId, castAt),
        network: smallest
          ? { hash: smallest.hash, wider, maxAccounts, busyFrom: limits.challengeFrom }
          : null,
      },
    );
  }

  async function decide(ballot: Ballot): Promise<VoteOutcome> {
    const [rules, ban] = await Promise.all([
      integrity.rules(ballot.guild.guildId),
      // The database checks other bans when it writes the vote.
      store.moderation.findErasedBan(ballot.voter.userId, clock()),
    ]);
    const refusal = await eligibility.refusalOf(ballot, rules);
    if (refusal) return refusal;
    if (ban) return { kind: 'banned', ban };
    const networks = await networksOfVoters.of(ballot.voter.address);
    const checked = await checkSolution(ballot);
    if (checked.kind === 'failed') return refuseNetwork(ballot, networks, checked.problem);
    const outcome = await write(ballot, networks, checked.maxAccounts);
    switch (outcome.kind) {
      case 'accepted':
        return { ...outcome, canVoteAt: outcome.vote.castAt + COOLDOWN_MS };
      case 'cooldown':
        return { kind: 'cooldown', canVoteAt: outcome.lastVoteAt + COOLDOWN_MS };
      case 'banned':
        return outcome;
      case 'crowded':
        return refuseCrowded(ballot, networks);
    }
  }

  return {
    statusOf: eligibility.statusOf,
    linkRefusalOf: eligibility.linkRefusalOf,
    challengeOrigin: settings.turnstile ? TURNSTILE_ORIGIN : null,
    async preview(request, rules) {
      const refusal = await eligibility.refusalOf(request, rules);
      if (refusal && appliesToEveryone(refusal)) return refusal;
      // A banned user is not asked to join the community first.
      const ban = await store.moderation.findBan(request.voter.userId, clock());
      if (ban) return { kind: 'banned', ban };
      if (refusal) return refusal;
      const networks = await networksOfVoters.of(request.voter.address);
      const usages = await networksOfVoters.usage(networks, request.voter.userId);
      if (isRefused(usages)) return busyNetwork(usages);
      if (countAccounts(usages) < limits.challengeFrom) return { kind: 'open' };
      return challengeFor(request, usages, null);
    },
    async cast(ballot) {
      const outcome = await decide(ballot);
      countOutcome(options, outcome);
      return outcome;
    },
  };
}

/** Reported before a ban, which is about this voter only. */
function appliesToEveryone({ kind }: Refusal): boolean {
  return kind === 'sanctioned' || kind === 'maintenance' || kind === 'bad_link';
}

function isSolved({ proof, turnstileToken }: Solution): boolean {
  return Boolean(proof || turnstileToken);
}

/** Votes for a suspended guild are not counted: nobody is shown a form for them. */
function countOutcome({ onVote, onRefusal }: VoteCounters, { kind }: VoteOutcome): void {
  if (kind === 'sanctioned') return;
  onVote(kind === 'accepted' ? 'accepted' : 'refused');
  if (kind !== 'accepted') onRefusal(kind);
}
