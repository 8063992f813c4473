/** Somebody who is signed in. */
export type Person = { userId: string; name: string };

/** Two letters that stand for a person or a community where there is no picture. */
export function initialsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters =
    words.length > 1 ? words.slice(0, 2).map((word) => firstLetter(word)) : [firstLetter(words[0] ?? '?')];
  return letters.join('').toUpperCase();
}

function firstLetter(word: string): string {
  return String.fromCodePoint(word.codePointAt(0) ?? 0x3f);
}
