/** Text from outside, checked and cleaned. */

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

/** Whether a text can be shown within a line of a page or a terminal without garbling what is around it. */
export function isPrintable(text: string): boolean {
  return !UNPRINTABLE.test(text);
}

/**
 * Neither space nor a character without a shape, such as a zero-width space, a Hangul filler, the empty Braille pattern, a
 * mark of an annotation or a note without a head.
 */
const VISIBLE = /[^\s\u2800\ufff9-\ufffb\u{1d159}\p{Default_Ignorable_Code_Point}]/u;

/** Whether a reader sees anything of a text. */
export function isVisible(text: string): boolean {
  return VISIBLE.test(text);
}

/**
 * A short text typed by a person (a name, a reason), trimmed; `undefined` if nothing of it is visible, if it is too long, or
 * if it contains characters that would garble a terminal or a page.
 */
export function readPlainText(text: string, maxLength: number): string | undefined {
  const trimmed = text.trim();
  if (!isVisible(trimmed) || codePointLength(trimmed) > maxLength) return undefined;
  return trimmed.isWellFormed() && isPrintable(trimmed) ? trimmed : undefined;
}

/** Whether a database can be queried for this text: no name contains NUL or half a surrogate pair. */
export function isSearchable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Takes linear time, unlike a regular expression, which would look for the end from every slash of a long run. */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}

/** Created for the first text: loading its tables takes a fortieth of the start time. */
let segmenter: Intl.Segmenter | undefined;

/** What a reader sees as one character: an emoji is one, however many code points it has. */
export function graphemesOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}
