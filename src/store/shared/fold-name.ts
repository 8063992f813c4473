/** What Latin, Greek and Cyrillic letters carry: the block "Combining Diacritical Marks". */
const ACCENTS = /[\u0300-\u036f]/g;

/**
 * A name as it is searched. Both databases fold the case of ASCII letters only, or as their locale has it, so it is
 * folded here: upper case, because it does not depend on the letters beside (ς and σ are both Σ), and with the
 * letters that only look different (𝓖, Ｇ) made equal. Accents are left out, since many people type none; the marks of
 * other scripts, which make other letters (か and が), stay. Another way to fold needs a migration (migrations.ts).
 */
export function foldName(name: string): string {
  return name.normalize('NFKD').replace(ACCENTS, '').normalize('NFKC').toUpperCase();
}

/** Whether a database can be asked for this text at all: no name holds NUL or half a surrogate pair. */
export function isSearchable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
