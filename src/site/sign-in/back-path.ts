import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { ownPath } from '../own-path.ts';

const SIGN_IN_PAGES = /^\/sign-(?:in|out)(?:[/?]|$)/;
/** What the session cookie has room for. A vote link with the longest external id in the widest letters needs 1400. */
export const MAX_PACKED_LENGTH = 1500;

/**
 * Where a sign-in leads afterwards: a page of ours. `undefined` when that would be a page of the sign-in itself,
 * which would go round in circles.
 */
export function backPath(text: string | undefined): string | undefined {
  const path = ownPath(text);
  return SIGN_IN_PAGES.test(path) ? undefined : path;
}

/** Small enough for a cookie, or `undefined` when nothing makes it so. Escapes (`%F0%9F…`) pack to a third. */
export function packPath(path: string): string | undefined {
  const packed = deflateRawSync(path).toString('base64url');
  return packed.length <= MAX_PACKED_LENGTH ? packed : undefined;
}

export function unpackPath(packed: string): string {
  return ownPath(inflateRawSync(Buffer.from(packed, 'base64url')).toString());
}
