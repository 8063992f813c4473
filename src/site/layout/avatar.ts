/** The icons of communities, and the initials of people and communities without a picture. */
import { graphemesOf } from '../../domain/text/text.ts';
import { iconPath } from '../paths.ts';
import { type Html, html } from './html.ts';

/** Decorative: the name is always next to it. */
export function avatar({ id, name }: { id: string; name: string }, size: IconSize): Html {
  return html`<span class="avatar ${size} tone-${toneOf(id)}" aria-hidden="true">${initialsOf(name)}</span>`;
}

const ICON_PIXELS = { huge: 96, large: 72, row: 56, medium: 44, small: 28 };

type IconSize = keyof typeof ICON_PIXELS;

/** The icon of a community, or its initials. Also decorative. */
export function guildIcon(
  { guildId, name, icon }: { guildId: string; name: string; icon: string | null },
  size: IconSize,
): Html {
  if (icon === null) return avatar({ id: guildId, name }, size);
  const pixels = ICON_PIXELS[size];
  return html`<img class="avatar ${size}" src="${iconPath(guildId, icon)}" alt="" width="${pixels}" height="${pixels}" decoding="async">`;
}

/** The number of colors for initials; each is a class in components.css. */
const TONES = 6;

/** Ids differ in their last digits. */
export function toneOf(id: string): number {
  return Number(id.slice(-4)) % TONES;
}

/** Up to two letters for a person or community without a picture; the first symbol of a name without letters. */
export function initialsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+(?:['’][\p{L}\p{N}]+)*/gu);
  if (words === null) return graphemesOf(name.trim())[0] ?? '?';
  const letters = words.slice(0, 2).map((word) => [...word][0] ?? '');
  return letters.join('').toUpperCase();
}
