/**
 * The id that replaces that of an erased user in a guild. It has the form of a Discord id and lies between the ids of
 * the users before and after, because users with the same number of votes are ranked by id: the ranks of others stay
 * as they are.
 */
import { randomBytes } from 'node:crypto';

/** Of the voters of the guild whose ids have as many digits: the one before and the one after; null at either end. */
export type Neighbors = { before: string | null; after: string | null };

/** Returns a random integer from 0 up to, but not including, `end`. */
export type RandomBelow = (end: bigint) => bigint;

/** Programs with signed 64-bit integers can read smaller ids. */
const SIGNED_END = 2n ** 63n;

/** With less room between its neighbors, an id would say too much about the one it replaces. */
const MIN_ROOM = 2n ** 20n;

/** Ids from here on belong to accounts that are created after 2080. */
const UNUSED_FROM = 9_000_000_000_000_000_000n;

export function anonymousId(
  userId: string,
  { before, after }: Neighbors,
  random: RandomBelow = randomBelow,
): string {
  const first = before === null ? 10n ** BigInt(userId.length - 1) : BigInt(before) + 1n;
  const end = after === null ? lastEnd(userId) : BigInt(after);
  const hasRoom = end - first >= MIN_ROOM;
  for (;;) {
    const id = hasRoom ? first + random(end - first) : UNUSED_FROM + random(SIGNED_END - UNUSED_FROM);
    const text = String(id);
    if (text !== userId) return text;
  }
}

/** After every id with as many digits. */
function lastEnd(userId: string): bigint {
  const end = 10n ** BigInt(userId.length);
  return BigInt(userId) < SIGNED_END && end > SIGNED_END ? SIGNED_END : end;
}

const RANDOM_BYTES = 16;

/** The bias is below 2^-64. */
function randomBelow(end: bigint): bigint {
  return BigInt(`0x${randomBytes(RANDOM_BYTES).toString('hex')}`) % end;
}
