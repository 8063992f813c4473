/** Tokens of the management API. */
import { randomBytes } from 'node:crypto';
import type { Instant } from '../clock.ts';
import { hashKey, keyFormat } from './key-format.ts';

/** What a token may do, in the order of lists. */
export const TOKEN_SCOPES = [
  'guilds:read',
  'guilds:write',
  'votes:write',
  'moderation:write',
  'users:write',
] as const;

export type TokenScope = (typeof TOKEN_SCOPES)[number];

export function isTokenScope(text: string): text is TokenScope {
  return TOKEN_SCOPES.some((scope) => scope === text);
}

export type ApiToken = {
  tokenId: string;
  /** Shown in the log of operators as the actor. */
  name: string;
  scopes: readonly TokenScope[];
  createdAt: Instant;
  /** Null: never. */
  expiresAt: Instant | null;
  /** To the hour; null: never used. */
  lastUsedAt: Instant | null;
  revokedAt: Instant | null;
};

export type TokenState = 'active' | 'expired' | 'revoked';

/** At `expiresAt` itself the token has expired. */
export function tokenStateAt({ expiresAt, revokedAt }: ApiToken, now: Instant): TokenState {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}

const FORMAT = keyFormat('vto_');

export const generateToken = FORMAT.generate;
export const isWellFormedToken = FORMAT.isWellFormed;
export const hashToken = hashKey;

const TOKEN_ID_PREFIX = 'tok_';
const TOKEN_ID_BYTES = 8;

/** The id of a new token, which is not secret. */
export function createTokenId(random: (bytes: number) => Buffer = randomBytes): string {
  return TOKEN_ID_PREFIX + random(TOKEN_ID_BYTES).toString('hex');
}

/** Distinguishes a token from a user in the log of operators. */
export function isTokenId(text: string): boolean {
  return text.startsWith(TOKEN_ID_PREFIX);
}
