import type { Locale } from '../../domain/locale.ts';
import { type Html, html } from '../html.ts';

const copied: Record<Locale, string> = { en: 'Copied', fr: 'Copié' };
const failed: Record<Locale, string> = {
  en: 'Select the text and copy it',
  fr: 'Sélectionnez le texte et copiez-le',
};

/** Copies the text of the element `source`. Hidden until the script is there that does it (dashboard.js). */
export function copyButton(locale: Locale, source: string, label: string): Html {
  return html`<button type="button" class="small secondary" hidden data-copy="${source}" data-copied="${copied[locale]}" data-failed="${failed[locale]}">${label}</button>`;
}
