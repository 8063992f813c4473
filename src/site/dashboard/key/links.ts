import type { Locale } from '../../../domain/locale.ts';
import { EXTERNAL_ID_MAX_LENGTH, isLinkableExternalId } from '../../../domain/text.ts';
import { type Html, html } from '../../layout/html.ts';
import { votePath } from '../../vote/vote-link.ts';
import { copyButton } from '../format.ts';
import { tabAddress } from '../frame.ts';
import { linksMessages } from './messages.ts';

export function voteLink(site: string, guildId: string): string {
  return site + votePath(guildId);
}

export function customVoteLink(
  site: string,
  guildId: string,
  externalId: string,
  returnTo: URL | null = null,
): string {
  return site + votePath(guildId, { externalId, returnTo, signature: null });
}

const EXAMPLE_RETURN_ADDRESS = new URL('https://shop.example.org/rewards');

export type LinksPage = { guildId: string; site: string; externalId: string };

export function linksView(locale: Locale, page: LinksPage): Html {
  const text = linksMessages[locale];
  const standard = voteLink(page.site, page.guildId);
  return html`<section class="card" id="vote-links" aria-labelledby="vote-links-title">
<h2 id="vote-links-title">${text.title}</h2>
<div class="stack"><h3>${text.standard}</h3><p class="muted">${text.standardHint}</p>
<div class="link-line"><a class="mono" id="vote-link" href="${standard}">${standard}</a>${copyButton(locale, 'vote-link', text.copyStandard)}</div></div>
${customLink(locale, page)}${returnLink(locale, page)}</section>`;
}

/** Without scripts the button loads the page with the link; with scripts the link is updated while typing. */
function customLink(locale: Locale, { guildId, site, externalId }: LinksPage): Html {
  const text = linksMessages[locale];
  const isWrong = externalId !== '' && !isLinkableExternalId(externalId);
  const link = customVoteLink(site, guildId, externalId === '' || isWrong ? text.example : externalId);
  return html`<div class="stack part"><h3>${text.custom}</h3><p class="muted measure">${text.customHint}</p>
<form class="inline-form" method="get" action="${tabAddress(guildId, 'key')}#vote-links" data-link-builder="custom-link" data-link-base="${customVoteLink(site, guildId, '')}" data-link-example="${text.example}" data-link-error="external-id-error" data-max-length="${EXTERNAL_ID_MAX_LENGTH}">
<div class="field"><label for="external-id">${text.externalId}</label>
<input type="text" id="external-id" name="external_id" value="${externalId}" placeholder="${text.example}" autocomplete="off" spellcheck="false"${isWrong && html` aria-invalid="true" aria-describedby="external-id-error"`}></div>
<button class="secondary">${text.build}</button></form>
<p class="field-error" id="external-id-error"${!isWrong && html` hidden`}>${text.wrong(EXTERNAL_ID_MAX_LENGTH)}</p>
<div class="link-line"${isWrong && html` hidden`}><a class="mono" id="custom-link" href="${link}">${link}</a>${copyButton(locale, 'custom-link', text.copyCustom)}</div></div>`;
}

function returnLink(locale: Locale, { guildId, site }: LinksPage): Html {
  const text = linksMessages[locale];
  const link = customVoteLink(site, guildId, text.example, EXAMPLE_RETURN_ADDRESS);
  return html`<div class="stack part"><h3>${text.returnLink}</h3><p class="muted measure">${text.returnLinkHint}</p>
<p><code class="mono">${link}</code></p></div>`;
}
