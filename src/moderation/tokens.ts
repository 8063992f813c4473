/** Tokens of the management API: who may use it, and for what. */

import { formatInstantOrNull, type Instant } from '../domain/clock.ts';
import {
  type ApiToken,
  createTokenId,
  generateToken,
  hashToken,
  type TokenScope,
} from '../domain/keys/api-token.ts';
import { type Moderator, moderate } from './moderator.ts';

export const TOKEN_NAME_MAX_LENGTH = 100;

export type TokenInput = { name: string; scopes: readonly TokenScope[]; expiresAt: Instant | null };

/** `token` is not stored, so this is the only time that it can be shown. */
export type CreateOutcome = { kind: 'created'; token: string; tokenId: string } | { kind: 'already_expired' };

export async function createToken(
  moderator: Moderator,
  { name, scopes, expiresAt }: TokenInput,
): Promise<CreateOutcome> {
  const { store, clock } = moderator;
  const createdAt = clock();
  if (expiresAt !== null && expiresAt <= createdAt) return { kind: 'already_expired' };
  const token = generateToken();
  const tokenId = createTokenId();
  const detail = { name, token: tokenId, scopes: scopes.join(' '), until: formatInstantOrNull(expiresAt) };
  await moderate(moderator, { action: 'token_created', guildId: null, detail }, () =>
    store.tokens.add({ tokenId, hash: hashToken(token), name, scopes, createdAt, expiresAt }),
  );
  return { kind: 'created', token, tokenId };
}

export type RevokeOutcome =
  | { kind: 'revoked'; token: ApiToken }
  | { kind: 'already_revoked' }
  | { kind: 'unknown' };

/** The token stops working immediately. */
export async function revokeToken(moderator: Moderator, tokenId: string): Promise<RevokeOutcome> {
  const { store, clock } = moderator;
  const token = await store.tokens.find(tokenId);
  if (!token) return { kind: 'unknown' };
  if (token.revokedAt !== null) return { kind: 'already_revoked' };
  const detail = { name: token.name, token: tokenId };
  const isRevoked = await moderate(moderator, { action: 'token_revoked', guildId: null, detail }, () =>
    store.tokens.revoke(tokenId, clock()),
  );
  return isRevoked ? { kind: 'revoked', token } : { kind: 'already_revoked' };
}
