/**
 * The parts of "Developer & API": Key, Links and Buttons. All are in the page, and the anchor in its URL decides which one is
 * shown (parts.css), so that they work without scripts, and every anchor inside a part shows that part.
 */
import type { Locale } from '../../../domain/locale.ts';
import { type Content, type Html, html } from '../../layout/html.ts';
import { partsMessages } from './messages.ts';

const PARTS = ['key', 'links', 'buttons'] as const;
type Part = (typeof PARTS)[number];

export function partsView(locale: Locale, parts: Record<Part, Content>): Html {
  const text = partsMessages[locale];
  return html`<div class="parts">
<nav class="part-tabs" aria-label="${text.label}">${PARTS.map((part) => html`<a class="to-${part}" href="#part-${part}">${text.names[part]}</a>\n`)}</nav>
${PARTS.map((part) => html`<div class="part-page part-${part}" id="part-${part}">${parts[part]}</div>\n`)}</div>`;
}
