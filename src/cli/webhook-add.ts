import { type Command, InvalidArgumentError, Option } from 'commander';
import { isSubscribable, SUBSCRIBABLE_EVENTS, type SubscribableEvent } from '../domain/webhook-event.ts';
import { WEBHOOK_URL_MAX_LENGTH } from '../domain/webhook-url.ts';
import { type AddFault, MAX_ENDPOINTS } from '../store/webhook-admin.ts';
import { addExamples, guildIdArgument } from './arguments.ts';
import { type Cli, CommandFailure, notListed, report } from './cli.ts';
import { withEndpoints } from './webhook-context.ts';

export function addAddCommand(group: Command, cli: Cli): void {
  const command = group
    .command('add')
    .description('send votes to an address, signed with a secret of its own')
    .addArgument(guildIdArgument())
    .argument('<url>', 'https address of the receiver')
    .addOption(eventsOption());
  addExamples(command, [
    'webhook add 123456789012345678 https://bot.example.org/votes',
    'webhook add 123456789012345678 https://bot.example.org/votes --events vote_received,vote_available --json',
  ]);
  command.action(async (guildId: string, url: string, { events }: { events: SubscribableEvent[] }) => {
    const added = await withEndpoints(cli, guildId, (endpoints) =>
      endpoints.addEndpoint(guildId, { url, events }, null),
    );
    if (!added.ok) throw explain(added.fault, guildId);
    const { endpoint, secret } = added;
    const document = { guild_id: guildId, endpoint_id: endpoint.endpointId, url: endpoint.url };
    const next = `Try it with: votary webhook test ${guildId} ${endpoint.endpointId}`;
    report(
      cli,
      { ...document, events: endpoint.events, secret },
      `Endpoint ${endpoint.endpointId} receives ${endpoint.events.join(' and ')}.\nSecret  ${secret}\n${next}`,
    );
  });
}

function eventsOption(): Option {
  return new Option('--events <list>', `what to send, with commas between: ${SUBSCRIBABLE_EVENTS.join(', ')}`)
    .default(['vote_received'], 'vote_received')
    .argParser((text: string) => {
      const names = text.split(',').map((name) => name.trim());
      const wrong = names.find((name) => !isSubscribable(name));
      if (wrong === undefined) return names.filter(isSubscribable);
      throw new InvalidArgumentError(`"${wrong}" is none of ${SUBSCRIBABLE_EVENTS.join(', ')}.`);
    });
}

const URL_PROBLEMS = {
  'not-a-url': 'it is not an address such as https://bot.example.org/votes',
  'too-long': `it is longer than ${WEBHOOK_URL_MAX_LENGTH} characters`,
  'not-https': 'it must begin with https://',
  'has-credentials': 'it holds a user name or a password; use a secret path instead',
  'private-address': 'it leads to this machine or into a private or reserved network',
  'no-events': 'no event was chosen',
  'bad-name': 'the name is too long or holds control characters',
} as const;

function explain(fault: AddFault, guildId: string): CommandFailure {
  if (fault === 'unknown-guild') return notListed(guildId);
  if (fault === 'too-many') {
    return new CommandFailure(
      `guild ${guildId} has ${MAX_ENDPOINTS} endpoints already; remove one with: votary webhook remove ${guildId} <endpoint_id>`,
    );
  }
  // The address is not repeated: it may hold a secret.
  return new CommandFailure(`the address cannot be used: ${URL_PROBLEMS[fault]}`);
}
