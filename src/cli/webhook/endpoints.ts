import { type Command, InvalidArgumentError, Option } from 'commander';
import { formatInstant, type Instant } from '../../domain/clock.ts';
import { readPlainText } from '../../domain/text.ts';
import { isSubscribable, SUBSCRIBABLE_EVENTS, type SubscribableEvent } from '../../domain/webhooks/event.ts';
import { WEBHOOK_URL_MAX_LENGTH } from '../../domain/webhooks/url.ts';
import {
  type AddFault,
  ENDPOINT_NAME_MAX_LENGTH,
  MAX_ENDPOINTS,
  type SettingsFault,
} from '../../store/webhooks/admin.ts';
import type { WebhookEndpoint } from '../../store/webhooks/store.ts';
import {
  addExamples,
  type Cli,
  CommandFailure,
  formatTable,
  guildIdArgument,
  notListed,
  report,
} from '../cli.ts';
import { endpointIdArgument, unknownEndpoint, withEndpoints } from './context.ts';

export function addListCommand(group: Command, cli: Cli): void {
  const command = group.command('list').description('show the endpoints').addArgument(guildIdArgument());
  addExamples(command, ['webhook list 123456789012345678', 'webhook list 123456789012345678 --json']);
  command.action(async (guildId: string) => {
    const found = await withEndpoints(cli, guildId, (endpoints) => endpoints.listEndpoints(guildId));
    const none = `Guild ${guildId} has no endpoint yet. Add one with: votary webhook add ${guildId} <url>`;
    report(cli, found.map(describeEndpoint), found.length === 0 ? none : formatTable(endpointRows(found)));
  });
}

function describeEndpoint(endpoint: WebhookEndpoint): Record<string, unknown> {
  return {
    endpoint_id: endpoint.endpointId,
    name: endpoint.name,
    url: endpoint.url,
    events: endpoint.events,
    created_at: formatInstant(endpoint.createdAt),
    failing_since: formatNullable(endpoint.failingSince),
    disabled_at: formatNullable(endpoint.disabled?.at ?? null),
    disabled_reason: endpoint.disabled?.reason ?? null,
    paused: endpoint.pausedAt !== null,
  };
}

function endpointRows(endpoints: readonly WebhookEndpoint[]): string[][] {
  const rows = endpoints.map((endpoint) => [
    endpoint.endpointId,
    endpoint.name ?? '-',
    endpoint.url,
    endpoint.events.join(','),
    stateText(endpoint),
  ]);
  return [['ENDPOINT', 'NAME', 'URL', 'EVENTS', 'STATE'], ...rows];
}

function stateText({ disabled, failingSince, pausedAt }: WebhookEndpoint): string {
  if (disabled?.reason === 'gone')
    return `disabled since ${formatInstant(disabled.at)}: it responded with 410 Gone`;
  if (disabled) return `disabled since ${formatInstant(disabled.at)}: it failed for five days`;
  if (pausedAt !== null) return `paused since ${formatInstant(pausedAt)}`;
  return failingSince === null ? 'active' : `active, failing since ${formatInstant(failingSince)}`;
}

export function formatNullable(instant: Instant | null): string | null {
  return instant === null ? null : formatInstant(instant);
}

type AddOptions = { events: SubscribableEvent[]; name?: string };

export function addAddCommand(group: Command, cli: Cli): void {
  const command = group
    .command('add')
    .description('send votes to a URL, signed with a new secret')
    .addArgument(guildIdArgument())
    .argument('<url>', 'https URL of the receiver')
    .addOption(eventsOption().default(['vote_received'], 'vote_received'))
    .addOption(nameOption());
  addExamples(command, [
    'webhook add 123456789012345678 https://bot.example.org/votes --name "Main bot"',
    'webhook add 123456789012345678 https://bot.example.org/votes --events vote_received,vote_available --json',
  ]);
  command.action(async (guildId: string, url: string, options: AddOptions) => {
    const added = await withEndpoints(cli, guildId, (endpoints) =>
      endpoints.addEndpoint(guildId, { url, ...options }, null),
    );
    if (!added.ok) throw explainAdd(added.fault, guildId);
    const { endpoint, secret } = added;
    const { endpointId, events, name } = endpoint;
    const next = `Try it with: votary webhook test ${guildId} ${endpointId}`;
    report(
      cli,
      { guild_id: guildId, endpoint_id: endpointId, name, url: endpoint.url, events, secret },
      `Endpoint ${endpointId} receives ${events.join(' and ')}.\nSecret  ${secret}\n${next}`,
    );
  });
}

