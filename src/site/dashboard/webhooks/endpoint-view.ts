import { hash } from 'node:crypto';
import type { Instant } from '../../../domain/clock.ts';
import type { Locale } from '../../../domain/locale.ts';
import { type Destination, hasOwnSecret, TESTS_OF_KIND } from '../../../domain/webhooks/destination.ts';
import type { WebhookEventType } from '../../../domain/webhooks/event.ts';
import { votifierAddress } from '../../../domain/webhooks/votifier.ts';
import type { DeliveryRecord, WebhookEndpoint } from '../../../store/webhooks/store.ts';
import { copyButton } from '../../layout/copy-button.ts';
import { momentTag } from '../../layout/format.ts';
import { type Html, html } from '../../layout/html.ts';
import { csrfField, type PageContext } from '../../layout/page.ts';
import type { DashboardDeps } from '../access.ts';
import { tabAddress } from '../frame.ts';
import { destinationMessages } from './destination-messages.ts';
import { testResultView } from './log-view.ts';
import { webhooksMessages } from './messages.ts';

type SecretState =
  | { kind: 'masked'; prefix: string; lastFour: string }
  | { kind: 'shown'; secret: string }
  /** The token of a channel or server, which is never shown. */
  | { kind: 'write-only' }
  /** Encrypted with a different master secret, so nothing can be signed with it. */
  | { kind: 'unreadable' };

/** Everything the page shows about one endpoint. */
type EndpointCard = {
  endpoint: WebhookEndpoint;
  secret: SecretState;
  /** The test that was just sent. */
  test: DeliveryRecord | undefined;
};

/** A revealed secret, which is shown in the card of its endpoint. */
export type Disclosure = { endpointId: string; secret: string };

export async function readCards(
  { webhooks }: DashboardDeps,
  guildId: string,
  disclosed: Disclosure | undefined,
  tested: DeliveryRecord | undefined,
): Promise<EndpointCard[]> {
  const endpoints = await webhooks.listEndpoints(guildId);
  return Promise.all(
    endpoints.map(async (endpoint) => {
      const { endpointId } = endpoint;
      const secret: SecretState =
        disclosed?.endpointId === endpointId
          ? { kind: 'shown', secret: disclosed.secret }
          : await maskedSecret(webhooks, guildId, endpointId);
      return { endpoint, secret, test: tested?.endpointId === endpointId ? tested : undefined };
    }),
  );
}

async function maskedSecret(
  webhooks: DashboardDeps['webhooks'],
  guildId: string,
  endpointId: string,
): Promise<SecretState> {
  const revealed = await webhooks.revealSecret(guildId, endpointId);
  if (revealed.shown) return { kind: 'masked', ...maskedParts(revealed.secret) };
  return revealed.reason === 'write-only' ? { kind: 'write-only' } : { kind: 'unreadable' };
}

/** The prefixes of the secrets that we generate. */
const SECRET_PREFIX = /^(?:whsec_|whs_)?/;

/** The end of a shorter secret, which its admin chose, would reveal too much. */
const MIN_LENGTH_FOR_END = 24;

function maskedParts(secret: string): { prefix: string; lastFour: string } {
  const prefix = SECRET_PREFIX.exec(secret)?.[0] ?? '';
  return { prefix, lastFour: secret.length < MIN_LENGTH_FOR_END ? '' : secret.slice(-4) };
}

/**
 * Identifies a secret without revealing it. The form names the secret it replaces: a second click would end the
 * previous one immediately, although it should stay valid for a day.
 */
export function secretVersion({ secrets }: WebhookEndpoint): string {
  return hash('sha256', secrets.current, 'hex').slice(0, 16);
}

export function endpointView(context: PageContext, card: EndpointCard, now: Instant): Html {
  const { endpoint, secret, test } = card;
  const { locale } = context;
  const { endpointId, name, destination } = endpoint;
  const url = votifierAddress(endpoint.url);
  const { kinds, serviceShown, consumerShown } = destinationMessages[locale];
  const title =
    name === null
      ? html`<h3 class="mono" id="${endpointId}-title"><bdi>${url}</bdi></h3>`
      : html`<h3 id="${endpointId}-title"><bdi>${name}</bdi></h3>`;
  return html`<section class="card endpoint" id="${endpointId}" aria-labelledby="${endpointId}-title">
<div class="stack"><div class="row between">${title}<span class="row"><span class="badge">${kinds[destination.kind].name}${versionOf(locale, destination)}</span>${stateBadge(locale, endpoint)}</span></div>
${name !== null && html`<p class="mono small-text muted"><bdi>${url}</bdi></p>`}
${destination.kind === 'votifier' && html`<p class="small-text muted">${serviceShown} <span class="mono">${destination.serviceName}</span>${destination.consumer !== null && html` · ${consumerShown} <span class="mono">${destination.consumer}</span>`}</p>`}</div>
${stateNotice(context, endpoint)}
<p class="row small-text"><span class="muted">${webhooksMessages[locale].sends}</span>${endpoint.events.map((event) => html`<span class="badge mono">${event}</span>`)}</p>
${secretView(context, endpoint, secret, now)}
${test && testResultView(locale, test)}
${actions(context, endpoint, secret)}</section>`;
}

