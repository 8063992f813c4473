/**
 * Whether a user can vote for a guild now, apart from the cooldown: the age of the account, the rules of the guild, and
 * how many accounts vote from the network.
 *
 *   const gate = await gates.look(ballot);              // what the page shows
 *   const result = await gates.cast(ballot);            // what the form does
 */
import { randomBytes } from 'node:crypto';
import type { Challenge } from 'altcha-lib';
import type { FastifyRequest } from 'fastify';
import { callerNetworks, type WeightedNetwork } from '../../domain/address.ts';
import type { Instant } from '../../domain/clock.ts';
import type { Guild } from '../../domain/guild.ts';
import { firstText } from '../../domain/text.ts';
import {
  accountMarks,
  type Ban,
  belowLimitAt,
  challengeLevel,
  countAccounts,
  hashNetwork,
  networkPeriod,
  type VoteRefusal,
  type WeightedUsage,
  youngUntil,
} from '../../domain/votes/integrity.ts';
import { COOLDOWN_MS, isDoubledAt } from '../../domain/votes/vote.ts';
import type { GuildRules } from '../../store/moderation/integrity.ts';
import type { CountedNetwork } from '../../store/votes.ts';
import { DEFAULT_INTEGRITY, type SiteDeps } from '../deps.ts';
import type { Person } from '../session.ts';
import { type ChallengeProblem, type CheckedProof, openTurnstile, proofOfWork } from './challenge.ts';

/** Who votes for which guild, and from where. */
type Ballot = {
  request: FastifyRequest;
  guild: Guild;
  rules: GuildRules;
  person: Person;
  externalId: string | null;
};

/**
 * `membership_unknown`: the sign-in did not include access to the user's servers. `cooldown`: the user voted within
 * the last hour, and that vote no longer counts.
 */
export type ClosedReason =
  | 'young_account'
  | 'not_member'
  | 'membership_unknown'
  | 'busy_network'
  | 'cooldown';

export type Gate =
  | { kind: 'open' }
  /** `noChallengeAt`: when a vote is possible without a challenge. */
  | {
      kind: 'challenge';
      challenge: Challenge;
      siteKey: string | null;
      noChallengeAt: Instant;
      problem: ChallengeProblem | null;
    }
  /** `canVoteAt` is null if waiting does not help. */
  | { kind: 'closed'; reason: ClosedReason; canVoteAt: Instant | null };

export type CastResult =
  | { kind: 'done' }
  | { kind: 'banned'; ban: Ban; at: Instant }
  | Exclude<Gate, { kind: 'open' }>;

type Gates = { look(ballot: Ballot): Promise<Gate>; cast(ballot: Ballot): Promise<CastResult> };

/** With Turnstile, proof of work is the fallback for browsers that cannot load it, and costs more. */
const FALLBACK_FACTOR = 2;

