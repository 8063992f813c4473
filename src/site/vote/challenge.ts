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
import type { TurnstileConfig } from '../../config.ts';
import { type Clock, type Instant, MINUTE_MS, SECOND_MS } from '../../domain/clock.ts';
import { keysOf } from '../../domain/secrets.ts';
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

type Voter = { guildId: string; userId: string };

export type CheckedProof = { ok: true; maxAccounts: number } | { ok: false; problem: ChallengeProblem };

type ProofOfWork = {
  /** `factor` multiplies its cost. */
  issue(voter: Voter, level: ChallengeLevel, factor?: number): Promise<Challenge>;
  check(payload: string | undefined, voter: Voter): Promise<CheckedProof>;
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
  const create = ({ guildId, userId }: Voter, maxAccounts: number, maxKeys: number) =>
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
    issue(voter, { cost, maxAccounts }, factor = 1) {
      const maxKeys = Math.round(work.keys * cost * factor);
      const level = `${maxAccounts} ${maxKeys}`;
      const known = issued.get(keyOf(voter));
      if (known?.level === level && clock() < known.at + REISSUED_MS) return known.challenge;
      const challenge = create(voter, maxAccounts, maxKeys);
      issued.delete(keyOf(voter));
      issued.set(keyOf(voter), { level, at: clock(), challenge });
      const [oldest] = issued.keys();
      if (issued.size > MAX_REISSUED && oldest !== undefined) issued.delete(oldest);
      return challenge;
    },
    async check(text, voter) {
      issued.delete(keyOf(voter));
      const payload = readPayload(text);
      if (payload === undefined) return { ok: false, problem: text ? 'forged' : 'missing' };
      if (!(await isSolved(payload))) return { ok: false, problem: 'forged' };
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

function signingSecrets(key: Buffer) {
  const text = key.toString('base64');
  return { hmacSignatureSecret: text, hmacKeySignatureSecret: `key ${text}` };
}

type Issued = { level: string; at: Instant; challenge: Promise<Challenge> };

function keyOf({ guildId, userId }: Voter): string {
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

export const TURNSTILE_ORIGIN = 'https://challenges.cloudflare.com';
const TURNSTILE_API = `${TURNSTILE_ORIGIN}/turnstile/v0`;

/** A voter waits for the response, and proof of work is the alternative. */
const TIME_LIMIT_MS = 3 * SECOND_MS;
const PAUSE_MS = MINUTE_MS;

/** Passed to the widget, and returned by siteverify. */
export const TURNSTILE_ACTION = 'vote';

type Turnstile = {
  readonly siteKey: string;
  /** Whether it can be used now: after a failure, proof of work is used for a minute. */
  isUp(): boolean;
  verify(token: string, voter: Voter, ip: string): Promise<'passed' | 'refused' | 'unreachable'>;
};

type TurnstileOptions = TurnstileConfig & { clock: Clock; timeLimitMs?: number };

export function turnstileVoter({ guildId, userId }: Voter): string {
  return `${guildId}-${userId}`;
}

/**
 * Cloudflare Turnstile instead of proof of work, when the operator configures it.
 * https://developers.cloudflare.com/turnstile/get-started/server-side-validation/
 */
export function openTurnstile(options: TurnstileOptions): Turnstile {
  const { siteKey, secret, api, clock, timeLimitMs = TIME_LIMIT_MS } = options;
  let downUntil: Instant = Number.NEGATIVE_INFINITY;

  async function ask(token: string, ip: string): Promise<unknown> {
    const response = await fetch(`${api ?? TURNSTILE_API}/siteverify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ secret, response: token, remoteip: ip }),
      signal: AbortSignal.timeout(timeLimitMs),
      redirect: 'error',
    });
    const body: unknown = await response.json();
    if (!isRecord(body) || typeof body.success !== 'boolean')
      throw new Error('siteverify returned an unexpected body');
    return body;
  }

  return {
    siteKey,
    isUp: () => clock() >= downUntil,
    async verify(token, voter, ip) {
      try {
        const answer = await ask(token, ip);
        return isPassed(answer, voter) ? 'passed' : 'refused';
      } catch {
        downUntil = clock() + PAUSE_MS;
        return 'unreachable';
      }
    },
  };
}

/** A token is only valid for the voter who solved it. Cloudflare's test keys return neither action nor data. */
function isPassed(answer: unknown, voter: Voter): boolean {
  if (!isRecord(answer) || answer.success !== true) return false;
  const { action = TURNSTILE_ACTION, cdata = turnstileVoter(voter) } = answer;
  return action === TURNSTILE_ACTION && cdata === turnstileVoter(voter);
}
