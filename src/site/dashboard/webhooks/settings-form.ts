/** The form to add or edit an endpoint. */
import { LOCALES, type Locale } from '../../../domain/locale.ts';
import { firstText } from '../../../domain/record.ts';
import {
  ENDPOINT_KINDS,
  type EndpointKind,
  EVENTS_OF_KIND,
  isEndpointKind,
} from '../../../domain/webhooks/destination.ts';
import { defaultTemplate, TEMPLATE_FIELDS, type Templates } from '../../../domain/webhooks/discord.ts';
import { SUBSCRIBABLE_EVENTS, type SubscribableEvent } from '../../../domain/webhooks/event.ts';
import { votifierAddress } from '../../../domain/webhooks/votifier.ts';
import { MAX_ENDPOINTS } from '../../../store/webhooks/admin.ts';
import type { WebhookEndpoint } from '../../../store/webhooks/store.ts';
import { type Html, html } from '../../layout/html.ts';
import { csrfField, type PageContext } from '../../layout/page.ts';
import { tabAddress } from '../frame.ts';
import { endpointAddress } from './endpoint-view.ts';
import { destinationMessages, type ShownFault, settingsMessages } from './settings-messages.ts';

/** The submitted values, to fill in the form again. A token is not filled in. */
export type SettingsForm = {
  kind: EndpointKind;
  url: string;
  name: string;
  events: readonly SubscribableEvent[];
  language: Locale;
  templates: Templates;
  serviceName: string;
  token?: string;
  fault: ShownFault | null;
};

/** The form for a new endpoint of the kind that the page was opened with. */
export function emptyForm(query: unknown, language: Locale): SettingsForm {
  const kind = readKind(query);
  const events: SubscribableEvent[] = ['vote_received'];
  return { kind, url: '', name: '', events, language, templates: {}, serviceName: '', fault: null };
}

function readKind(source: unknown): EndpointKind {
  const kind = firstText(source, 'kind');
  return isEndpointKind(kind) ? kind : 'https';
}

export function readSettings(body: unknown, kind = readKind(body)): Omit<SettingsForm, 'fault'> {
  const templates: Templates = {};
  for (const event of SUBSCRIBABLE_EVENTS) templates[event] = firstText(body, `template_${event}`) ?? '';
  return {
    kind,
    url: firstText(body, 'url') ?? '',
    name: firstText(body, 'name') ?? '',
    events:
      kind === 'votifier'
        ? EVENTS_OF_KIND.votifier
        : SUBSCRIBABLE_EVENTS.filter((event) => firstText(body, event) !== undefined),
    language: firstText(body, 'language') === 'fr' ? 'fr' : 'en',
    templates,
    token: firstText(body, 'token') ?? '',
    serviceName: firstText(body, 'service_name') ?? '',
  };
}

export function formOf({ destination, url, name, events }: WebhookEndpoint): SettingsForm {
  const { kind } = destination;
  return {
    kind,
    url: kind === 'https' ? url : kind === 'votifier' ? votifierAddress(url) : '',
    name: name ?? '',
    events,
    language: destination.kind === 'discord' ? destination.language : 'en',
    templates: destination.kind === 'discord' ? destination.templates : {},
    serviceName: destination.kind === 'votifier' ? destination.serviceName : '',
    fault: null,
  };
}

export function addView(
  context: PageContext,
  guildId: string,
  endpoints: number,
  form: SettingsForm,
  isOpen: boolean,
): Html {
  const text = settingsMessages[context.locale];
  if (endpoints >= MAX_ENDPOINTS)
    return html`<p class="notice${form.fault !== null && ' bad'}">${text.full}</p>`;
  const { kinds } = destinationMessages[context.locale];
  const fields = html`${kindChoice(context, guildId, form.kind)}<form class="stack add-form" method="post" action="${tabAddress(guildId, 'webhooks')}#form-error">
<input type="hidden" name="kind" value="${form.kind}">${settingsFields(context, form, false)}
<div><button>${kinds[form.kind].add}</button></div></form>`;
  if (endpoints === 0)
    return html`<section class="card" id="add" aria-labelledby="add-title"><h2 id="add-title">${text.first}</h2>${fields}</section>`;
  return html`<details class="card" id="add"${(isOpen || form.fault !== null) && html` open`}><summary><h2>${text.another}</h2></summary>${fields}</details>`;
}

/** Links, so that choosing works without scripts. */
function kindChoice({ locale }: PageContext, guildId: string, chosen: EndpointKind): Html {
  const { legend, kinds } = destinationMessages[locale];
  const link = (kind: EndpointKind) =>
    html`<a href="${tabAddress(guildId, 'webhooks')}?kind=${kind}#add"${kind === chosen && html` aria-current="true"`}><span class="choice-name">${kinds[kind].name}</span> <span class="muted small-text">${kinds[kind].hint}</span></a>`;
  return html`<nav class="kinds" aria-label="${legend}">${ENDPOINT_KINDS.map(link)}</nav>`;
}

export function editView(context: PageContext, endpoint: WebhookEndpoint, form: SettingsForm): Html {
  const { guildId, endpointId, destination } = endpoint;
  const text = settingsMessages[context.locale].edit;
  const hint = destination.kind === 'https' ? text.hint : destinationMessages[context.locale].editHint;
  return html`<section class="card" aria-labelledby="edit"><h2 id="edit">${text.title}</h2>
<p class="measure muted">${hint}</p>
<form class="stack add-form" method="post" action="${endpointAddress(endpoint, 'edit')}#form-error">${settingsFields(context, form, true)}
<div class="row"><button>${text.save}</button><a class="button secondary" href="${tabAddress(guildId, 'webhooks')}#${endpointId}">${text.cancel}</a></div></form></section>`;
}

