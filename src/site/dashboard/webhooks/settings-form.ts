/** The form to add or edit an endpoint. */
import type { Locale } from '../../../domain/locale.ts';
import { firstText } from '../../../domain/record.ts';
import {
  ENDPOINT_KINDS,
  type EndpointKind,
  EVENTS_OF_KIND,
  hasOwnSecret,
  isEndpointKind,
} from '../../../domain/webhooks/destination.ts';
import { defaultTemplate, TEMPLATE_FIELDS, type Templates } from '../../../domain/webhooks/discord.ts';
import { SUBSCRIBABLE_EVENTS, type SubscribableEvent } from '../../../domain/webhooks/event.ts';
import { isTopggFormat, type TopggFormat } from '../../../domain/webhooks/topgg.ts';
import { votifierAddress } from '../../../domain/webhooks/votifier.ts';
import { MAX_ENDPOINTS } from '../../../store/webhooks/admin.ts';
import type { WebhookEndpoint } from '../../../store/webhooks/store.ts';
import { type Html, html } from '../../layout/html.ts';
import { csrfField, type PageContext } from '../../layout/page.ts';
import { tabAddress } from '../frame.ts';
import { destinationMessages } from './destination-messages.ts';
import { endpointAddress } from './endpoint-view.ts';
import { settingsMessages } from './settings-messages.ts';
import { field, type SettingsForm, TARGET_FIELDS } from './target-fields.ts';

/** The form for a new endpoint of the kind that the page was opened with. */
export function emptyForm(query: unknown, language: Locale): SettingsForm {
  const kind = readKind(query);
  const events: SubscribableEvent[] = ['vote_received'];
  const texts = { url: '', name: '', serviceName: '', consumer: '' };
  return { ...texts, kind, events, language, templates: {}, format: readFormat(query), fault: null };
}

function readKind(source: unknown): EndpointKind {
  const kind = firstText(source, 'kind');
  return isEndpointKind(kind) ? kind : 'https';
}

function readFormat(source: unknown): TopggFormat {
  const format = firstText(source, 'format');
  return isTopggFormat(format) ? format : 'topgg-v1';
}

export function readSettings(body: unknown, kind = readKind(body)): Omit<SettingsForm, 'fault'> {
  const templates: Templates = {};
  for (const event of SUBSCRIBABLE_EVENTS) templates[event] = firstText(body, `template_${event}`) ?? '';
  return {
    kind,
    url: firstText(body, 'url') ?? '',
    name: firstText(body, 'name') ?? '',
    events:
      EVENTS_OF_KIND[kind].length === 1
        ? EVENTS_OF_KIND[kind]
        : SUBSCRIBABLE_EVENTS.filter((event) => firstText(body, event) !== undefined),
    language: firstText(body, 'language') === 'fr' ? 'fr' : 'en',
    templates,
    format: readFormat(body),
    token: firstText(body, 'token') ?? '',
    secret: firstText(body, 'secret') ?? '',
    serviceName: firstText(body, 'service_name') ?? '',
    consumer: firstText(body, 'consumer') ?? '',
  };
}

export function formOf({ destination, url, name, events }: WebhookEndpoint): SettingsForm {
  const { kind } = destination;
  return {
    kind,
    url: kind === 'discord' ? '' : votifierAddress(url),
    name: name ?? '',
    events,
    language: destination.kind === 'discord' ? destination.language : 'en',
    templates: destination.kind === 'discord' ? destination.templates : {},
    serviceName: destination.kind === 'votifier' ? destination.serviceName : '',
    consumer: destination.kind === 'votifier' ? (destination.consumer ?? '') : '',
    format: destination.kind === 'topgg' ? destination.format : 'topgg-v1',
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
  const fields = html`${kindChoice(context, guildId, form.kind)}<form class="stack add-form" method="post" action="${tabAddress(guildId, 'webhooks')}">
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
  const hint = hasOwnSecret(destination) ? text.hint : destinationMessages[context.locale].editHint;
  return html`<section class="card" aria-labelledby="edit"><h2 id="edit">${text.title}</h2>
<p class="measure muted">${hint}</p>
<form class="stack add-form" method="post" action="${endpointAddress(endpoint, 'edit')}">${settingsFields(context, form, true)}
<div class="row"><button>${text.save}</button><a class="button secondary" href="${tabAddress(guildId, 'webhooks')}#${endpointId}">${text.cancel}</a></div></form></section>`;
}

function settingsFields(context: PageContext, form: SettingsForm, isEdit: boolean): Html {
  const { locale, csrfToken } = context;
  const { kind, name, events, fault } = form;
  const text = settingsMessages[locale];
  return html`${csrfField(csrfToken)}
${fault !== null && html`<p class="notice bad" id="form-error" role="alert" tabindex="-1" autofocus>${text.faults[fault]}</p>`}
${TARGET_FIELDS[kind](context, form, isEdit)}
${field({ id: 'name', label: text.name, hint: text.nameHint, isWrong: fault === 'bad-name', value: name })}
${
  EVENTS_OF_KIND[kind].length > 1 &&
  html`<fieldset class="choices"${fault === 'no-events' && html` aria-describedby="form-error"`}><legend><h3>${text.events}</h3></legend>
${EVENTS_OF_KIND[kind].map((event) => choice(context, event, events.includes(event)))}</fieldset>`
}
${kind === 'discord' && templateFields(context, form)}`;
}

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
