/** The form to add or edit an endpoint. */
import { firstText } from '../../../domain/text.ts';
import { SUBSCRIBABLE_EVENTS, type SubscribableEvent } from '../../../domain/webhooks/event.ts';
import { MAX_ENDPOINTS } from '../../../store/webhooks/admin.ts';
import type { WebhookEndpoint } from '../../../store/webhooks/store.ts';
import { type Html, html } from '../../layout/html.ts';
import { csrfField, type PageContext } from '../../layout/page.ts';
import { endpointAddress, tabAddress } from './addresses.ts';
import { type ShownFault, settingsMessages } from './settings-messages.ts';

/** The submitted values, to fill in the form again. */
export type SettingsForm = {
  url: string;
  name: string;
  events: readonly SubscribableEvent[];
  fault: ShownFault | null;
};

export const EMPTY_FORM: SettingsForm = { url: '', name: '', events: ['vote_received'], fault: null };

export function readSettings(body: unknown): Omit<SettingsForm, 'fault'> {
  return {
    url: firstText(body, 'url') ?? '',
    name: firstText(body, 'name') ?? '',
    events: SUBSCRIBABLE_EVENTS.filter((event) => firstText(body, event) !== undefined),
  };
}

export function formOf({ url, name, events }: WebhookEndpoint): SettingsForm {
  return { url, name: name ?? '', events, fault: null };
}

export function addView(context: PageContext, guildId: string, endpoints: number, form: SettingsForm): Html {
  const text = settingsMessages[context.locale];
  if (endpoints >= MAX_ENDPOINTS)
    return html`<p class="notice${form.fault !== null && ' bad'}">${text.full}</p>`;
  const fields = html`<form class="stack add-form" method="post" action="${tabAddress(guildId)}#form-error">${settingsFields(context, form)}
<div><button>${text.add}</button></div></form>`;
  if (endpoints === 0)
    return html`<section class="card" aria-labelledby="add"><h2 id="add">${text.first}</h2>${fields}</section>`;
  return html`<details class="card"${form.fault !== null && html` open`}><summary><h2>${text.another}</h2></summary>${fields}</details>`;
}

export function editView(context: PageContext, endpoint: WebhookEndpoint, form: SettingsForm): Html {
  const { guildId, endpointId } = endpoint;
  const text = settingsMessages[context.locale].edit;
  return html`<section class="card" aria-labelledby="edit"><h2 id="edit">${text.title}</h2>
<p class="measure muted">${text.hint}</p>
<form class="stack add-form" method="post" action="${endpointAddress(endpoint, 'edit')}#form-error">${settingsFields(context, form)}
<div class="row"><button>${text.save}</button><a class="button secondary" href="${tabAddress(guildId)}#${endpointId}">${text.cancel}</a></div></form></section>`;
}

function settingsFields(context: PageContext, { url, name, events, fault }: SettingsForm): Html {
  const { locale, csrfToken, isDemo } = context;
  const text = settingsMessages[locale];
  const isNameWrong = fault === 'bad-name';
  const isUrlWrong = fault !== null && !isNameWrong && fault !== 'no-events';
  return html`${csrfField(csrfToken)}
${fault !== null && html`<p class="notice bad" id="form-error" role="alert">${text.faults[fault]}</p>`}
<div class="field"><label for="url">${text.url}</label>
<input type="url" id="url" name="url" value="${url}" placeholder="https://bot.example.org/votes" required autocomplete="off" spellcheck="false"${isUrlWrong && WRONG} aria-describedby="url-hint${isUrlWrong && ' form-error'}">
<p class="muted small-text" id="url-hint">${text.urlHint} ${isDemo && text.demoHint}</p></div>
<div class="field"><label for="name">${text.name}</label>
<input type="text" id="name" name="name" value="${name}" autocomplete="off"${isNameWrong && WRONG} aria-describedby="name-hint${isNameWrong && ' form-error'}">
<p class="muted small-text" id="name-hint">${text.nameHint}</p></div>
<fieldset class="choices"${fault === 'no-events' && html` aria-describedby="form-error"`}><legend><h3>${text.events}</h3></legend>
${SUBSCRIBABLE_EVENTS.map((event) => choice(context, event, events.includes(event)))}</fieldset>`;
}

/** The browser focuses the field to correct. */
const WRONG = html` aria-invalid="true" autofocus`;

function choice({ locale }: PageContext, event: SubscribableEvent, isChosen: boolean): Html {
  const { name, hint } = settingsMessages[locale].names[event];
  return html`<label class="choice"><input type="checkbox" name="${event}"${isChosen && html` checked`}><span><span class="choice-name">${name} <span class="muted mono small-text">${event}</span></span><span class="muted small-text">${hint}</span></span></label>`;
}