function versionOf(locale: Locale, destination: Destination): string {
  return destination.kind === 'topgg'
    ? ` ${destinationMessages[locale].formats[destination.format].name}`
    : '';
}

function stateBadge(locale: Locale, { disabled, failingSince, pausedAt }: WebhookEndpoint): Html {
  const text = webhooksMessages[locale];
  if (disabled) return html`<span class="badge bad">${text.off}</span>`;
  if (pausedAt !== null) return html`<span class="badge warn">${text.paused}</span>`;
  if (failingSince !== null) return html`<span class="badge warn">${text.failing}</span>`;
  return html`<span class="badge good">${text.active}</span>`;
}

function stateNotice(context: PageContext, endpoint: WebhookEndpoint): Html | null {
  const { locale, isReadOnly } = context;
  const text = webhooksMessages[locale];
  const { disabled, failingSince, pausedAt } = endpoint;
  if (disabled)
    return html`<div class="notice bad stack"><p>${text.offSince} ${momentTag(disabled.at, locale)}. ${endpoint.destination.kind === 'discord' && disabled.reason === 'gone' ? destinationMessages[locale].gone : text.reasons[disabled.reason]} ${!isReadOnly && text.enableHint}</p>
${!isReadOnly && endpointForm(context, endpoint, 'enable', html`<button class="small secondary">${text.enable}</button>`)}</div>`;
  if (pausedAt !== null)
    return html`<div class="notice warn stack"><p>${text.pausedSince} ${momentTag(pausedAt, locale)}. ${text.pausedHint}</p>
${!isReadOnly && endpointForm(context, endpoint, 'resume', html`<button class="small secondary">${text.resume}</button>`)}</div>`;
  if (failingSince === null) return null;
  return html`<p class="notice warn">${text.failingSince} ${momentTag(failingSince, locale)}. ${text.failingHint}</p>`;
}

function secretView(
  { locale }: PageContext,
  { endpointId, destination, secrets: { previous } }: WebhookEndpoint,
  secret: SecretState,
  now: Instant,
): Html {
  const text = webhooksMessages[locale];
  if (!hasOwnSecret(destination)) return tokenView(locale, secret);
  const isRotating = previous !== null && now < previous.validUntil;
  return html`<div class="stack"><p class="small-text muted">${text.secret}</p>${secretText(locale, endpointId, secret)}
${secret.kind === 'shown' && html`<p class="muted small-text">${text.shownHint}</p>`}
${isRotating && html`<p class="muted small-text">${text.previousUntil} ${momentTag(previous.validUntil, locale)}.</p>`}</div>`;
}

function tokenView(locale: Locale, secret: SecretState): Html {
  const { tokenKept, tokenUnreadable } = destinationMessages[locale];
  if (secret.kind === 'unreadable') return html`<p class="notice bad">${tokenUnreadable}</p>`;
  return html`<p class="small-text muted">${tokenKept}</p>`;
}

function secretText(locale: Locale, endpointId: string, secret: SecretState): Html {
  const text = webhooksMessages[locale];
  if (secret.kind === 'shown')
    return html`<code class="key" id="${endpointId}-secret">${secret.secret}</code>`;
  if (secret.kind !== 'masked') return html`<p class="notice bad">${text.unreadable}</p>`;
  return html`<code class="key" aria-hidden="true">${secret.prefix}${'•'.repeat(20)}${secret.lastFour}</code><span class="visually-hidden">${secret.lastFour === '' ? text.hidden : text.masked(secret.lastFour)}</span>`;
}

function actions(context: PageContext, endpoint: WebhookEndpoint, secret: SecretState): Html {
  const { locale, isReadOnly } = context;
  const text = webhooksMessages[locale];
  const { guildId, endpointId } = endpoint;
  return html`${!isReadOnly && testForm(context, endpoint)}
<div class="row">${secret.kind === 'masked' && endpointForm(context, endpoint, 'reveal', html`<button class="small secondary">${text.reveal}</button>`)}
${secret.kind === 'shown' && html`${copyButton(locale, `${endpointId}-secret`, text.copySecret)}<a class="button small secondary" href="${tabAddress(guildId, 'webhooks')}#${endpointId}">${text.hide}</a>`}
${
  !isReadOnly &&
  html`<a class="button small secondary" href="${endpointAddress(endpoint, 'edit')}">${text.edit}</a>
${endpoint.pausedAt === null && endpoint.disabled === null && endpointForm(context, endpoint, 'pause', html`<button class="small secondary">${text.pause}</button>`)}
${hasOwnSecret(endpoint.destination) && html`<a class="button small secondary" href="${endpointAddress(endpoint, 'rotate')}">${text.rotate}</a>`}
<a class="button small danger" href="${endpointAddress(endpoint, 'remove')}">${text.remove}</a>`
}</div>`;
}

