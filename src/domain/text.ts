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

/** Accents of Latin, Greek and Cyrillic letters: the block "Combining Diacritical Marks". */
const ACCENTS = /[\u0300-\u036f]/g;

/**
 * Folds a name for searching. The databases fold only ASCII letters, or depend on their locale, so it is done here:
 * upper case, because it does not depend on neighboring letters (ς and σ are both Σ), with compatibility variants (𝓖,
 * Ｇ) unified. Accents are removed, because many people do not type them; marks of other scripts, which make different
 * letters (か and が), stay. Changing the folding requires a migration of the stored names.
 */
export function foldName(name: string): string {
  return name.normalize('NFKD').replace(ACCENTS, '').normalize('NFKC').toUpperCase();
}

/** Whether a database can be queried for this text: no name contains NUL or half a surrogate pair. */
export function isSearchable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
