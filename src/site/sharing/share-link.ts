import { type Html, html } from '../layout/html.ts';
import type { PageContext } from '../layout/page.ts';
import { shareMessages } from './share-messages.ts';

/** A link to copy. The script adds a button that shares it, or copies it where sharing is not possible. */
export function shareLink({ locale }: PageContext, guild: { name: string }, address: string): Html {
  const text = shareMessages[locale];
  return html`<div class="share-link stack">
<label for="share-link">${text.share}</label>
<div class="share-link-row"><input type="text" id="share-link" readonly value="${address}">
<button type="button" class="secondary" hidden data-share="${address}" data-share-title="${text.shareTitle(guild.name)}" data-copied="${text.copied}" data-share-label="${text.shareAction}">${text.copy}</button></div>
</div>`;
}
