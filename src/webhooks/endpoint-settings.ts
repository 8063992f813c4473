/** The settings of an endpoint, validated before they are stored. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../domain/clock.ts';
import { seal, webhookSecretContext } from '../domain/secrets.ts';
import { isVisible, readPlainText } from '../domain/text/text.ts';
import { isConsumer } from '../domain/votes/consumers.ts';
import { generateWebhookSecret } from '../domain/webhooks/delivery.ts';
import {
  checkWebhookUrl,
  type Destination,
  EVENTS_OF_KIND,
  formatOptions,
  hasOwnSecret,
  hostOf,
  type ReachRule,
  ruleFor,
} from '../domain/webhooks/destination.ts';
import { isDiscordUrl, isTemplate, parseDiscordUrl, type Templates } from '../domain/webhooks/discord.ts';
import { SUBSCRIBABLE_EVENTS } from '../domain/webhooks/event.ts';
import { generateTopggSecret, isTopggSecret } from '../domain/webhooks/topgg.ts';
import {
  DEFAULT_SERVICE_NAME,
  isServiceName,
  isVotifierToken,
  parseVotifierAddress,
} from '../domain/webhooks/votifier.ts';
import type { EndpointChange } from '../store/activities.ts';
import type { Store } from '../store/store.ts';
import {
  type AddedEndpoint,
  type EditedEndpoint,
  ENDPOINT_NAME_MAX_LENGTH,
  type EndpointInput,
  labelOf,
  MAX_ENDPOINTS,
  type SettingsFault,
} from '../store/webhooks/admin.ts';
import type { EndpointSettings, WebhookEndpoint } from '../store/webhooks/store.ts';
import { type Resolve, resolvesToPrivateNetwork } from './resolve.ts';

type ReachDeps = { rule: ReachRule; resolve: Resolve; siteUrl: string | null };

type SettingsDeps = ReachDeps & { store: Pick<Store, 'webhooks'>; clock: Clock; sealKey: Buffer };

/** Where to send to. `secret` is what the admin entered, not encrypted yet; `undefined` keeps the current one. */
type Target = { url: string; destination: Destination; secret?: string };

type Checked<T> = ({ ok: true } & T) | { ok: false; fault: SettingsFault };

export async function addEndpoint(
  deps: SettingsDeps,
  guildId: string,
  input: EndpointInput,
): Promise<AddedEndpoint> {
  const checked = await checkSettings(deps, input);
  if (!checked.ok) return checked;
  const { secret: given, ...settings } = checked.settings;
  const endpointId = `ep_${randomBytes(8).toString('hex')}`;
  const secret = given ?? generateSecret(settings.destination);
  const current = seal(secret, webhookSecretContext(guildId, endpointId), deps.sealKey);
  const secrets = { current, previous: null };
  const endpoint = { guildId, endpointId, ...settings, secrets, createdAt: deps.clock() };
  const outcome = await deps.store.webhooks.addEndpoint(endpoint, MAX_ENDPOINTS);
  if (outcome !== 'added') return { ok: false, fault: outcome };
  const added = { ...endpoint, failingSince: null, disabled: null, pausedAt: null };
  return { ok: true, endpoint: added, secret: given === undefined ? secret : null };
}

/** Only called for endpoints whose admin does not enter a token. */
export function generateSecret(destination: Destination): string {
  return destination.kind === 'topgg' ? generateTopggSecret(destination.format) : generateWebhookSecret();
}

/**
 * Only a changed URL is checked again, so an endpoint whose URL is no longer allowed can still be renamed.
 */
export async function editEndpoint(
  deps: SettingsDeps,
  before: WebhookEndpoint,
  { events = before.events, name = before.name, ...input }: Partial<EndpointInput>,
): Promise<EditedEndpoint> {
  const { guildId, endpointId, secrets } = before;
  // The URL of a channel contains its token, so it is not shown in forms: empty keeps it.
  const { url = hasOwnSecret(before.destination) ? before.url : '' } = input;
  const checked = await checkSettings(deps, { ...input, url, events, name }, before);
  if (!checked.ok) return checked;
  const { secret, ...settings } = checked.settings;
  const context = webhookSecretContext(guildId, endpointId);
  const sealed = secret === undefined ? {} : { secret: seal(secret, context, deps.sealKey) };
  const isUpdated = await deps.store.webhooks.updateEndpoint(guildId, endpointId, { ...settings, ...sealed });
  if (!isUpdated) return { ok: false, fault: 'unknown-endpoint' };
  const isSame = settings.url === before.url && secret === undefined;
  const failingSince = isSame ? before.failingSince : null;
  const current = sealed.secret ?? secrets.current;
  return { ok: true, endpoint: { ...before, ...settings, secrets: { ...secrets, current }, failingSince } };
}

/** What an edit changed, for the activity log; `undefined` when nothing did. */
export function describeEdit(before: WebhookEndpoint, after: WebhookEndpoint): EndpointChange | undefined {
  const host = { from: labelOf(before).host, to: labelOf(after).host };
  const isSameEvents = before.events.join() === after.events.join();
  const isSameOptions = formatOptions(before.destination) === formatOptions(after.destination);
  const changes = {
    ...(before.url === after.url ? {} : { host }),
    ...(isSameEvents ? {} : { events: { from: before.events, to: after.events } }),
    ...(before.name === after.name ? {} : { name: { from: before.name, to: after.name } }),
    ...(isSameOptions ? {} : { options: true as const }),
    ...(before.secrets.current === after.secrets.current ? {} : { token: true as const }),
  };
  return Object.keys(changes).length === 0 ? undefined : { kind: 'edited', ...changes };
}

