/** Tokens of the management API. */

import { DAY_MS, HOUR_MS, type Instant } from '../../domain/clock.ts';
import { type ApiToken, isTokenScope } from '../../domain/keys/api-token.ts';
import type { Database } from '../database.ts';

export type NewToken = Pick<ApiToken, 'tokenId' | 'name' | 'scopes' | 'createdAt' | 'expiresAt'> & {
  hash: string;
};

export interface TokenStore {
  add(token: NewToken): Promise<void>;
  /** Expired and revoked tokens are found too. */
  findByHash(hash: string): Promise<ApiToken | undefined>;
  find(tokenId: string): Promise<ApiToken | undefined>;
  /** All tokens, newest first. */
  list(): Promise<ApiToken[]>;
  /** Returns false if the token does not exist, or was revoked before. */
  revoke(tokenId: string, now: Instant): Promise<boolean>;
  /** Written at most once per hour. */
  markUsed(token: ApiToken, now: Instant): Promise<void>;
  /** Deletes at most `limit` tokens that expired or were revoked before `before`. Returns the number. */
  prune(before: Instant, limit: number): Promise<number>;
}

/** Tokens that can no longer be used stay in the list for this long. */
export const KEEP_ENDED_TOKENS_MS = 90 * DAY_MS;

const USED_EVERY_MS = HOUR_MS;

/** A row of `api_tokens`. */
type TokenRow = {
  token_id: string;
  name: string;
  scopes: string;
  created_at: Instant;
  expires_at: Instant | null;
  last_used_at: Instant | null;
  revoked_at: Instant | null;
};

function toToken(row: TokenRow): ApiToken {
  return {
    tokenId: row.token_id,
    name: row.name,
    // A scope of a later version means nothing to this one.
    scopes: row.scopes.split(' ').filter(isTokenScope),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}

const COLUMNS = 'token_id, name, scopes, created_at, expires_at, last_used_at, revoked_at';

/** The primary key, in every statement that does not name an index. */
export function createTokenStore({ read, write, dialect: { lock } }: Database): TokenStore {
  const add = write(`
    INSERT INTO api_tokens (token_id, hash, name, scopes, created_at, expires_at)
    VALUES (@tokenId, @hash, @name, @scopes, @createdAt, @expiresAt)`);
  // The unique index on hash.
  const findByHash = read<TokenRow>(`SELECT ${COLUMNS} FROM api_tokens WHERE hash = @hash`, 'find-token');
  const find = read<TokenRow>(`SELECT ${COLUMNS} FROM api_tokens WHERE token_id = @tokenId`);
  // The whole table: operators create a handful of tokens. Here and for `prune`.
  const list = read<TokenRow>(`SELECT ${COLUMNS} FROM api_tokens ORDER BY created_at DESC, token_id`);
  const revoke = write(
    'UPDATE api_tokens SET revoked_at = @now WHERE token_id = @tokenId AND revoked_at IS NULL',
  );
  const markUsed = write(`
    UPDATE api_tokens SET last_used_at = @now
    WHERE token_id = @tokenId AND (last_used_at IS NULL OR last_used_at < @now)`);
  const prune = write(`
    DELETE FROM api_tokens WHERE token_id IN (
      SELECT token_id FROM api_tokens WHERE revoked_at < @before OR expires_at < @before
      LIMIT @limit + 0 ${lock('FOR UPDATE SKIP LOCKED')}
    )`);
  return {
    async add({ scopes, tokenId, hash, name, createdAt, expiresAt }) {
      await add({ tokenId, hash, name, scopes: scopes.join(' '), createdAt, expiresAt });
    },
    async findByHash(hash) {
      return (await findByHash({ hash })).map(toToken)[0];
    },
    async find(tokenId) {
      return (await find({ tokenId })).map(toToken)[0];
    },
    async list() {
      return (await list()).map(toToken);
    },
    async revoke(tokenId, now) {
      return (await revoke({ tokenId, now })) > 0;
    },
    async markUsed({ tokenId, lastUsedAt }, now) {
      const hour = now - (now % USED_EVERY_MS);
      if (lastUsedAt === null || lastUsedAt < hour) await markUsed({ tokenId, now: hour });
    },
    prune: (before, limit) => prune({ before, limit }),
  };
}
