/** The format of keys and tokens: a prefix, random characters and a checksum, so typos are detected without a lookup. */
import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const BODY_LENGTH = 30;
export const CHECKSUM_LENGTH = 6;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** An integer from 0 up to, not including, `bound`. Injected, so tests can repeat a key. */
export type RandomInt = (bound: number) => number;

export type KeyFormat = {
  /** The prefix, 30 random base62 characters, and 6 of their CRC32. */
  generate(random?: RandomInt): string;
  /** Whether the text can be a key: truncated or mistyped ones are rejected without a database query. */
  isWellFormed(text: string): boolean;
};

export function keyFormat(prefix: string): KeyFormat {
  const pattern = new RegExp(`^${prefix}[0-9A-Za-z]{${BODY_LENGTH + CHECKSUM_LENGTH}}$`);
  return {
    generate(random = (bound) => randomInt(bound)) {
      const body = Array.from({ length: BODY_LENGTH }, () => BASE62[random(BASE62.length)]).join('');
      return prefix + body + checksum(body);
    },
    isWellFormed(text) {
      if (!pattern.test(text)) return false;
      const body = text.slice(prefix.length, prefix.length + BODY_LENGTH);
      return text.endsWith(checksum(body));
    },
  };
}

/** The stored hash of a key. Keys have 178 random bits, so a plain hash cannot be reversed by guessing. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

function checksum(body: string): string {
  let rest = crc32(body);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i += 1) {
    digits = BASE62.charAt(rest % BASE62.length) + digits;
    rest = Math.floor(rest / BASE62.length);
  }
  return digits;
}
