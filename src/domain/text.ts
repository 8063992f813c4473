/** Text from outside: names, ids and parameters, checked and cleaned. */

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

/** Takes linear time, unlike a regular expression, which would look for the end from every slash of a long run. */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
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

/** A name that a user chose elsewhere, made safe to store and display; '' if nothing is left of it. */
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

const SNOWFLAKE = /^[0-9]{15,20}$/;

/** The pattern of user and guild ids in the contract. */
export const SNOWFLAKE_PATTERN = SNOWFLAKE.source;
export const SNOWFLAKE_MAX_LENGTH = 20;

export const EXTERNAL_ID_MAX_LENGTH = 191;

export function isSnowflake(text: string): boolean {
  return SNOWFLAKE.test(text);
}

/** Length in Unicode code points, as the contract counts. An emoji is one. */
export function codePointLength(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/**
 * Control characters (including tabs and line breaks), Unicode line separators, and characters that reorder the
 * surrounding text. Direction marks and joiners are allowed: ordinary text and emoji contain them.
 */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** Whether a vote link may carry this external id. Stricter than storage: imported votes may contain any text. */
export function isLinkableExternalId(text: string): boolean {
  return isStorableExternalId(text) && !UNPRINTABLE.test(text);
}

/**
 * Whether an external id can be stored. Text with NUL or half a surrogate pair is rejected, because no database
 * stores it exactly, and external ids are compared exactly.
 */
export function isStorableExternalId(text: string): boolean {
  if (text === '' || text.length > 2 * EXTERNAL_ID_MAX_LENGTH) return false;
  return isSearchable(text) && codePointLength(text) <= EXTERNAL_ID_MAX_LENGTH;
}
