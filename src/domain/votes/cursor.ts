import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Period } from './period.ts';
import type { VotePosition } from './vote.ts';

/**
 * What a cursor is bound to: it is only valid for the list it was issued for. `userId` is null for the whole guild.
 */
export type CursorScope = { guildId: string; userId: string | null };

/**
 * The contents of a cursor: the period and total of the first page, and the last vote returned. The period keeps all
 * pages consistent while time passes; the total is counted only once.
 */
export type Cursor = { period: Period; total: number; after: VotePosition };

const SEPARATOR = '.';

export function encodeCursor(cursor: Cursor, scope: CursorScope, cursorKey: Buffer): string {
  const { period, total, after } = cursor;
  const fields = [period.from, period.to, total, after.castAt, after.userId];
  return sealCursor(fields, voteListScope(scope), cursorKey);
}

/** The cursor, or `undefined` if this text was not issued for this scope. */
export function decodeCursor(text: string, scope: CursorScope, cursorKey: Buffer): Cursor | undefined {
  const fields = openCursor(text, voteListScope(scope), cursorKey);
  if (!fields) return undefined;
  const [from, to, total, castAt, userId = ''] = fields;
  return {
    period: { from: Number(from), to: Number(to) },
    total: Number(total),
    after: { castAt: Number(castAt), userId },
  };
}

function voteListScope({ guildId, userId }: CursorScope): string[] {
  return ['v1', guildId, userId ?? '*'];
}

/** An opaque, authenticated text. `scope` is what the cursor is bound to; it is not part of the text. */
export function sealCursor(
  fields: readonly (string | number)[],
  scope: readonly string[],
  cursorKey: Buffer,
): string {
  const payload = Buffer.from(fields.join(SEPARATOR)).toString('base64url');
  return payload + SEPARATOR + sign(payload, scope, cursorKey);
}

/**
 * The fields of a cursor that was issued for this scope. The signature covers the text as sent, so another encoding
 * of the same bytes is rejected too.
 */
export function openCursor(text: string, scope: readonly string[], cursorKey: Buffer): string[] | undefined {
  const [payload = '', signature = '', ...rest] = text.split(SEPARATOR);
  if (rest.length > 0 || !isEqual(signature, sign(payload, scope, cursorKey))) return undefined;
  return Buffer.from(payload, 'base64url').toString().split(SEPARATOR);
}

function sign(payload: string, scope: readonly string[], cursorKey: Buffer): string {
  return createHmac('sha256', cursorKey)
    .update([...scope, payload].join('|'))
    .digest('base64url');
}

function isEqual(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}
