import { codePointLength } from './identifiers.ts';

/**
 * One value of a parsed query string or header list, before validation: a name given twice counts with its
 * first value here, and is refused by the validator later.
 */
export function firstText(source: unknown, name: string): string | undefined {
  if (!isRecord(source)) return undefined;
  const value = source[name];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : undefined;
}

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

/** Whether something unknown has fields that can be looked at. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
