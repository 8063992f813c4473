import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'vty_';
const BODY_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${BODY_LENGTH + CHECKSUM_LENGTH}}$`);

/** A whole number from 0 up to, not including, `bound`. Injected, so that a test can repeat a key. */
export type RandomInt = (bound: number) => number;

/** A new key: prefix, 30 random base62 characters, and 6 of their CRC32, so that a typo shows without a look-up. */
export function generateApiKey(random: RandomInt = (bound) => randomInt(bound)): string {
  const body = Array.from({ length: BODY_LENGTH }, () => BASE62[random(BASE62.length)]).join('');
  return PREFIX + body + checksum(body);
}

/** Whether the text can be a key at all: a cut or mistyped one is refused before the database is asked. */
export function isWellFormedApiKey(text: string): boolean {
  if (!KEY_SHAPE.test(text)) return false;
  const body = text.slice(PREFIX.length, PREFIX.length + BODY_LENGTH);
  return text.endsWith(checksum(body));
}

/** What the database keeps to find a key. A key has 178 random bits, so a plain hash cannot be reversed by guessing. */
export function hashApiKey(key: string): string {
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
