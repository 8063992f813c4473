/** The picture of a person or community: its icon, or its initials on a stable color. */
import { iconPath } from '../paths.ts';
import { type Html, html } from './html.ts';

/** Decorative: the name is always next to it. */
export function avatar({ id, name }: { id: string; name: string }, size: 'large' | 'medium' | 'small'): Html {
  return html`<span class="avatar ${size} tone-${toneOf(id)}" aria-hidden="true">${/[\p{L}\p{N}]/u.test(name) ? initialsOf(name) : firstSymbol(name)}</span>`;
}

const symbols = new Intl.Segmenter();

/** For a name without letters: its first emoji, however many code points that has. */
function firstSymbol(name: string): string {
  return [...symbols.segment(name.trim())][0]?.segment ?? '?';
}

const ICON_PIXELS = { large: 72, medium: 44, small: 28 };

/** The icon of a community, or its initials. Decorative, too. */
export function guildIcon(
  { guildId, name, icon }: { guildId: string; name: string; icon: string | null },
  size: 'large' | 'medium' | 'small',
): Html {
  if (icon === null) return avatar({ id: guildId, name }, size);
  const pixels = ICON_PIXELS[size];
  return html`<img class="avatar ${size}" src="${iconPath(guildId, icon)}" alt="" width="${pixels}" height="${pixels}" decoding="async">`;
}

/** The number of colors for initials; each is a class in components.css. */
const TONES = 6;

/** Ids differ in their last digits. */
function toneOf(id: string): number {
  return Number(id.slice(-4)) % TONES;
}

/** Two letters for a person or community without a picture. */
export function initialsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters =
    words.length > 1 ? words.slice(0, 2).map((word) => firstLetter(word)) : [firstLetter(words[0] ?? '?')];
  return letters.join('').toUpperCase();
}

function firstLetter(word: string): string {
  return String.fromCodePoint(word.codePointAt(0) ?? 0x3f);
}
