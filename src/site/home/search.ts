/**
 * Searches communities by the words of their name, tags and description. A typed word finds every word that starts with
 * it, regardless of case and accents.
 *
 *   const entry = searchEntry({ folded: 'ZOE’S CAFE', tags: ['role-play'], description: 'Tea and cake.' });
 *   createMatcher('role')(entry);   // MATCH.tags
 */
import { foldName } from '../../domain/text/names.ts';
import type { ListedGuild } from '../../store/guilds/listing.ts';

/** `words` has a mark at the start of each word: first the name, then the tags, then the description. */
export type SearchEntry = { folded: string; words: string; nameEnd: number; tagsEnd: number };

/** Where all typed words were found, the best place first. */
export const MATCH = { nameWord: 0, name: 1, tags: 2, description: 3 } as const;

export type Match = (typeof MATCH)[keyof typeof MATCH];

/** Null if a typed word was not found. */
export type Matcher = (entry: SearchEntry) => Match | null;

/** Separates the parts. No searched word contains it. */
const SEPARATOR = '\r';
const MARK = '\n';

const WORDS = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;

/** In scripts without spaces between words, each letter counts as a word. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/gu;

const APOSTROPHES = /[‘’ʼ`´]/g;

/**
 * Folded text is in upper case. The first letter of each word becomes lower case, so that searching for `mINE` finds
 * only words that start like this, and skips the rest of the text quickly. Letters without case get a mark.
 */
function markWords(folded: string): string {
  return folded.replace(APOSTROPHES, "'").replace(WORDS, (word) => markFirst(word));
}

function markFirst(word: string): string {
  const first = String.fromCodePoint(word.codePointAt(0) ?? 0);
  const lower = first.toLowerCase();
  if (lower !== first) return lower + word.slice(first.length);
  const marked = word.replace(UNSPACED, (letter) => MARK + letter);
  return marked.startsWith(MARK) ? marked : MARK + marked;
}

export function searchEntry({
  folded,
  tags,
  description,
}: Pick<ListedGuild, 'folded' | 'tags' | 'description'>): SearchEntry {
  const name = markWords(folded);
  // `roleplay` finds the tag `role-play` too.
  const spellings = tags.flatMap((tag) => (tag.includes('-') ? [tag, tag.replaceAll('-', '')] : [tag]));
  const nameAndTags = [name, markWords(foldName(spellings.join(' '))), ''].join(SEPARATOR);
  return {
    folded: folded.replace(APOSTROPHES, "'"),
    // Not by `+`, which would keep its parts in memory too.
    words: [nameAndTags, markWords(foldName(description))].join(''),
    nameEnd: name.length,
    tagsEnd: nameAndTags.length,
  };
}

/** Quotes, commas and `#` around a word are not part of it, unless nothing else was typed. */
const INSIDE = /[^\p{P}\p{S}]+(?:[\p{P}\p{S}]+[^\p{P}\p{S}]+)*/u;

/** Further words are ignored: each takes a millisecond in 20,000 communities. */
export const MAX_WORDS = 12;

/** Whatever contains a word contains its first letters too, so words that others start with need not be searched. */
function withoutImplied(words: readonly string[]): string[] {
  const distinct = [...new Set(words)];
  return distinct.filter((word) => !distinct.some((other) => other !== word && other.startsWith(word)));
}

/** Null for a search without any character to look for. */
export function createMatcher(search: string): Matcher | null {
  const typed = foldName(search).replace(APOSTROPHES, "'").split(/\s+/u);
  const words = typed.map((word) => INSIDE.exec(word)?.[0] ?? word).filter((word) => word !== '');
  if (words.length === 0) return null;
  const searched = withoutImplied(words)
    .slice(0, MAX_WORDS)
    .map((word) => ({ word, marked: markWords(word) }));
  return (entry) => {
    let worst: Match = MATCH.nameWord;
    for (const { word, marked } of searched) {
      const match = matchWord(entry, word, marked);
      if (match === null) return null;
      if (match > worst) worst = match;
    }
    return worst;
  };
}

function matchWord(entry: SearchEntry, word: string, marked: string): Match | null {
  const at = entry.words.indexOf(marked);
  if (at >= 0 && at < entry.nameEnd) return MATCH.nameWord;
  if (entry.folded.includes(word)) return MATCH.name;
  if (at < 0) return null;
  return at < entry.tagsEnd ? MATCH.tags : MATCH.description;
}
