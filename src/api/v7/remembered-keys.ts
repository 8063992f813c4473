/** The keys of plain vote checks, by the text of their Authorization header. */
import { randomInt } from 'node:crypto';
import { hashApiKey, isWellFormedApiKey } from '../../domain/keys/api-key.ts';
import { CHECKSUM_LENGTH } from '../../domain/keys/key-format.ts';
import type { KeyMemory } from '../../store/store.ts';
import { keyRateKey } from './access.ts';

export type RememberedKey = KeyMemory & {
  authorization: string;
  keyHash: string;
  rateKey: string;
  /** Whether its first use is recorded, or about to be. */
  isRecorded: boolean;
};
export type FindKey = (authorization: string) => RememberedKey | undefined;

const BEARER = 'Bearer ';

/** As many communities as one process is planned for: 280 bytes each. They contain keys, so they are only kept in memory. */
const MAX_REMEMBERED_KEYS = 100_000;

/**
 * The key of an Authorization header. The result is remembered, because checksum and hash take 5 µs. It is found by a number:
 * V8 would intern the text of a header to look it up. Of two headers with the same number, the last one is remembered.
 */
export function rememberKeys(): FindKey {
  const known = new Map<number, RememberedKey>();
  // V8 places numbers in a map without a secret, so a client could choose many that slow down one another.
  const secret = randomInt(2 ** 32);
  return (authorization) => {
    const number = numberOf(authorization) ^ secret;
    const before = known.get(number);
    if (before?.authorization === authorization) return before;
    const text = authorization.startsWith(BEARER) ? authorization.slice(BEARER.length) : '';
    if (!isWellFormedApiKey(text)) return undefined;
    const keyHash = hashApiKey(text);
    const key: RememberedKey = {
      authorization,
      keyHash,
      rateKey: keyRateKey(keyHash),
      found: undefined,
      isRecorded: false,
    };
    if (known.size >= MAX_REMEMBERED_KEYS) known.clear();
    known.set(number, key);
    return key;
  };
}

/** The number of different digits. */
const BASE = 62;

/** From the checksum at the end, in which keys differ. */
function numberOf(authorization: string): number {
  const { length } = authorization;
  let number = 0;
  for (let i = length - CHECKSUM_LENGTH; i < length; i += 1) {
    number = (Math.imul(number, BASE) + authorization.charCodeAt(i)) | 0;
  }
  return number;
}