type EditOptions = { url?: string; name?: string; events?: SubscribableEvent[] };

export function addEditCommand(group: Command, cli: Cli): void {
  const command = group
    .command('edit')
    .description('change the URL, name or events of an endpoint; its secret stays')
    .addArgument(guildIdArgument())
    .addArgument(endpointIdArgument())
    .option('--url <url>', 'https URL of the receiver')
    .addOption(eventsOption())
    .addOption(nameOption());
  addExamples(command, [
    'webhook edit 123456789012345678 ep_0123456789abcdef --url https://new.example.org/votes',
    'webhook edit 123456789012345678 ep_0123456789abcdef --name "Main bot" --events vote_received',
  ]);
  command.action(async (guildId: string, endpointId: string, options: EditOptions) => {
    if (Object.keys(options).length === 0) {
      command.error('error: give at least one of --url, --name and --events');
    }
    const edited = await withEndpoints(cli, guildId, (endpoints) =>
      endpoints.editEndpoint(guildId, endpointId, options, null),
    );
    if (!edited.ok) {
      throw edited.fault === 'unknown-endpoint'
        ? unknownEndpoint(guildId, endpointId)
        : explain(edited.fault);
    }
    const { name, url, events } = edited.endpoint;
    report(
      cli,
      { guild_id: guildId, endpoint_id: endpointId, name, url, events },
      `Endpoint ${endpointId} was changed.`,
    );
  });
}

function nameOption(): Option {
  const description = `name of the endpoint, up to ${ENDPOINT_NAME_MAX_LENGTH} characters; an empty one removes it`;
  return new Option('--name <name>', description).argParser((text: string) => {
    if (text === '') return text;
    const name = readPlainText(text, ENDPOINT_NAME_MAX_LENGTH);
    if (name !== undefined) return name;
    throw new InvalidArgumentError(
      `It must be at most ${ENDPOINT_NAME_MAX_LENGTH} characters without control characters.`,
    );
  });
}

function eventsOption(): Option {
  const description = `events to send, separated by commas: ${SUBSCRIBABLE_EVENTS.join(', ')}`;
  return new Option('--events <list>', description).argParser((text: string) => {
    const names = text.split(',').map((name) => name.trim());
    const wrong = names.find((name) => !isSubscribable(name));
    if (wrong === undefined) return names.filter(isSubscribable);
    throw new InvalidArgumentError(`"${wrong}" is not one of ${SUBSCRIBABLE_EVENTS.join(', ')}.`);
  });
}

const PROBLEMS: Record<SettingsFault, string> = {
  'not-a-url': 'this is not a valid URL such as https://bot.example.org/votes',
  'too-long': `the URL is longer than ${WEBHOOK_URL_MAX_LENGTH} characters`,
  'not-https': 'the URL must start with https://, except in networks that VOTARY_WEBHOOK_ALLOW lists',
  'has-credentials': 'the URL contains a user name or a password; use a secret path instead',
  'private-address':
    'it points to this machine or to a private or reserved network; to permit a network, add it to VOTARY_WEBHOOK_ALLOW',
  'forbidden-port': 'webhooks use port 443 or a port above 1023',
  'no-events': 'no event was chosen',
  'bad-name': 'the name is too long or contains control characters',
};

function explainAdd(fault: AddFault, guildId: string): CommandFailure {
  if (fault === 'unknown-guild') return notListed(guildId);
  if (fault !== 'too-many') return explain(fault);
  return new CommandFailure(
    `guild ${guildId} has ${MAX_ENDPOINTS} endpoints already; remove one with: votary webhook remove ${guildId} <endpoint_id>`,
  );
}

/** The URL may contain a secret, so it is not repeated. */
function explain(fault: SettingsFault): CommandFailure {
  return new CommandFailure(`nothing was changed: ${PROBLEMS[fault]}`);
}
