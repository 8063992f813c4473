/** The settings of an endpoint: URL, events and name, validated before they are stored. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../domain/clock.ts';
import { seal, webhookSecretContext } from '../domain/secrets.ts';
import { readPlainText } from '../domain/text.ts';
import { SUBSCRIBABLE_EVENTS } from '../domain/webhooks/event.ts';
import { generateWebhookSecret } from '../domain/webhooks/signature.ts';
import { checkWebhookUrl, hostOf, type ReachRule, ruleFor } from '../domain/webhooks/url.ts';
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
import { leadsIntoPrivateNetwork, type Resolve } from './resolve.ts';

type ReachDeps = { rule: ReachRule; resolve: Resolve };

type SettingsDeps = ReachDeps & { store: Pick<Store, 'webhooks'>; clock: Clock; sealKey: Buffer };

type CheckedSettings = { ok: true; settings: EndpointSettings } | { ok: false; fault: SettingsFault };

export async function addEndpoint(
  deps: SettingsDeps,
  guildId: string,
  input: EndpointInput,
): Promise<AddedEndpoint> {
  const checked = await checkSettings(deps, input);
  if (!checked.ok) return checked;
  const endpointId = `ep_${randomBytes(8).toString('hex')}`;
  const secret = generateWebhookSecret();
  const current = seal(secret, webhookSecretContext(guildId, endpointId), deps.sealKey);
  const secrets = { current, previous: null };
  const endpoint = { guildId, endpointId, ...checked.settings, secrets, createdAt: deps.clock() };
  const outcome = await deps.store.webhooks.addEndpoint(endpoint, MAX_ENDPOINTS);
  if (outcome !== 'added') return { ok: false, fault: outcome };
  return { ok: true, endpoint: { ...endpoint, failingSince: null, disabled: null, pausedAt: null }, secret };
}

/**
 * Only a changed URL is checked again, so an endpoint whose URL is no longer allowed can still be renamed.
 */
export async function editEndpoint(
  deps: SettingsDeps,
  before: WebhookEndpoint,
  { url = before.url, events = before.events, name = before.name }: Partial<EndpointInput>,
): Promise<EditedEndpoint> {
  const { guildId, endpointId } = before;
  const checked = await checkSettings(deps, { url, events, name }, before.url);
  if (!checked.ok) return checked;
  const { settings } = checked;
  const isUpdated = await deps.store.webhooks.updateEndpoint(guildId, endpointId, settings);
  if (!isUpdated) return { ok: false, fault: 'unknown-endpoint' };
  const failingSince = settings.url === before.url ? before.failingSince : null;
  return { ok: true, endpoint: { ...before, ...settings, failingSince } };
}

/** What an edit changed, for the activity log; `undefined` when nothing did. */
export function describeEdit(before: WebhookEndpoint, after: WebhookEndpoint): EndpointChange | undefined {
  const host = { from: labelOf(before).host, to: labelOf(after).host };
  const isSameEvents = before.events.join() === after.events.join();
  const changes = {
    ...(before.url === after.url ? {} : { host }),
    ...(isSameEvents ? {} : { events: { from: before.events, to: after.events } }),
    ...(before.name === after.name ? {} : { name: { from: before.name, to: after.name } }),
  };
  return Object.keys(changes).length === 0 ? undefined : { kind: 'edited', ...changes };
}

async function checkSettings(
  { rule, resolve }: ReachDeps,
  { url: text, events, name: label = null }: EndpointInput,
  knownUrl?: string,
): Promise<CheckedSettings> {
  const checked = text === knownUrl ? { ok: true as const, url: text } : checkWebhookUrl(text, rule);
  if (!checked.ok) return checked;
  const { url } = checked;
  const isUnnamed = label === null || label.trim() === '';
  const name = isUnnamed ? null : readPlainText(label, ENDPOINT_NAME_MAX_LENGTH);
  if (name === undefined) return { ok: false, fault: 'bad-name' };
  // A fixed order, so that an edit without changes is recognized.
  const chosen = SUBSCRIBABLE_EVENTS.filter((event) => events.includes(event));
  if (chosen.length === 0) return { ok: false, fault: 'no-events' };
  const isNew = url !== knownUrl;
  const target = new URL(url);
  if (isNew && (await leadsIntoPrivateNetwork(hostOf(target), resolve, ruleFor(target, rule))))
    return { ok: false, fault: 'private-address' };
  return { ok: true, settings: { name, url, events: chosen } };
}