type CheckedSettings = { settings: EndpointSettings };

async function checkSettings(
  deps: ReachDeps,
  input: EndpointInput,
  before?: WebhookEndpoint,
): Promise<Checked<CheckedSettings>> {
  const kind = before?.destination.kind ?? input.kind ?? 'https';
  const checked = TARGETS[kind](input, deps, before);
  if (!checked.ok) return checked;
  const { ok: _, ...target } = checked;
  const given = input.name ?? '';
  const name = isVisible(given) ? readPlainText(given, ENDPOINT_NAME_MAX_LENGTH) : null;
  if (name === undefined) return { ok: false, fault: 'bad-name' };
  // A fixed order, so that an edit without changes is recognized.
  const events = SUBSCRIBABLE_EVENTS.filter(
    (event) => input.events.includes(event) && EVENTS_OF_KIND[kind].includes(event),
  );
  if (events.length === 0) return { ok: false, fault: 'no-events' };
  const isNew = target.url !== before?.url && kind !== 'discord';
  const url = new URL(target.url);
  if (isNew && (await resolvesToPrivateNetwork(hostOf(url), deps.resolve, ruleFor(url, deps.rule))))
    return { ok: false, fault: 'private-address' };
  return { ok: true, settings: { name, events, ...target } };
}

type CheckTarget = (input: EndpointInput, deps: ReachDeps, before?: WebhookEndpoint) => Checked<Target>;

const TARGETS: Record<Destination['kind'], CheckTarget> = { https, topgg, discord, votifier };

function https(input: EndpointInput, deps: ReachDeps, before?: WebhookEndpoint): Checked<Target> {
  const checked = checkReceiver(input, deps, before);
  return checked.ok ? { ...checked, destination: { kind: 'https' } } : checked;
}

function topgg(input: EndpointInput, deps: ReachDeps, before?: WebhookEndpoint): Checked<Target> {
  const checked = checkReceiver(input, deps, before);
  if (!checked.ok) return checked;
  const known = before?.destination.kind === 'topgg' ? before.destination : undefined;
  const destination = known ?? { kind: 'topgg' as const, format: input.format ?? 'topgg-v1' };
  const secret = input.secret?.trim() ?? '';
  if (secret === '') return { ...checked, destination };
  return isTopggSecret(secret) ? { ...checked, destination, secret } : { ok: false, fault: 'bad-secret' };
}

/** The URL that events are posted to. */
function checkReceiver(
  { url }: EndpointInput,
  { rule }: ReachDeps,
  before?: WebhookEndpoint,
): Checked<{ url: string }> {
  if (before && url === before.url) return { ok: true, url: before.url };
  const parsed = URL.parse(url.trim());
  if (parsed && isDiscordUrl(parsed)) return { ok: false, fault: 'discord-url' };
  return checkWebhookUrl(url, rule);
}

function discord(input: EndpointInput, _deps: ReachDeps, before?: WebhookEndpoint): Checked<Target> {
  const known = before?.destination.kind === 'discord' ? before.destination : undefined;
  const webhook = parseDiscordUrl(input.url);
  if (!webhook && (!before || input.url.trim() !== '')) return { ok: false, fault: 'not-discord' };
  // An event that is not given keeps its text.
  const templates: Templates = {};
  for (const event of SUBSCRIBABLE_EVENTS) {
    const given = input.templates?.[event]?.replaceAll('\r\n', '\n').trim();
    if (given !== undefined && !isTemplate(event, given)) return { ok: false, fault: 'bad-template' };
    const text = given ?? known?.templates[event] ?? '';
    if (text !== '') templates[event] = text;
  }
  const language = input.language ?? known?.language ?? 'en';
  const secret = webhook ? { secret: webhook.token } : {};
  const url = webhook?.url ?? before?.url ?? '';
  return { ok: true, url, destination: { kind: 'discord', language, templates }, ...secret };
}

function votifier(input: EndpointInput, deps: ReachDeps, before?: WebhookEndpoint): Checked<Target> {
  const known = before?.destination.kind === 'votifier' ? before.destination : undefined;
  const isKept = before !== undefined && (input.url === '' || `votifier://${input.url}` === before.url);
  const checked = isKept
    ? { ok: true as const, url: before.url }
    : parseVotifierAddress(input.url, deps.rule);
  if (!checked.ok) return { ok: false, fault: checked.fault === 'not-a-url' ? 'bad-address' : checked.fault };
  const token = input.token?.trim() ?? '';
  if (!isVotifierToken(token) && (token !== '' || !before)) return { ok: false, fault: 'bad-token' };
  const serviceName = input.serviceName?.trim() || known?.serviceName || defaultServiceName(deps.siteUrl);
  if (!isServiceName(serviceName)) return { ok: false, fault: 'bad-service-name' };
  const consumer = input.consumer === undefined ? (known?.consumer ?? null) : input.consumer.trim() || null;
  if (consumer !== null && !isConsumer(consumer)) return { ok: false, fault: 'bad-consumer' };
  const secret = token === '' ? {} : { secret: token };
  const destination = { kind: 'votifier' as const, serviceName, consumer };
  return { ok: true, url: checked.url, destination, ...secret };
}

/** Server owners know the sites their players vote on by host name. */
function defaultServiceName(siteUrl: string | null): string {
  return siteUrl === null ? DEFAULT_SERVICE_NAME : new URL(siteUrl).hostname;
}
