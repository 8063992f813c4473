import { type Html, html } from '../html.ts';
import { initialsOf } from '../person.ts';

/** How many colours initials come in; each is a class in components.css. */
const TONES = 6;

/** Initials on a colour that a community or person keeps. Decoration: the name always stands beside it. */
export function avatar({ id, name }: { id: string; name: string }, size: 'large' | 'medium' | 'small'): Html {
  return html`<span class="avatar ${size} tone-${toneOf(id)}" aria-hidden="true">${initialsOf(name)}</span>`;
}

/** Ids differ in their last digits. */
function toneOf(id: string): number {
  return Number(id.slice(-4)) % TONES;
}
