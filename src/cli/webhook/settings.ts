import { type Command, InvalidArgumentError, Option } from 'commander';
import { readSecretText } from '../../config/variables.ts';
import { LOCALES, type Locale } from '../../domain/locale.ts';
import { readPlainText } from '../../domain/text.ts';
import type { EndpointKind } from '../../domain/webhooks/destination.ts';
import { WEBHOOK_URL_MAX_LENGTH } from '../../domain/webhooks/destination.ts';
import { isSubscribable, SUBSCRIBABLE_EVENTS, type SubscribableEvent } from '../../domain/webhooks/event.ts';
import {
  type AddFault,
  ENDPOINT_NAME_MAX_LENGTH,
  type EndpointInput,
  type Endpoints,
  MAX_ENDPOINTS,
  type SettingsFault,
} from '../../store/webhooks/admin.ts';
import { addExamples, type Cli, CommandFailure, guildIdArgument, notListed, report } from '../cli.ts';
import {
  describeTarget,
  endpointIdArgument,
  explainAddress,
  unknownEndpoint,
  withEndpoints,
} from './endpoints.ts';

/** The options that `add` and `edit` share. */
type SettingsOptions = {
  discord?: string;
  votifier?: string;
  tokenEnv?: string;
  serviceName?: string;
  language?: Locale;
  message?: string;
  name?: string;
};

type AddOptions = SettingsOptions & { events: SubscribableEvent[] };

export function addAddCommand(group: Command, cli: Cli): void {
  const command = group
    .command('add')
    .description(
      'send votes to a URL, signed with a new secret, to a Discord channel or to a Minecraft server',
    )
    .addArgument(guildIdArgument())
    .argument('[url]', 'https URL of the receiver')
    .addOption(eventsOption().default(['vote_received'], 'vote_received'));
  addSettingsOptions(command);
  addExamples(command, [
    'webhook add 123456789012345678 https://bot.example.org/votes --name "Main bot"',
    'webhook add 123456789012345678 --discord https://discord.com/api/webhooks/...',
    'webhook add 123456789012345678 --votifier mc.example.org:8192 --token-env VOTIFIER_TOKEN',
  ]);
  command.action(async (guildId: string, url: string | undefined, options: AddOptions) => {
    const { discord, votifier, tokenEnv } = options;
    if ([url, discord, votifier].filter((given) => given !== undefined).length !== 1) {
      command.error('error: give exactly one of <url>, --discord and --votifier');
    }
    if (votifier !== undefined && tokenEnv === undefined) {
      command.error('error: --votifier needs --token-env <name>, the variable with the token of the server');
    }
    const kind = discord !== undefined ? 'discord' : votifier !== undefined ? 'votifier' : 'https';
    requireOptionsOf(kind, options);
    const input = { kind, url: url ?? '', ...readInput(cli, options), events: options.events } as const;
    const add = async (endpoints: Endpoints) => {
      const result = await endpoints.addEndpoint(guildId, input, null);
      if (!result.ok) throw await explainAdd(endpoints, result.fault, guildId, input);
      return result;
    };
    const added = await withEndpoints(cli, guildId, add, tokenEnv);
    const { endpoint, secret } = added;
    const { endpointId, events, name } = endpoint;
    const next = `Try it with: votary webhook test ${guildId} ${endpointId}`;
    const shown = secret === null ? '' : `Secret  ${secret}\n`;
    const document = {
      guild_id: guildId,
      endpoint_id: endpointId,
      ...describeTarget(endpoint),
      name,
      events,
    };
    report(
      cli,
      secret === null ? document : { ...document, secret },
      `Endpoint ${endpointId} receives ${events.join(' and ')}.\n${shown}${next}`,
    );
  });
}

type EditOptions = SettingsOptions & { url?: string; events?: SubscribableEvent[] };

export function addEditCommand(group: Command, cli: Cli): void {
  const command = group
    .command('edit')
    .description('change the target, name or events of an endpoint; its signing secret stays')
    .addArgument(guildIdArgument())
    .addArgument(endpointIdArgument())
    .option('--url <url>', 'https URL of the receiver')
    .addOption(eventsOption());
  addSettingsOptions(command);
  addExamples(command, [
    'webhook edit 123456789012345678 ep_0123456789abcdef --url https://new.example.org/votes',
    'webhook edit 123456789012345678 ep_0123456789abcdef --name "Main bot" --events vote_received',
    'webhook edit 123456789012345678 ep_0123456789abcdef --message "{user} voted: {total} votes"',
  ]);
  command.action(async (guildId: string, endpointId: string, options: EditOptions) => {
    if (Object.keys(options).length === 0) {
      command.error('error: give at least one option, for example --url, --name, --events or --message');
    }
    const { url, events, tokenEnv } = options;
    const input = {
      ...(url === undefined ? {} : { url }),
      ...(events ? { events } : {}),
      ...readInput(cli, options),
    };
    const edit = async (endpoints: Endpoints) => {
      const all = await endpoints.listEndpoints(guildId);
      const edited = all.find((endpoint) => endpoint.endpointId === endpointId);
      if (edited) requireOptionsOf(edited.destination.kind, options);
      const result = await endpoints.editEndpoint(guildId, endpointId, input, null);
      if (result.ok) return result;
      if (result.fault === 'unknown-endpoint') throw unknownEndpoint(guildId, endpointId);
      throw await explain(endpoints, result.fault, { kind: edited?.destination.kind, ...input });
    };
    const edited = await withEndpoints(cli, guildId, edit, tokenEnv);
    const { name, events: chosen } = edited.endpoint;
    report(
      cli,
      {
        guild_id: guildId,
        endpoint_id: endpointId,
        ...describeTarget(edited.endpoint),
        name,
        events: chosen,
      },
      `Endpoint ${endpointId} was changed.`,
    );
  });
}

