/** Pages of lists that are ordered by an id. */
import { ApiError } from '../errors/api-error.ts';
import { openCursor, sealCursor } from '../v7/cursor.ts';

/** What a cursor contains: the last id of the page, and the search that it belongs to. */
export type ListCursor = { after: string; search: string };

export function sealListCursor(list: string, { after, search }: ListCursor, cursorKey: Buffer): string {
  const encoded = Buffer.from(search).toString('base64url');
  return sealCursor([after, encoded], scopeOf(list), cursorKey);
}

/** Throws `INVALID_CURSOR` if it was not issued for this list. */
export function openListCursor(list: string, text: string, cursorKey: Buffer): ListCursor {
  const fields = openCursor(text, scopeOf(list), cursorKey);
  if (!fields) throw new ApiError('INVALID_CURSOR');
  const [after = '', encoded = ''] = fields;
  return { after, search: Buffer.from(encoded, 'base64url').toString() };
}

function scopeOf(list: string): string[] {
  return ['manage', 'v1', list];
}

/** Of entries of which one more was read than the page has. `last` is where the next page starts, if there is one. */
export function cutPage<Entry>(
  found: readonly Entry[],
  limit: number,
): { page: Entry[]; last: Entry | undefined } {
  const page = found.slice(0, limit);
  return { page, last: found.length > limit ? page.at(-1) : undefined };
}
