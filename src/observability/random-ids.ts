/**
 * Random UUIDs for requests. `randomUUID` joins each from 20 parts, which then have to be copied into the response and into
 * the log: 0.3 µs and 1 kB more per request (docs/decisions/0055-memory-of-the-service.md).
 */
import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;
const ID_LENGTH = 36;
const IDS_AT_ONCE = 128;

const HYPHEN = 0x2d;
const HEX = Buffer.from('0123456789abcdef');
const [FIRST_DIGITS, SECOND_DIGITS] = [new Uint8Array(256), new Uint8Array(256)];
for (let byte = 0; byte < 256; byte += 1) {
  FIRST_DIGITS[byte] = HEX[byte >> 4] ?? 0;
  SECOND_DIGITS[byte] = HEX[byte & 0xf] ?? 0;
}

/** Returns a function that returns another UUID, of version 4, at each call. Many are prepared together. */
export function createRandomIds(fill: (bytes: Buffer) => void = randomFillSync): () => string {
  const random = Buffer.alloc(IDS_AT_ONCE * ID_BYTES);
  const text = Buffer.alloc(IDS_AT_ONCE * ID_LENGTH);
  let ids = '';
  let at = 0;
  return () => {
    if (at === ids.length) {
      fill(random);
      write(random, text);
      ids = text.toString('latin1');
      at = 0;
    }
    at += ID_LENGTH;
    return ids.slice(at - ID_LENGTH, at);
  };
}

function write(random: Buffer, text: Buffer): void {
  let end = 0;
  for (let i = 0; i < random.length; i += 1) {
    const place = i % ID_BYTES;
    if (place === 4 || place === 6 || place === 8 || place === 10) text[end++] = HYPHEN;
    const byte = withVersion(random[i] ?? 0, place);
    text[end++] = FIRST_DIGITS[byte] ?? 0;
    text[end++] = SECOND_DIGITS[byte] ?? 0;
  }
}

/** The version is in the first digit of the third group, the variant in that of the fourth. */
function withVersion(byte: number, place: number): number {
  if (place === 6) return (byte & 0x0f) | 0x40;
  return place === 8 ? (byte & 0x3f) | 0x80 : byte;
}
