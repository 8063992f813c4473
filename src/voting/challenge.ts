/**
 * The challenge that a vote from a busy network needs: proof of work, or Turnstile where the operator configured it.
 *
 *   const required = await challenges.issue({ guildId, userId }, accounts, null);
 *   const checked = await challenges.check(solution, { guildId, userId }, address);
 */
import type { Challenge } from 'altcha-lib';
import type { Clock } from '../domain/clock.ts';
import { type ChallengeEvent, challengeLevel } from '../domain/votes/challenges.ts';
import type { IntegrityStore } from '../store/moderation/integrity.ts';
import { type ProofProblem, proofOfWork, type Solver } from './proof-of-work.ts';
import type { VotingSettings } from './settings.ts';
import { openTurnstile } from './turnstile.ts';

/** Why a solution is rejected and a new one is required. */
export type ChallengeProblem = ProofProblem | 'too_cheap' | 'turnstile_refused' | 'turnstile_unreachable';

/** What the voter's browser sent: a proof of work, or the token of Turnstile. */
export type Solution = { proof?: string | undefined; turnstileToken?: string | undefined };

/** `siteKey`: of Turnstile; null if only the proof of work can be solved. */
export type IssuedChallenge = {
  challenge: Challenge;
  siteKey: string | null;
  problem: ChallengeProblem | null;
};

/** `maxAccounts`: up to how many accounts of the network the vote can be accepted. */
export type CheckedSolution =
  | { kind: 'passed'; maxAccounts: number }
  | { kind: 'failed'; problem: ChallengeProblem };

export type Challenges = {
  /** `accounts`: how many vote from the network. `problem`: why the previous solution was rejected. */
  issue(solver: Solver, accounts: number, problem: ChallengeProblem | null): Promise<IssuedChallenge>;
  check(solution: Solution, solver: Solver, address: string | null): Promise<CheckedSolution>;
};

type Options = Pick<VotingSettings, 'networkVotes' | 'turnstile' | 'challengeWork'> & {
  integrity: Pick<IntegrityStore, 'useChallenge'>;
  clock: Clock;
  key: Buffer;
  /** Called for every challenge that was issued or solved. */
  onEvent(event: ChallengeEvent): void;
};

/** With Turnstile, proof of work is the fallback for browsers that cannot load it, and costs more. */
const FALLBACK_FACTOR = 2;

export function createChallenges(options: Options): Challenges {
  const { integrity, clock, key, networkVotes: limits, challengeWork, onEvent } = options;
  const proofs = proofOfWork({
    integrity,
    clock,
    key,
    onStoreFailure: () => onEvent('store_failed'),
    ...(challengeWork === undefined ? {} : { work: challengeWork }),
  });
  const turnstile = options.turnstile && openTurnstile({ ...options.turnstile, clock });

  async function verify(
    { proof, turnstileToken: token }: Solution,
    solver: Solver,
    address: string | null,
  ): Promise<CheckedSolution> {
    if (!turnstile || proof || !token) return proofs.check(proof, solver);
    const result = await turnstile.verify(token, solver, address);
    if (result === 'passed') return { kind: 'passed', maxAccounts: limits.refuseAbove };
    return { kind: 'failed', problem: `turnstile_${result}` };
  }

  return {
    async issue(solver, accounts, problem) {
      const siteKey = turnstile?.isUp() && problem !== 'turnstile_unreachable' ? turnstile.siteKey : null;
      const factor = siteKey === null ? 1 : FALLBACK_FACTOR;
      const challenge = await proofs.issue(solver, challengeLevel(accounts, limits), factor);
      onEvent('issued');
      return { challenge, siteKey, problem };
    },
    async check(solution, solver, address) {
      const checked = await verify(solution, solver, address);
      onEvent(checked.kind === 'passed' ? 'passed' : checked.problem);
      return checked;
    },
  };
}
