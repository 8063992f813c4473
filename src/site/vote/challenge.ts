/**
 * Proof of work: the challenge that a voter's browser solves in the background, in the format of ALTCHA. It is signed
 * and bound to one guild and user; the solution is accepted once.
 *
 *   const challenge = await proofs.issue({ guildId, userId }, challengeLevel(accounts, limits));
 *   const checked = await proofs.check(form.altcha, { guildId, userId });
 */
import { randomInt } from 'node:crypto';
import { type Challenge, createChallenge, type Payload, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { type Clock, type Instant, MINUTE_MS } from '../../domain/clock.ts';
import { isRecord } from '../../domain/text.ts';
import type { ChallengeLevel } from '../../domain/votes/integrity.ts';
import type { IntegrityStore } from '../../store/moderation/integrity.ts';

/** Why a solution is rejected and a new one is required. */
export type ChallengeProblem =
  | 'missing'
  | 'expired'
  | 'forged'
  | 'replayed'
  | 'too_cheap'
  | 'turnstile_refused'
  | 'turnstile_unreachable';

export type Voter = { guildId: string; userId: string };

export type CheckedProof = { ok: true; maxAccounts: number } | { ok: false; problem: ChallengeProblem };

export type ProofOfWork = {
  /** `factor` multiplies its cost. */
  issue(voter: Voter, level: ChallengeLevel, factor?: number): Promise<Challenge>;
  check(payload: string | undefined, voter: Voter): Promise<CheckedProof>;
};

/** A browser derives about 2,000 keys of this cost per second. A solution takes half of them on average. */
const ITERATIONS = 2000;
const KEYS_PER_COST = 1500;
const LIFETIME_MS = 20 * MINUTE_MS;
const ALGORITHM = 'PBKDF2/SHA-256';

export type ProofOptions = {
  integrity: IntegrityStore;
  clock: Clock;
  key: Buffer;
  /** The store of used challenges failed: a solution may be used twice. */
  onStoreFailure(): void;
  keysPerCost?: number;
};

export function proofOfWork(options: ProofOptions): ProofOfWork {
  const { clock, keysPerCost = KEYS_PER_COST } = options;
  const secrets = {
    hmacSignatureSecret: options.key.toString('base64'),
    hmacKeySignatureSecret: `key ${options.key.toString('base64')}`,
  };
  return {
    issue: ({ guildId, userId }, { cost, maxAccounts }, factor = 1) =>
      createChallenge({
        ...secrets,
        algorithm: ALGORITHM,
        deriveKey,
        cost: ITERATIONS,
        counter: randomInt(1, keysPerCost * cost * factor + 1),
        // Not in `expiresAt`: the library would compare it with its own clock.
        data: { guildId, userId, maxAccounts, until: clock() + LIFETIME_MS },
      }),
    async check(text, voter) {
      const payload = readPayload(text);
      if (payload === undefined) return { ok: false, problem: text ? 'forged' : 'missing' };
      const verified = await verifySolution({ ...payload, ...secrets, deriveKey }).catch(() => null);
      if (!verified?.verified) return { ok: false, problem: 'forged' };
      const { nonce, data = {} } = payload.challenge.parameters;
      if (data.guildId !== voter.guildId || data.userId !== voter.userId)
        return { ok: false, problem: 'forged' };
      const until = Number(data.until);
      if (until <= clock()) return { ok: false, problem: 'expired' };
      if (!(await useOnce(options, voter.guildId, nonce, until))) return { ok: false, problem: 'replayed' };
      return { ok: true, maxAccounts: Number(data.maxAccounts) };
    },
  };
}

/** If the store fails, the vote continues: the limits of the network still apply. */
async function useOnce(
  { integrity, onStoreFailure }: ProofOptions,
  guildId: string,
  challengeId: string,
  until: Instant,
): Promise<boolean> {
  try {
    return await integrity.useChallenge(guildId, challengeId, until);
  } catch {
    onStoreFailure();
    return true;
  }
}

/** Base64 of JSON, as ALTCHA sends it. The signature protects its contents. */
function readPayload(text: string | undefined): Payload | undefined {
  if (!text) return undefined;
  try {
    const payload: unknown = JSON.parse(Buffer.from(text, 'base64').toString('utf8'));
    return isPayload(payload) ? payload : undefined;
  } catch {
    return undefined;
  }
}

function isPayload(value: unknown): value is Payload {
  if (!isRecord(value) || !isRecord(value.challenge) || !isRecord(value.solution)) return false;
  return isRecord(value.challenge.parameters) && typeof value.challenge.signature === 'string';
}
