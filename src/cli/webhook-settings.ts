import { type Command, InvalidArgumentError, Option } from 'commander';
import { readPlainText } from '../domain/plain-text.ts';
import { isSubscribable, SUBSCRIBABLE_EVENTS, type SubscribableEvent } from '../domain/webhook-event.ts';
import { WEBHOOK_URL_MAX_LENGTH } from '../domain/webhook-url.ts';
import {
  type AddFault,
  ENDPOINT_NAME_MAX_LENGTH,
  MAX_ENDPOINTS,
  type SettingsFault,
} from '../store/webhook-admin.ts';
import { addExamples, guildIdArgument } from './arguments.ts';
import { type Cli, CommandFailure, notListed, report } from './cli.ts';
import { endpointIdArgument, unknownEndpoint, withEndpoints } from './webhook-context.ts';

type AddOptions = { events: SubscribableEvent[]; name?: string };

export function addAddCommand(group: Command, cli: Cli): void {
  const command = group
    .command('add')
    .description('send votes to an address, signed with a secret of its own')
    .addArgument(guildIdArgument())
    .argument('<url>', 'https address of the receiver')
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
    .description('change the address, name or events of an endpoint; its secret stays')
    .addArgument(guildIdArgument())
    .addArgument(endpointIdArgument())
    .option('--url <url>', 'https address of the receiver')
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
      `Endpoint ${endpointId} is changed.`,
    );
  });
}

function nameOption(): Option {
  const description = `what to call it, up to ${ENDPOINT_NAME_MAX_LENGTH} characters; an empty text removes the name`;
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
  const description = `what to send, with commas between: ${SUBSCRIBABLE_EVENTS.join(', ')}`;
  return new Option('--events <list>', description).argParser((text: string) => {
    const names = text.split(',').map((name) => name.trim());
    const wrong = names.find((name) => !isSubscribable(name));
    if (wrong === undefined) return names.filter(isSubscribable);
    throw new InvalidArgumentError(`"${wrong}" is none of ${SUBSCRIBABLE_EVENTS.join(', ')}.`);
  });
}

const PROBLEMS: Record<SettingsFault, string> = {
  'not-a-url': 'the address is not one such as https://bot.example.org/votes',
  'too-long': `the address is longer than ${WEBHOOK_URL_MAX_LENGTH} characters`,
  'not-https': 'the address must begin with https://',
  'has-credentials': 'the address holds a user name or a password; use a secret path instead',
  'private-address': 'the address leads to this machine or into a private or reserved network',
  'forbidden-port': 'webhooks use port 443, or a port above 1023',
  'no-events': 'no event was chosen',
  'bad-name': 'the name is too long or holds control characters',
};

function explainAdd(fault: AddFault, guildId: string): CommandFailure {
  if (fault === 'unknown-guild') return notListed(guildId);
  if (fault !== 'too-many') return explain(fault);
  return new CommandFailure(
    `guild ${guildId} has ${MAX_ENDPOINTS} endpoints already; remove one with: votary webhook remove ${guildId} <endpoint_id>`,
  );
}

/** The address is not repeated: it may hold a secret. */
function explain(fault: SettingsFault): CommandFailure {
  return new CommandFailure(`nothing was changed: ${PROBLEMS[fault]}`);
}