export function createGates(deps: SiteDeps): Gates {
  const { store, clock, secrets, signIn, onRefusal, onChallenge } = deps;
  const {
    minAccountAgeDays,
    networkVotes: limits,
    turnstile: config,
    challengeWork,
  } = {
    ...DEFAULT_INTEGRITY,
    ...deps.integrity,
  };
  const proofs = proofOfWork({
    integrity: store.integrity,
    clock,
    key: secrets.challengeKey,
    onStoreFailure: () => onChallenge('store_failed'),
    ...(challengeWork === undefined ? {} : { work: challengeWork }),
  });
  const turnstile = config && openTurnstile({ ...config, clock });
  const networksOf = networkHasher(deps);
  const countRefusal = (reason: VoteRefusal) => {
    deps.onVote('refused');
    onRefusal(reason);
  };

  /** The checks that do not depend on the network. */
  async function refusalOf({ request, guild, rules, person }: Ballot): Promise<Gate | null> {
    const days = Math.max(minAccountAgeDays, rules.minAccountAgeDays);
    const canVoteAt = youngUntil(person.userId, days, clock());
    if (canVoteAt !== null) return { kind: 'closed', reason: 'young_account', canVoteAt };
    if (!rules.membersOnly) return null;
    const isMember = await signIn.isMember(request, guild.guildId);
    if (isMember === true) return null;
    const reason = isMember === 'unknown' ? 'membership_unknown' : 'not_member';
    return { kind: 'closed', reason, canVoteAt: null };
  }

  async function challengeFor(
    { guild, person }: Ballot,
    usages: readonly WeightedUsage[],
    problem: ChallengeProblem | null,
  ): Promise<Gate> {
    const siteKey = turnstile?.isUp() && problem !== 'turnstile_unreachable' ? turnstile.siteKey : null;
    const level = challengeLevel(countAccounts(usages), limits);
    const voter = { guildId: guild.guildId, userId: person.userId };
    const challenge = await proofs.issue(voter, level, siteKey === null ? 1 : FALLBACK_FACTOR);
    onChallenge('issued');
    return {
      kind: 'challenge',
      challenge,
      siteKey,
      noChallengeAt: belowLimitAt(usages, limits.challengeFrom - 1, clock()),
      problem,
    };
  }

  async function networkGate(
    ballot: Ballot,
    networks: Networks,
    problem: ChallengeProblem | null,
  ): Promise<Gate> {
    const now = clock();
    const usages = await Promise.all(
      networks.map(async ({ hash, weight }) => {
        const usage = await store.integrity.networkUsage(hash, ballot.person.userId, now);
        return { ...usage, weight };
      }),
    );
    const accounts = countAccounts(usages);
    if (accounts > limits.refuseAbove) {
      return {
        kind: 'closed',
        reason: 'busy_network',
        canVoteAt: belowLimitAt(usages, limits.refuseAbove, now),
      };
    }
    if (accounts < limits.challengeFrom && problem === null) return { kind: 'open' };
    return challengeFor(ballot, usages, problem);
  }

  async function checkSolution({ request, guild, person }: Ballot): Promise<CheckedProof> {
    const voter = { guildId: guild.guildId, userId: person.userId };
    const token = firstText(request.body, 'cf-turnstile-response');
    const proof = firstText(request.body, 'altcha');
    if (!turnstile || proof || !token) return proofs.check(proof, voter);
    const result = await turnstile.verify(token, voter, request.ip);
    if (result === 'passed') return { ok: true, maxAccounts: limits.refuseAbove };
    return { ok: false, problem: `turnstile_${result}` };
  }

  async function checkAndCount(ballot: Ballot): Promise<CheckedProof> {
    const checked = await checkSolution(ballot);
    onChallenge(checked.ok ? 'passed' : checked.problem);
    return checked;
  }

  async function castWith(
    ballot: Ballot,
    [{ hash }, ...wider]: Networks,
    maxAccounts: number,
  ): ReturnType<typeof store.votes.cast> {
    const { guild, person, externalId } = ballot;
    const { guildId, doubling } = guild;
    const castAt = clock();
    return store.votes.cast(
      { guildId, userId: person.userId, castAt, externalId, isDoubled: isDoubledAt(doubling, castAt) },
      {
        marks: accountMarks(person.userId, castAt),
        network: { hash, wider, maxAccounts, busyFrom: limits.challengeFrom },
      },
    );
  }

  async function refuse(ballot: Ballot, networks: Networks, problem: ChallengeProblem): Promise<CastResult> {
    const gate = await networkGate(ballot, networks, problem);
    countRefusal(gate.kind === 'closed' ? gate.reason : 'challenge');
    return gate.kind === 'open' ? { kind: 'done' } : gate;
  }

  return {
    async look(ballot) {
      return (await refusalOf(ballot)) ?? networkGate(ballot, await networksOf(ballot.request), null);
    },
    async cast(ballot) {
      const refusal = await refusalOf(ballot);
      if (refusal?.kind === 'closed') {
        countRefusal(refusal.reason);
        return refusal;
      }
      const networks = await networksOf(ballot.request);
      const hasSolution = ['altcha', 'cf-turnstile-response'].some((name) =>
        firstText(ballot.request.body, name),
      );
      // Without a solution the vote is still attempted: the database has the exact number of accounts.
      const checked = hasSolution
        ? await checkAndCount(ballot)
        : { ok: true as const, maxAccounts: limits.challengeFrom - 1 };
      if (!checked.ok) return refuse(ballot, networks, checked.problem);
      const outcome = await castWith(ballot, networks, checked.maxAccounts);
      if (outcome.kind === 'crowded') {
        const problem = hasSolution ? 'too_cheap' : 'missing';
        onChallenge(problem);
        return refuse(ballot, networks, problem);
      }
      if (outcome.kind === 'accepted') {
        deps.onVote('accepted');
        return { kind: 'done' };
      }
      countRefusal(outcome.kind);
      if (outcome.kind === 'banned') return { kind: 'banned', ban: outcome.ban, at: clock() };
      return { kind: 'closed', reason: 'cooldown', canVoteAt: outcome.lastVoteAt + COOLDOWN_MS };
    },
  };
}

const SALT_BYTES = 32;

/** The networks that a vote is counted for, the smallest first. */
type Networks = [CountedNetwork, ...CountedNetwork[]];

/** The keyed hashes of the networks of a request. The salt of a period is loaded once. */
function networkHasher({ store, clock, secrets }: SiteDeps): (request: FastifyRequest) => Promise<Networks> {
  let known: { period: number; salt: string } | undefined;
  return async ({ ip }) => {
    const period = networkPeriod(clock());
    if (known?.period !== period) {
      const offered = randomBytes(SALT_BYTES).toString('base64url');
      known = { period, salt: await store.integrity.networkSalt(period, offered) };
    }
    const { salt } = known;
    const toCounted = ({ network, weight }: WeightedNetwork): CountedNetwork => ({
      hash: hashNetwork(network, period, salt, secrets.networkKey),
      weight,
    });
    const [smallest, ...wider] = callerNetworks(ip);
    return [toCounted(smallest), ...wider.map(toCounted)];
  };
}
