import { type Command, InvalidArgumentError, Option } from 'commander';
import { readSecretText } from '../../config/variables.ts';
import { LOCALES, type Locale } from '../../domain/locale.ts';
import { isVisible, readPlainText } from '../../domain/text/text.ts';
import type { EndpointKind } from '../../domain/webhooks/destination.ts';
import { isSubscribable, SUBSCRIBABLE_EVENTS, type SubscribableEvent } from '../../domain/webhooks/event.ts';
import { TOPGG_FORMATS, type TopggFormat } from '../../domain/webhooks/topgg.ts';
import { ENDPOINT_NAME_MAX_LENGTH, type EndpointInput, type Endpoints } from '../../store/webhooks/admin.ts';
import { addExamples, type Cli, CommandFailure, guildIdArgument, report } from '../cli.ts';
import { describeTarget, endpointIdArgument, unknownEndpoint, withEndpoints } from './endpoints.ts';
import { explain, explainAdd } from './faults.ts';

/** The options that `add` and `edit` share. */
type SettingsOptions = {
  discord?: string;
  votifier?: string;
  tokenEnv?: string;
  secretEnv?: string;
  serviceName?: string;
  consumer?: string;
  language?: Locale;
  message?: string;
  name?: string;
};

type AddOptions = SettingsOptions & { events: SubscribableEvent[]; format?: TopggFormat };

export function addAddCommand(group: Command, cli: Cli): void {
  const command = group
    .command('add')
    .description(
      'send votes to a URL, signed with a new secret, to a Discord channel or to a Minecraft server',
    )
    .addArgument(guildIdArgument())
    .argument('[url]', 'https URL of the receiver')
    .addOption(eventsOption().default(['vote_received'], 'vote_received'))
    .addOption(formatOption());
  addSettingsOptions(command);
  addExamples(command, [
    'webhook add 123456789012345678 https://bot.example.org/votes --name "Main bot"',
    'webhook add 123456789012345678 --discord https://discord.com/api/webhooks/...',
    'webhook add 123456789012345678 --votifier mc.example.org:8192 --token-env VOTIFIER_TOKEN',
    'webhook add 123456789012345678 https://bot.example.org/dblwebhook --format topgg-v0 --secret-env TOPGG_SECRET',
  ]);
  command.action(async (guildId: string, url: string | undefined, options: AddOptions) => {
    const { discord, votifier, tokenEnv, secretEnv, format } = options;
    if ([url, discord, votifier].filter((given) => given !== undefined).length !== 1) {
      command.error('error: give exactly one of <url>, --discord and --votifier');
    }
    if (votifier !== undefined && tokenEnv === undefined) {
      command.error('error: --votifier needs --token-env <name>, the variable with the token of the server');
    }
    if (format !== undefined && url === undefined) command.error('error: --format needs <url>');
    const kind = kindOf(options);
    requireOptionsOf(kind, options);
    const given = { ...readInput(cli, options), ...(format === undefined ? {} : { format }) };
    const input = { kind, url: url ?? '', ...given, events: options.events } as const;
    const add = async (endpoints: Endpoints) => {
      const result = await endpoints.addEndpoint(guildId, input, null);
      if (!result.ok) throw await explainAdd(endpoints, result.fault, guildId, input);
      return result;
    };
    const added = await withEndpoints(cli, guildId, add, tokenEnv ?? secretEnv);
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

function kindOf({ discord, votifier, format }: AddOptions): EndpointKind {
  if (discord !== undefined) return 'discord';
  if (votifier !== undefined) return 'votifier';
  return format === undefined ? 'https' : 'topgg';
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
    const { url, events, tokenEnv, secretEnv } = options;
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
    const edited = await withEndpoints(cli, guildId, edit, tokenEnv ?? secretEnv);
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
    .option(
      '--secret-env <name>',
      'variable with the secret of a receiver in a top.gg format, or with _FILE its file',
    )
    .option('--service-name <name>', 'name of this site on the Votifier server (default: its host name)')
    .option(
      '--consumer <name>',
      'claim votes that are delivered to the Votifier server as this consumer, and skip those it has claimed; empty: do not claim',
    )
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
  { key: 'consumer', flag: '--consumer', kind: 'votifier' },
  { key: 'secretEnv', flag: '--secret-env', kind: 'topgg' },
] as const;

const KIND_NAMES: Record<EndpointKind, string> = {
  https: 'of kind https',
  topgg: 'in a top.gg format',
  discord: 'of kind discord',
  votifier: 'of kind votifier',
};

function requireOptionsOf(kind: EndpointKind, options: SettingsOptions): void {
  const wrong = KIND_OPTIONS.find((option) => options[option.key] !== undefined && option.kind !== kind);
  if (wrong)
    throw new CommandFailure(
      `nothing was changed: ${wrong.flag} is for endpoints ${KIND_NAMES[wrong.kind]}, and this one is ${KIND_NAMES[kind]}`,
    );
}

/** Only what was given, so that an edit keeps the rest. */
function readInput(cli: Cli, options: SettingsOptions): Partial<EndpointInput> {
  const { discord, votifier, serviceName, consumer, language, message, name } = options;
  const url = discord ?? votifier;
  const token = readSecretVariable(cli, options.tokenEnv);
  const secret = readSecretVariable(cli, options.secretEnv);
  return {
    ...(url === undefined ? {} : { url }),
    ...(token === undefined ? {} : { token }),
    ...(secret === undefined ? {} : { secret }),
    ...(serviceName === undefined ? {} : { serviceName }),
    ...(consumer === undefined ? {} : { consumer }),
    ...(language === undefined ? {} : { language }),
    ...(message === undefined ? {} : { templates: { vote_received: message } }),
    ...(name === undefined ? {} : { name }),
  };
}

function readSecretVariable(cli: Cli, name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const text = readSecretText(cli.environment, name);
  if (!text) throw new CommandFailure(`the variable ${name} is not set or empty`);
  return text;
}

function formatOption(): Option {
  const description =
    'send votes to <url> as top.gg does, with --secret-env or a new secret; without it, as signed webhooks';
  return new Option('--format <format>', description).choices(TOPGG_FORMATS);
}

function nameOption(): Option {
  const description = `name of the endpoint, up to ${ENDPOINT_NAME_MAX_LENGTH} characters; an empty one removes it`;
  return new Option('--name <name>', description).argParser((text: string) => {
    if (!isVisible(text)) return '';
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
