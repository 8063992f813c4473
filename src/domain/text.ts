import { codePointLength } from './identifiers.ts';

/**
 * One value of a parsed query string or header list, before validation: the first value of a repeated name, which the
 * validator rejects later.
 */
export function firstText(source: unknown, name: string): string | undefined {
  if (!isRecord(source)) return undefined;
  const value = source[name];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : undefined;
}

const CONTROL_CHARACTER = /\p{Cc}/u;

/**
 * A short text typed by a person (a name, a reason), trimmed; `undefined` if it is empty, too long, or contains
 * characters that would garble a terminal or a page.
 */
export function readPlainText(text: string, maxLength: number): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || codePointLength(trimmed) > maxLength) return undefined;
  return trimmed.isWellFormed() && !CONTROL_CHARACTER.test(trimmed) ? trimmed : undefined;
}

/** Whether an unknown value has fields. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
