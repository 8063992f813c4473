/** The cursors of vote lists. */
import type { Period } from '../../../domain/votes/period.ts';
import type { VotePosition } from '../../../domain/votes/vote.ts';
import { openCursor, sealCursor } from '../cursor.ts';

/**
 * What a cursor is bound to: it is only valid for the list it was issued for. `userId` is null for the whole guild.
 */
export type CursorScope = { guildId: string; userId: string | null };

/**
 * The contents of a cursor: the period and total of the first page, and the last vote returned. The period keeps all
 * pages consistent while time passes; the total is counted only once.
 */
export type Cursor = { period: Period; total: number; after: VotePosition };

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
