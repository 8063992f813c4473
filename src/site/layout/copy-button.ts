import type { Locale } from '../../domain/locale.ts';
import { type Html, html } from './html.ts';
import { layoutMessages } from './messages.ts';

/** Copies the text of the element `source`. Hidden until its script (dashboard.js) is loaded. */
export function copyButton(locale: Locale, source: string, label: string, { isPrimary = false } = {}): Html {
  const { copied, copyFailed } = layoutMessages[locale];
  return html`<button type="button" class="small${!isPrimary && ' secondary'}" hidden data-copy="${source}" data-copied="${copied}" data-failed="${copyFailed}">${label}</button>`;
}

/** Copies the id of a user. Hidden until its script (dashboard.js) is loaded. */
export function copyIdButton(locale: Locale, userId: string, name: string): Html {
  const label = layoutMessages[locale].copyId(name);
  return html`<button type="button" class="copy-id" hidden data-copy-text="${userId}" data-copied="${layoutMessages[locale].copied}" aria-label="${label}" title="${userId}"></button>`;
}
