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

/** Control characters garble a page; the others change the direction of the surrounding text. */
const UNSAFE_IN_NAMES = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/** A name that somebody chose elsewhere, made safe to store and display; '' if nothing is left of it. */
export function cleanName(text: string, maxLength: number): string {
  const name = text.toWellFormed().replace(UNSAFE_IN_NAMES, ' ').trim();
  return Array.from(name).slice(0, maxLength).join('').trim();
}

/** Whether an unknown value has fields. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
