/**
 * Proof of work: the challenge that a voter's browser solves in the background, in the format of ALTCHA. It is signed
 * and bound to one guild and user; the solution is accepted once.
 *
 *   const challenge = await proofs.issue({ guildId, userId }, challengeLevel(accounts, limits));
 *   const checked = await proofs.check(form.altcha, { guildId, userId });
 */
import { randomInt } from 'node:crypto';
import { type Challenge, createChallenge, type Payload, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/scrypt';
import { type Clock, type Instant, MINUTE_MS } from '../domain/clock.ts';
import { isRecord } from '../domain/record.ts';
import { keysOf } from '../domain/secrets.ts';
import type { ChallengeLevel } from '../domain/votes/challenges.ts';
import type { IntegrityStore } from '../store/moderation/integrity.ts';

/** Who solves a challenge, and for which guild. */
export type Solver = { guildId: string; userId: string };

export type ProofProblem = 'missing' | 'expired' | 'forged' | 'replayed';

/** `maxAccounts`: how many accounts of the network the solution was paid for. */
export type CheckedProof =
  | { kind: 'passed'; maxAccounts: number }
  | { kind: 'failed'; problem: ProofProblem };

export type ProofOfWork = {
  /** `factor` multiplies its cost. */
  issue(solver: Solver, level: ChallengeLevel, factor?: number): Promise<Challenge>;
  check(payload: string | undefined, solver: Solver): Promise<CheckedProof>;
};

/** The work of a challenge of cost 1: at most `keys` are derived, half of them on average. */
export type ChallengeWork = { keys: number; memoryKib: number };

/** Measured in docs/decisions/0024-vote-integrity.md. */
export const CHALLENGE_WORK: ChallengeWork = { keys: 170, memoryKib: 8192 };

/** scrypt uses 128 bytes times this for each of its blocks, so that their number is the memory in KiB. */
const BLOCK_SIZE = 8;

/** Deriving the key of a new challenge takes about 25 ms of a thread of libuv. The others are left to other work. */
const DERIVED_AT_ONCE = 1;

/** Challenges that were issued and not used yet are issued again, so that loading a page repeatedly costs nothing. */
const MAX_REISSUED = 1000;
const REISSUED_MS = 10 * MINUTE_MS;

const LIFETIME_MS = 20 * MINUTE_MS;
const ALGORITHM = 'SCRYPT';

type ProofOptions = {
  integrity: Pick<IntegrityStore, 'useChallenge'>;
  clock: Clock;
  key: Buffer;
  /** Called if the store of used challenges fails, so that a solution may be used twice. */
  onStoreFailure(): void;
  work?: ChallengeWork;
  derive?: DeriveKey;
};

type DeriveKey = typeof deriveKey;

export function proofOfWork(options: ProofOptions): ProofOfWork {
  const { clock, work = CHALLENGE_WORK } = options;
  const derive = limitConcurrency(options.derive ?? deriveKey, DERIVED_AT_ONCE);
  const keys = keysOf(options.key);
  const isSolved = async (payload: Payload): Promise<boolean> => {
    for (const key of keys) {
      const result = await verifySolution({ ...payload, ...signingSecrets(key), deriveKey }).catch(
        () => null,
      );
      if (result?.verified) return true;
    }
    return false;
  };
  const create = ({ guildId, userId }: Solver, maxAccounts: number, maxKeys: number) =>
    createChallenge({
      ...signingSecrets(keys[0]),
      algorithm: ALGORITHM,
      deriveKey: derive,
      cost: work.memoryKib,
      memoryCost: BLOCK_SIZE,
      counter: randomInt(1, maxKeys + 1),
      // Not in `expiresAt`: the library would compare it with its own clock.
      data: { guildId, userId, maxAccounts, until: clock() + LIFETIME_MS },
    });
  const issued = new Map<string, Issued>();
  return {
    issue(solver, { cost, maxAccounts }, factor = 1) {
      const maxKeys = Math.round(work.keys * cost * factor);
      const level = `${maxAccounts} ${maxKeys}`;
      const known = issued.get(keyOf(solver));
      if (known?.level === level && clock() < known.at + REISSUED_MS) return known.challenge;
      const challenge = create(solver, maxAccounts, maxKeys);
      issued.delete(keyOf(solver));
      issued.set(keyOf(solver), { level, at: clock(), challenge });
      const [oldest] = issued.keys();
      if (issued.size > MAX_REISSUED && oldest !== undefined) issued.delete(oldest);
      return challenge;
    },
    async check(text, solver) {
      issued.delete(keyOf(solver));
      const payload = readPayload(text);
      if (payload === undefined) return { kind: 'failed', problem: text ? 'forged' : 'missing' };
      if (!(await isSolved(payload))) return { kind: 'failed', problem: 'forged' };
      const { nonce, data = {} } = payload.challenge.parameters;
      if (data.guildId !== solver.guildId || data.userId !== solver.userId)
        return { kind: 'failed', problem: 'forged' };
      const until = Number(data.until);
      if (until <= clock()) return { kind: 'failed', problem: 'expired' };
      if (!(await useOnce(options, solver.guildId, nonce, until)))
        return { kind: 'failed', problem: 'replayed' };
      return { kind: 'passed', maxAccounts: Number(data.maxAccounts) };
    },
  };
}

function signingSecrets(key: Buffer) {
  const text = key.toString('base64');
  return { hmacSignatureSecret: text, hmacKeySignatureSecret: `key ${text}` };
}

type Issued = { level: string; at: Instant; challenge: Promise<Challenge> };

function keyOf({ guildId, userId }: Solver): string {
  return `${guildId} ${userId}`;
}

/** Runs at most this many at a time; the others wait in order. */
function limitConcurrency(derive: DeriveKey, atOnce: number): DeriveKey {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (...given) => {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await derive(...given);
    } finally {
      // Its place is passed on to the next one.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
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
