/**
 * What stands for an erased user where something about them has to remain: that their sessions ended, and their ban.
 * A hash under a key of the database, so that the user is recognized when they come back.
 */
import { createHmac } from 'node:crypto';
import type { Statements } from '../database.ts';

export type ErasedIdOf = (userId: string) => Promise<string>;

const PREFIX = 'erased_';
const HASH_DIGITS = 32;

/** The key is read once; it never changes. */
export function createErasedIds({ read }: Pick<Statements, 'read'>): ErasedIdOf {
  const readKey = read<{ key: string }>('SELECT key FROM erasure_key WHERE id = 1');
  let key: string | undefined;
  return async (userId) => {
    key ??= (await readKey())[0]?.key;
    if (key === undefined) throw new Error('the table erasure_key is empty');
    return PREFIX + createHmac('sha256', key).update(userId).digest('hex').slice(0, HASH_DIGITS);
  };
}