const OTHER_FAULTS: readonly (ShownFault | null)[] = [
  null,
  'bad-name',
  'no-events',
  'bad-template',
  'bad-token',
  'bad-service-name',
];

function settingsFields(context: PageContext, form: SettingsForm, isEdit: boolean): Html {
  const { locale, csrfToken } = context;
  const { kind, name, events, fault } = form;
  const text = settingsMessages[locale];
  return html`${csrfField(csrfToken)}
${fault !== null && html`<p class="notice bad" id="form-error" role="alert" tabindex="-1" autofocus>${text.faults[fault]}</p>`}
${TARGET_FIELDS[kind](context, form, isEdit)}
${field({ id: 'name', label: text.name, hint: text.nameHint, isWrong: fault === 'bad-name', value: name })}
${
  kind !== 'votifier' &&
  html`<fieldset class="choices"${fault === 'no-events' && html` aria-describedby="form-error"`}><legend><h3>${text.events}</h3></legend>
${EVENTS_OF_KIND[kind].map((event) => choice(context, event, events.includes(event)))}</fieldset>`
}
${kind === 'discord' && templateFields(context, form)}`;
}

type Field = {
  id: string;
  label: string;
  hint: Html | string;
  isWrong: boolean;
  type?: string;
  value: string;
};

/** The browser focuses the field to correct. */
const WRONG = html` aria-invalid="true" autofocus`;

function field(
  { id, label, hint, isWrong, type = 'text', value }: Field,
  attributes: Html | null = null,
): Html {
  return html`<div class="field"><label for="${id}">${label}</label>
<input type="${type}" id="${id}" name="${id}" value="${value}"${attributes} autocomplete="off" spellcheck="false"${isWrong && WRONG} aria-describedby="${id}-hint${isWrong && ' form-error'}">
<p class="muted small-text" id="${id}-hint">${hint}</p></div>`;
}

type TargetFields = (context: PageContext, form: SettingsForm, isEdit: boolean) => Html;

const TARGET_FIELDS: Record<EndpointKind, TargetFields> = {
  https({ locale, isDemo }, { url, fault }) {
    const text = settingsMessages[locale];
    const hint = html`${text.urlHint} ${isDemo && text.demoHint}`;
    return field(
      { id: 'url', label: text.url, hint, isWrong: !OTHER_FAULTS.includes(fault), type: 'url', value: url },
      html` placeholder="https://bot.example.org/votes" required`,
    );
  },
  discord({ locale }, { url, fault, language }, isEdit) {
    const text = destinationMessages[locale];
    const hint = html`${isEdit && text.keepUrl} ${text.channelUrlHint}`;
    return html`${field(
      {
        id: 'url',
        label: text.channelUrl,
        hint,
        isWrong: !OTHER_FAULTS.includes(fault),
        type: 'url',
        value: url,
      },
      html` placeholder="https://discord.com/api/webhooks/…"${!isEdit && html` required`}`,
    )}
<div class="field"><label for="language">${text.language}</label><select id="language" name="language">${LOCALES.map(
      (one) =>
        html`<option value="${one}" lang="${one}"${one === language && html` selected`}>${text.languages[one]}</option>`,
    )}</select></div>`;
  },
  votifier({ locale }, { url, serviceName, fault }, isEdit) {
    const text = destinationMessages[locale];
    const tokenHint = html`${isEdit && text.keepToken} ${text.tokenHint}`;
    return html`<ul class="measure small-text name-rules">${text.nameRules.map((rule) => html`<li>${rule}</li>`)}</ul>
${field(
  {
    id: 'url',
    label: text.address,
    hint: text.addressHint,
    isWrong: !OTHER_FAULTS.includes(fault),
    value: url,
  },
  html` placeholder="mc.example.org:8192" required`,
)}
${field(
  {
    id: 'token',
    label: text.token,
    hint: tokenHint,
    isWrong: fault === 'bad-token',
    type: 'password',
    value: '',
  },
  isEdit ? null : html` required`,
)}
${field({
  id: 'service_name',
  label: text.serviceName,
  hint: text.serviceNameHint,
  isWrong: fault === 'bad-service-name',
  value: serviceName,
})}`;
  },
};

function templateFields({ locale }: PageContext, { templates, language, fault }: SettingsForm): Html {
  const text = destinationMessages[locale];
  const { names } = settingsMessages[locale];
  const isWrong = fault === 'bad-template';
  const isOpen = isWrong || Object.values(templates).some((template) => template !== '');
  const area = (event: SubscribableEvent) => {
    const id = `template_${event}`;
    const fields = TEMPLATE_FIELDS[event].map((name) => `{${name}}`).join(' ');
    return html`<div class="field"><label for="${id}">${names[event].name}</label>
<textarea id="${id}" name="${id}" rows="2" placeholder="${defaultTemplate(event, language)}" aria-describedby="${id}-hint${isWrong && ' form-error'}">${templates[event] ?? ''}</textarea>
<p class="muted small-text" id="${id}-hint">${text.fields} <span class="mono">${fields}</span></p></div>`;
  };
  return html`<details${isOpen && html` open`}><summary>${text.templates}</summary><div class="stack"><p class="muted small-text">${text.templatesHint}</p>${SUBSCRIBABLE_EVENTS.map(area)}</div></details>`;
}

function choice({ locale }: PageContext, event: SubscribableEvent, isChosen: boolean): Html {
  const { name, hint } = settingsMessages[locale].names[event];
  return html`<label class="choice"><input type="checkbox" name="${event}"${isChosen && html` checked`}><span><span class="choice-name">${name} <span class="muted mono small-text">${event}</span></span><span class="muted small-text">${hint}</span></span></label>`;
}
