/** Where the operator of the site can be reached: the links that the operator has set. */
import type { Brand } from './brand.ts';
import { type Content, html } from './html.ts';

/** For the end of a sentence that says to contact the operator. */
export function operatorLinks({ links }: Brand): Content {
  return links.map(({ label, url }, index) => html`${index > 0 && ' ·'} <a href="${url}">${label}</a>`);
}
