/** Names that people chose for themselves or their communities. */
import { isVisible } from './text.ts';

/** Control characters garble a page; the others change the direction of the surrounding text. */
const UNSAFE_IN_NAMES = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/** A name that a user chose elsewhere, made safe to store and display; '' if nothing visible is left of it. */
export function cleanName(text: string, maxLength: number): string {
  const name = text.toWellFormed().replace(UNSAFE_IN_NAMES, ' ').trim();
  const start = Array.from(name).slice(0, maxLength).join('').trim();
  return isVisible(start) ? start : '';
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
