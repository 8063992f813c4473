import { codePointLength } from './identifiers.ts';

const CONTROL_CHARACTER = /\p{Cc}/u;

/**
 * A short text that a person typed (a name, a reason), without the space around it; `undefined` when it is
 * empty, too long, or holds what would garble a terminal or a page.
 */
export function readPlainText(text: string, maxLength: number): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || codePointLength(trimmed) > maxLength) return undefined;
  return trimmed.isWellFormed() && !CONTROL_CHARACTER.test(trimmed) ? trimmed : undefined;
}
