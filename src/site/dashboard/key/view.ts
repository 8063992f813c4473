import type { Instant } from '../../../domain/clock.ts';
import { EXTERNAL_ID_MAX_LENGTH, isLinkableExternalId } from '../../../domain/identifiers.ts';
import type { Locale } from '../../../domain/locale.ts';
import type { TestVote } from '../../../domain/votes/test-vote.ts';
import type { Vote } from '../../../domain/votes/vote.ts';
import { votePath } from '../../../domain/votes/vote-link.ts';
import { copyButton } from '../../layout/copy-button.ts';
import { momentTag } from '../../layout/format.ts';
import { type Html, html } from '../../layout/html.ts';
import { layoutMessages } from '../../layout/messages.ts';
import { csrfField, type PageContext } from '../../layout/page.ts';
import { tabAddress } from '../frame.ts';
import { examplesView } from './examples.ts';
import { keyMessages, linksMessages } from './messages.ts';
import { type Language, type Platform, platformAddress } from './platforms.ts';

export type KeyState =
  | { kind: 'none' }
  | { kind: 'masked'; lastFour: string; createdAt: Instant; version: string }
  | { kind: 'shown'; key: string; createdAt: Instant; version: string }
  /** The key works but cannot be shown, because it was encrypted with a different master secret. */
  | { kind: 'unreadable'; createdAt: Instant; version: string };

type KeyPage = {
  guildId: string;
  site: string;
  state: KeyState;
  platform: Platform;
  /** The language of the example that is shown first. */
  language: Language;
  testVote: TestVote | null;
  now: Instant;
  lastVote: Vote | undefined;
};

export function keyView(context: PageContext, page: KeyPage): Html {
  const text = keyMessages[context.locale];
  const { state } = page;
  return html`<section class="card" aria-labelledby="api-key">
<div class="stack"><h2 id="api-key">${text.title}</h2><p class="muted measure">${text.lead}</p></div>
${state.kind === 'none' ? generateForm(context, page) : keyBox(context, page, state)}
</section>
${state.kind !== 'none' && examplesView(context, { ...page, key: state.kind === 'shown' ? state.key : null })}`;
}

function generateForm({ locale, csrfToken, isReadOnly }: PageContext, { guildId }: KeyPage): Html {
  const text = keyMessages[locale];
  if (isReadOnly) return html`<p class="muted">${text.none}</p>`;
  return html`<form class="row" method="post" action="/dashboard/${guildId}/key/new">${csrfField(csrfToken)}<input type="hidden" name="replaces" value=""><button>${text.generate}</button></form>`;
}

function keyBox(
  context: PageContext,
  { guildId, platform }: KeyPage,
  state: Exclude<KeyState, { kind: 'none' }>,
): Html {
  const { locale, isReadOnly } = context;
  const text = keyMessages[locale];
  return html`<div class="key-line"><span class="visually-hidden">${text.keyLabel}</span>${keyText(context, state)}</div>
<div class="row">${keyActions(context, guildId, platform, state)}
${!isReadOnly && html`<a class="button small danger" href="/dashboard/${guildId}/key/regenerate">${text.regenerate}</a>`}</div>
<p class="muted small-text">${text.madeOn} ${momentTag(state.createdAt, locale)}. ${state.kind === 'shown' ? text.shownHint : text.secret}</p>`;
}

function keyText({ locale }: PageContext, state: Exclude<KeyState, { kind: 'none' }>): Html {
  const text = keyMessages[locale];
  if (state.kind === 'shown') return html`<code class="key" id="key">${state.key}</code>`;
  if (state.kind === 'unreadable') return html`<p class="notice warn">${text.unreadable}</p>`;
  return html`<code class="key" aria-hidden="true">vty_${'•'.repeat(20)}${state.lastFour}</code><span class="visually-hidden">${text.masked(state.lastFour)}</span>`;
}

function keyActions(
  { locale, csrfToken }: PageContext,
  guildId: string,
  platform: Platform,
  { kind }: KeyState,
): Html | null {
  const text = keyMessages[locale];
  if (kind === 'shown')
    return html`${copyButton(locale, 'key', text.copyKey)}<a class="button small secondary" href="${platformAddress(guildId, platform)}">${text.hide}</a>`;
  if (kind !== 'masked') return null;
  return html`<form method="post" action="/dashboard/${guildId}/key/copy" hidden data-copy-form data-copied="${layoutMessages[locale].copied}" data-failed="${text.copyFailed}">${csrfField(csrfToken)}<button class="small">${text.copyKey}</button></form>
<form method="post" action="/dashboard/${guildId}/key/reveal">${csrfField(csrfToken)}<input type="hidden" name="platform" value="${platform}"><button class="small secondary">${text.reveal}</button></form>`;
}

/** Asks for confirmation before the old key is revoked. */
export function confirmView(guildId: string, version: string) {
  return ({ locale, csrfToken }: PageContext): Html => {
    const text = keyMessages[locale].confirm;
    return html`<section class="card" aria-labelledby="confirm">
<h2 id="confirm">${text.title}</h2>
<p class="measure"><strong>${text.warning}</strong> ${text.consequence}</p>
<form class="row" method="post" action="/dashboard/${guildId}/key/new">${csrfField(csrfToken)}<input type="hidden" name="replaces" value="${version}">
<button class="danger">${text.confirm}</button><a class="button secondary" href="${tabAddress(guildId, 'key')}">${text.cancel}</a></form></section>`;
  };
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

type LinksPage = { guildId: string; site: string; externalId: string };

export function linksView(locale: Locale, page: LinksPage): Html {
  const text = linksMessages[locale];
  const standard = page.site + votePath(page.guildId);
  return html`<section class="card" id="vote-links" aria-labelledby="vote-links-title">
<h2 id="vote-links-title">${text.title}</h2>
<div class="stack"><h3>${text.standard}</h3><p class="muted">${text.standardHint}</p>
<div class="link-line"><a class="mono" id="vote-link" href="${standard}">${standard}</a>${copyButton(locale, 'vote-link', text.copyStandard, { isPrimary: true })}</div></div>
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
<input type="text" id="external-id" name="external_id" value="${externalId}" placeholder="${text.example}" autocomplete="off" spellcheck="false"${isWrong && html` aria-invalid="true" aria-describedby="external-id-error" autofocus`}></div>
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
