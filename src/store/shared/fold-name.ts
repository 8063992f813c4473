/** Accents of Latin, Greek and Cyrillic letters: the block "Combining Diacritical Marks". */
const ACCENTS = /[\u0300-\u036f]/g;

/**
 * Folds a name for searching. The databases fold only ASCII letters, or depend on their locale, so it is done here:
 * upper case, because it does not depend on neighboring letters (ς and σ are both Σ), with compatibility variants (𝓖,
 * Ｇ) unified. Accents are removed, because many people do not type them; marks of other scripts, which make different
 * letters (か and が), stay. Changing the folding requires a migration (migrations.ts).
 */
export function foldName(name: string): string {
  return name.normalize('NFKD').replace(ACCENTS, '').normalize('NFKC').toUpperCase();
}

/** Whether a database can be queried for this text: no name contains NUL or half a surrogate pair. */
export function isSearchable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