function addSettingsOptions(command: Command): void {
  command
    .option('--discord <url>', 'webhook URL of a Discord channel: votes appear there as messages')
    .option('--votifier <host:port>', 'Minecraft server with NuVotifier; the port is 8192 if it is not given')
    .option('--token-env <name>', 'variable with the token of the Votifier server, or with _FILE its file')
    .option('--service-name <name>', 'name of this site on the Votifier server (default: its host name)')
    .addOption(new Option('--language <language>', 'of messages in a Discord channel').choices(LOCALES))
    .option(
      '--message <text>',
      'text for votes in a Discord channel, with {user}, {community}, {total}, {streak}, {month} and {link}; empty: the default',
    )
    .addOption(nameOption());
}

/** The options that only one kind of endpoint has. */
const KIND_OPTIONS = [
  { key: 'discord', flag: '--discord', kind: 'discord' },
  { key: 'language', flag: '--language', kind: 'discord' },
  { key: 'message', flag: '--message', kind: 'discord' },
  { key: 'votifier', flag: '--votifier', kind: 'votifier' },
  { key: 'tokenEnv', flag: '--token-env', kind: 'votifier' },
  { key: 'serviceName', flag: '--service-name', kind: 'votifier' },
] as const;

function requireOptionsOf(kind: EndpointKind, options: SettingsOptions): void {
  const wrong = KIND_OPTIONS.find((option) => options[option.key] !== undefined && option.kind !== kind);
  if (wrong)
    throw new CommandFailure(
      `nothing was changed: ${wrong.flag} is for endpoints of kind ${wrong.kind}, and this one is of kind ${kind}`,
    );
}

/** Only what was given, so that an edit keeps the rest. */
function readInput(cli: Cli, options: SettingsOptions): Partial<EndpointInput> {
  const { discord, votifier, tokenEnv, serviceName, language, message, name } = options;
  const url = discord ?? votifier;
  const token = tokenEnv === undefined ? undefined : readSecretText(cli.environment, tokenEnv);
  if (tokenEnv !== undefined && !token)
    throw new CommandFailure(`the variable ${tokenEnv} is not set or empty`);
  return {
    ...(url === undefined ? {} : { url }),
    ...(token === undefined ? {} : { token }),
    ...(serviceName === undefined ? {} : { serviceName }),
    ...(language === undefined ? {} : { language }),
    ...(message === undefined ? {} : { templates: { vote_received: message } }),
    ...(name === undefined ? {} : { name }),
  };
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

const PROBLEMS: Record<Exclude<SettingsFault, 'private-address'>, string> = {
  'not-a-url': 'this is not a valid URL such as https://bot.example.org/votes',
  'too-long': `the URL is longer than ${WEBHOOK_URL_MAX_LENGTH} characters`,
  'not-https': 'the URL must start with https://, except in networks that VOTARY_WEBHOOK_ALLOW lists',
  'has-credentials': 'the URL contains a user name or a password; use a secret path instead',
  'forbidden-port': 'webhooks use port 443 or a port above 1023',
  'no-events': 'no event was chosen that this kind of endpoint can receive',
  'bad-name': 'the name is too long or contains control characters',
  'discord-url': 'this is the webhook of a Discord channel: give it as --discord <url> to votary webhook add',
  'not-discord':
    'this is not the webhook URL of a Discord channel (https://discord.com/api/webhooks/<id>/<token>)',
  'bad-template':
    'the message is longer than 1000 characters, or contains a field other than {user}, {community}, {total}, {streak}, {month} and {link}',
  'bad-address': 'this is not the address of a server such as mc.example.org:8192',
  'bad-token':
    'the token is empty, or contains spaces or special characters; copy it from the config.yml of NuVotifier',
  'bad-service-name':
    'the service name must be 1 to 64 letters, digits, spaces, dots, hyphens or underscores',
};

async function explainAdd(
  endpoints: Endpoints,
  fault: AddFault,
  guildId: string,
  input: EndpointInput,
): Promise<CommandFailure> {
  if (fault === 'unknown-guild') return notListed(guildId);
  if (fault !== 'too-many') return explain(endpoints, fault, input);
  return new CommandFailure(
    `guild ${guildId} has ${MAX_ENDPOINTS} endpoints already; remove one with: votary webhook remove ${guildId} <endpoint_id>`,
  );
}

/** The URL may contain a secret, so it is not repeated. */
async function explain(
  endpoints: Endpoints,
  fault: SettingsFault,
  { kind, url = '' }: { kind?: EndpointKind | undefined; url?: string },
): Promise<CommandFailure> {
  const address = kind === 'votifier' ? `votifier://${url}` : url;
  const problem = fault === 'private-address' ? await explainAddress(endpoints, address) : PROBLEMS[fault];
  return new CommandFailure(`nothing was changed: ${problem}`);
}
