/** The fields of the form that say where an endpoint is, for each kind. */
import { LOCALES, type Locale } from '../../../domain/locale.ts';
import type { EndpointKind } from '../../../domain/webhooks/destination.ts';
import type { Templates } from '../../../domain/webhooks/discord.ts';
import type { SubscribableEvent } from '../../../domain/webhooks/event.ts';
import { TOPGG_FORMATS, type TopggFormat } from '../../../domain/webhooks/topgg.ts';
import { guidePath } from '../../docs/pages.ts';
import { type Html, html } from '../../layout/html.ts';
import type { PageContext } from '../../layout/page.ts';
import { destinationMessages } from './destination-messages.ts';
import { type ShownFault, settingsMessages } from './settings-messages.ts';

/** The submitted values, to fill in the form again. Tokens and secrets are not filled in. */
export type SettingsForm = {
  kind: EndpointKind;
  url: string;
  name: string;
  events: readonly SubscribableEvent[];
  language: Locale;
  templates: Templates;
  serviceName: string;
  consumer: string;
  format: TopggFormat;
  token?: string;
  secret?: string;
  fault: ShownFault | null;
};

/** Faults of other fields than the address. */
const OTHER_FAULTS: readonly (ShownFault | null)[] = [
  null,
  'bad-name',
  'no-events',
  'bad-template',
  'bad-token',
  'bad-secret',
  'bad-service-name',
  'bad-consumer',
];

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

export function field(
  { id, label, hint, isWrong, type = 'text', value }: Field,
  attributes: Html | null = null,
): Html {
  return html`<div class="field"><label for="${id}">${label}</label>
<input type="${type}" id="${id}" name="${id}" value="${value}"${attributes} autocomplete="off" spellcheck="false"${isWrong && WRONG} aria-describedby="${id}-hint${isWrong && ' form-error'}">
<p class="muted small-text" id="${id}-hint">${hint}</p></div>`;
}

type TargetFields = (context: PageContext, form: SettingsForm, isEdit: boolean) => Html;

export const TARGET_FIELDS: Record<EndpointKind, TargetFields> = {
  https: (context, form) => receiverField(context, form, 'https://bot.example.org/votes'),
  topgg(context, form, isEdit) {
    const text = destinationMessages[context.locale];
    const hint = html`${isEdit ? text.keepSecret : text.topggSecretHint}`;
    const isWrong = form.fault === 'bad-secret';
    return html`<ul class="measure small-text name-rules">${text.topggRules.map((rule) => html`<li>${rule}</li>`)}<li><a href="${guidePath('topgg')}">${text.topggGuide}</a></li></ul>
${receiverField(context, form, 'https://bot.example.org/dblwebhook')}
${!isEdit && formatChoice(context, form.format)}
${field({ id: 'secret', label: text.topggSecret, hint, isWrong, type: 'password', value: '' })}`;
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
  votifier({ locale }, { url, serviceName, consumer, fault }, isEdit) {
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
})}
${field({
  id: 'consumer',
  label: text.consumer,
  hint: text.consumerHint,
  isWrong: fault === 'bad-consumer',
  value: consumer,
})}`;
  },
};

function receiverField(
  { locale, isDemo }: PageContext,
  { url, fault }: SettingsForm,
  placeholder: string,
): Html {
  const text = settingsMessages[locale];
  const hint = html`${text.urlHint} ${isDemo && text.demoHint}`;
  return field(
    { id: 'url', label: text.url, hint, isWrong: !OTHER_FAULTS.includes(fault), type: 'url', value: url },
    html` placeholder="${placeholder}" required`,
  );
}

function formatChoice({ locale }: PageContext, chosen: TopggFormat): Html {
  const { format: legend, formats } = destinationMessages[locale];
  const option = (format: TopggFormat) =>
    html`<label class="choice"><input type="radio" name="format" value="${format}"${format === chosen && html` checked`}><span><span class="choice-name">${formats[format].name}</span><span class="muted small-text">${formats[format].hint}</span></span></label>`;
  return html`<fieldset class="choices"><legend><h3>${legend}</h3></legend>${TOPGG_FORMATS.map(option)}</fieldset>`;
}
