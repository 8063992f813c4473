import { SUBSCRIBABLE_EVENTS, type SubscribableEvent } from '../../../domain/webhook-event.ts';
import { MAX_ENDPOINTS } from '../../../store/webhook-admin.ts';
import { type Html, html } from '../../html.ts';
import { csrfField, type PageContext } from '../../layout/page.ts';
import { tabAddress } from './addresses.ts';
import { type ShownAddFault, webhooksMessages } from './messages.ts';

/** What the form was filled in with, to fill it in again. */
export type AddForm = { url: string; events: readonly SubscribableEvent[]; fault: ShownAddFault | null };

export const EMPTY_FORM: AddForm = { url: '', events: ['vote_received'], fault: null };

export function addView(context: PageContext, guildId: string, endpoints: number, form: AddForm): Html {
  const text = webhooksMessages[context.locale].add;
  if (endpoints >= MAX_ENDPOINTS)
    return html`<p class="notice${form.fault !== null && ' bad'}">${text.full}</p>`;
  if (endpoints === 0)
    return html`<section class="card" aria-labelledby="add"><h2 id="add">${text.first}</h2>${addForm(context, guildId, form)}</section>`;
  return html`<details class="card"${form.fault !== null && html` open`}><summary><h2>${text.another}</h2></summary>${addForm(context, guildId, form)}</details>`;
}

function addForm(context: PageContext, guildId: string, { url, events, fault }: AddForm): Html {
  const { locale, csrfToken, isDemo } = context;
  const text = webhooksMessages[locale].add;
  const isUrlWrong = fault !== null && fault !== 'no-events';
  return html`<form class="stack add-form" method="post" action="${tabAddress(guildId)}">${csrfField(csrfToken)}
${fault !== null && html`<p class="notice bad" id="add-error" role="alert">${text.faults[fault]}</p>`}
<div class="field"><label for="url">${text.url}</label>
<input type="url" id="url" name="url" value="${url}" placeholder="https://bot.example.org/votes" required autocomplete="off" spellcheck="false"${isUrlWrong && html` aria-invalid="true"`} aria-describedby="url-hint${isUrlWrong && ' add-error'}">
<p class="muted small-text" id="url-hint">${text.urlHint} ${isDemo && text.demoHint}</p></div>
<fieldset class="choices"${fault === 'no-events' && html` aria-describedby="add-error"`}><legend><h3>${text.events}</h3></legend>
${SUBSCRIBABLE_EVENTS.map((event) => choice(context, event, events.includes(event)))}</fieldset>
<div><button>${text.action}</button></div></form>`;
}

function choice({ locale }: PageContext, event: SubscribableEvent, isChosen: boolean): Html {
  const { name, hint } = webhooksMessages[locale].add.names[event];
  return html`<label class="choice"><input type="checkbox" name="${event}"${isChosen && html` checked`}><span><span class="choice-name">${name} <span class="muted mono small-text">${event}</span></span><span class="muted small-text">${hint}</span></span></label>`;
}
