import type { Locale } from '../../../domain/locale.ts';
import type { Vote } from '../../../domain/votes/vote.ts';
import { type Html, html } from '../../layout/html.ts';
import { csrfField, type PageContext } from '../../layout/page.ts';
import { copied, copyButton, momentTag } from '../format.ts';
import { tabAddress } from '../frame.ts';
import { type Example, examplesOf, isSelfSigned } from './examples.ts';
import type { KeyState } from './key-state.ts';
import { keyMessages } from './messages.ts';

export type KeyPage = { guildId: string; site: string; state: KeyState; lastVote: Vote | undefined };

/** A placeholder that the API recognizes and reports (API_NOT_SET). */
const PLACEHOLDER = 'YOUR_API_KEY';
const SAMPLE_USER = '123456789012345678';

export function keyView(context: PageContext, page: KeyPage): Html {
  const text = keyMessages[context.locale];
  return html`<section class="card" aria-labelledby="api-key">
<div class="stack"><h2 id="api-key">${text.title}</h2><p class="muted measure">${text.lead}</p></div>
${page.state.kind === 'none' ? generateForm(context, page) : keyBox(context, page, page.state)}
</section>
${page.state.kind !== 'none' && tryIt(context, page)}`;
}

function generateForm({ locale, csrfToken, isReadOnly }: PageContext, { guildId }: KeyPage): Html {
  const text = keyMessages[locale];
  if (isReadOnly) return html`<p class="muted">${text.none}</p>`;
  return html`<form class="row" method="post" action="/dashboard/${guildId}/key/new">${csrfField(csrfToken)}<input type="hidden" name="replaces" value=""><button>${text.generate}</button></form>`;
}

function keyBox(
  context: PageContext,
  { guildId }: KeyPage,
  state: Exclude<KeyState, { kind: 'none' }>,
): Html {
  const { locale, isReadOnly } = context;
  const text = keyMessages[locale];
  return html`<div class="key-line"><span class="visually-hidden">${text.keyLabel}</span>${keyText(context, state)}</div>
<div class="row">${keyActions(context, guildId, state)}
${!isReadOnly && html`<a class="button small danger" href="/dashboard/${guildId}/key/regenerate">${text.regenerate}</a>`}</div>
<p class="muted small-text">${text.madeOn} ${momentTag(state.createdAt, locale)}. ${state.kind === 'shown' ? text.shownHint : text.secret}</p>`;
}

function keyText({ locale }: PageContext, state: Exclude<KeyState, { kind: 'none' }>): Html {
  const text = keyMessages[locale];
  if (state.kind === 'shown') return html`<code class="key" id="key">${state.key}</code>`;
  if (state.kind === 'sealed-away') return html`<p class="notice warn">${text.unreadable}</p>`;
  return html`<code class="key" aria-hidden="true">vty_${'•'.repeat(20)}${state.lastFour}</code><span class="visually-hidden">${text.masked(state.lastFour)}</span>`;
}

function keyActions({ locale, csrfToken }: PageContext, guildId: string, { kind }: KeyState): Html | null {
  const text = keyMessages[locale];
  if (kind === 'shown')
    return html`${copyButton(locale, 'key', text.copyKey)}<a class="button small secondary" href="${tabAddress(guildId, 'key')}">${text.hide}</a>`;
  if (kind !== 'masked') return null;
  const post = (action: string) => `/dashboard/${guildId}/key/${action}`;
  return html`<form method="post" action="${post('copy')}" hidden data-copy-form data-copied="${copied[locale]}" data-failed="${text.copyFailed}">${csrfField(csrfToken)}<button class="small">${text.copyKey}</button></form>
<form method="post" action="${post('reveal')}">${csrfField(csrfToken)}<button class="small secondary">${text.reveal}</button></form>`;
}

function tryIt({ locale }: PageContext, { site, state, lastVote }: KeyPage): Html {
  const text = keyMessages[locale];
  const isShown = state.kind === 'shown';
  const key = isShown ? state.key : PLACEHOLDER;
  const examples = examplesOf({ site, userId: lastVote?.userId ?? SAMPLE_USER, key });
  return html`<section class="card" aria-labelledby="try-it">
<div class="stack"><h2 id="try-it">${text.tryIt}</h2>
<p class="muted measure">${lastVote ? text.tryItLastVoter : text.tryItSample} ${!isShown && text.tryItPlaceholder}</p>
${isSelfSigned(site) && html`<p class="muted measure small-text">${text.selfSigned}</p>`}</div>
<div class="examples">${examples.map((example, index) => exampleView(locale, example, index === 0))}</div>
<div class="row"><a class="quiet" href="/docs">${text.docs}</a></div></section>`;
}

/** One language is open at a time. */
function exampleView(locale: Locale, { id, language, code }: Example, isOpen: boolean): Html {
  const { copyExample } = keyMessages[locale];
  return html`<details name="example"${isOpen && html` open`}><summary>${language}</summary>
<pre class="wrap"><code id="${id}">${code}</code></pre>
<div class="row">${copyButton(locale, id, copyExample(language))}</div></details>`;
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