function testForm(context: PageContext, endpoint: WebhookEndpoint): Html {
  const text = webhooksMessages[context.locale];
  const { testVote, testVoteHint, testTopgg, testTopggHint } = destinationMessages[context.locale];
  const field = `${endpoint.endpointId}-type`;
  const onlyTest = (button: string, hint: string) =>
    html`<div class="row"><button class="small secondary">${button}</button><span class="muted small-text">${hint}</span></div>`;
  if (endpoint.destination.kind === 'votifier')
    return endpointForm(context, endpoint, 'test', onlyTest(testVote, testVoteHint));
  if (endpoint.destination.kind === 'topgg')
    return endpointForm(context, endpoint, 'test', onlyTest(testTopgg, testTopggHint));
  const option = (type: WebhookEventType) =>
    html`<option value="${type}">${text.testTypes[type]} (${type})</option>`;
  return endpointForm(
    context,
    endpoint,
    'test',
    html`<div class="row"><label class="visually-hidden" for="${field}">${text.testType}</label><select class="test-type" id="${field}" name="type">${TESTS_OF_KIND[endpoint.destination.kind].map(option)}</select><button class="small secondary">${text.test}</button></div>`,
  );
}

/** The result is shown in this card, so the browser scrolls there. */
function endpointForm(
  { csrfToken }: PageContext,
  endpoint: WebhookEndpoint,
  action: 'enable' | 'pause' | 'resume' | 'test' | 'reveal',
  content: Html,
): Html {
  return html`<form method="post" action="${endpointAddress(endpoint, action)}#${endpoint.endpointId}">${csrfField(csrfToken)}${content}</form>`;
}

/** Asks for confirmation and states the consequences. */
export function confirmView(endpoint: WebhookEndpoint, action: 'rotate' | 'remove', now: Instant) {
  return ({ locale, csrfToken }: PageContext): Html => {
    const text = webhooksMessages[locale];
    const question = text.questions[action];
    const { guildId, endpointId, name, secrets } = endpoint;
    const previous = action === 'rotate' && secrets.previous;
    const isRotating = previous && now < previous.validUntil;
    return html`<section class="card" aria-labelledby="confirm">
<h2 id="confirm">${question.title}</h2>
<p>${name !== null && html`<strong><bdi>${name}</bdi></strong> `}<bdi class="mono">${votifierAddress(endpoint.url)}</bdi></p>
<p class="measure"><strong>${question.warning}</strong> ${!(action === 'rotate' && endpoint.destination.kind === 'topgg') && question.consequence}</p>
${isRotating && html`<p class="notice warn">${text.stillRotating} ${momentTag(previous.validUntil, locale)}.</p>`}
<form class="stack confirm-form" method="post" action="${endpointAddress(endpoint, action)}">${csrfField(csrfToken)}${action === 'rotate' && rotationFields(locale, endpoint)}
<div class="row"><button class="danger">${question.confirm}</button><a class="button secondary" href="${tabAddress(guildId, 'webhooks')}#${endpointId}">${question.cancel}</a></div></form></section>`;
  };
}

function rotationFields(locale: Locale, endpoint: WebhookEndpoint): Html {
  const { when, whenLegend } = webhooksMessages[locale];
  const choice = (moment: 'later' | 'now') =>
    html`<label class="choice"><input type="radio" name="when" value="${moment}"${moment === 'later' && html` checked`}><span><span class="choice-name">${when[moment].name}</span><span class="muted small-text">${when[moment].hint}</span></span></label>`;
  const replaces = html`<input type="hidden" name="replaces" value="${secretVersion(endpoint)}">`;
  if (endpoint.destination.kind === 'topgg')
    return html`${replaces}<p class="notice warn">${destinationMessages[locale].topggRotation}</p><input type="hidden" name="when" value="now">`;
  return html`${replaces}
<fieldset class="choices"><legend class="visually-hidden">${whenLegend}</legend>${choice('later')}${choice('now')}</fieldset>`;
}

type EndpointAction = 'reveal' | 'test' | 'enable' | 'pause' | 'resume' | 'edit' | 'rotate' | 'remove';

export function endpointAddress(
  { guildId, endpointId }: { guildId: string; endpointId: string },
  action: EndpointAction,
): string {
  return `${tabAddress(guildId, 'webhooks')}/${endpointId}/${action}`;
}

/** Whether the endpoint is disabled, or failing without being paused. */
export function isFailing({ disabled, failingSince, pausedAt }: WebhookEndpoint): boolean {
  return disabled !== null || (failingSince !== null && pausedAt === null);
}
