/** Cursors: opaque texts that only this service can issue. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { keysOf } from '../../domain/secrets.ts';

const SEPARATOR = '.';

/** An opaque, authenticated text. `scope` is what the cursor is bound to; it is not part of the text. */
export function sealCursor(
  fields: readonly (string | number)[],
  scope: readonly string[],
  cursorKey: Buffer,
): string {
  const payload = Buffer.from(fields.join(SEPARATOR)).toString('base64url');
  return payload + SEPARATOR + sign(payload, scope, keysOf(cursorKey)[0]);
}

/**
 * The fields of a cursor that was issued for this scope. The signature covers the text as sent, so another encoding
 * of the same bytes is rejected too.
 */
export function openCursor(text: string, scope: readonly string[], cursorKey: Buffer): string[] | undefined {
  const [payload = '', signature = '', ...rest] = text.split(SEPARATOR);
  const isIssued = keysOf(cursorKey).some((key) => isEqual(signature, sign(payload, scope, key)));
  if (rest.length > 0 || !isIssued) return undefined;
  return Buffer.from(payload, 'base64url').toString().split(SEPARATOR);
}

function sign(payload: string, scope: readonly string[], key: Buffer): string {
  return createHmac('sha256', key)
    .update([...scope, payload].join('|'))
    .digest('base64url');
}

function isEqual(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}
