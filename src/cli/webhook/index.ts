import type { Command } from 'commander';
import { formatInstant, formatInstantOrNull } from '../../domain/clock.ts';
import { hasOwnSecret } from '../../domain/webhooks/destination.ts';
import type { Endpoints } from '../../store/webhooks/admin.ts';
import { addExamples, type Cli, CommandFailure, guildIdArgument, report } from '../cli.ts';
import { addListCommand, endpointIdArgument, unknownEndpoint, withEndpoints } from './endpoints.ts';
import { addLogCommand } from './log.ts';
import { addReplayCommand } from './replay.ts';
import { addTestCommand } from './send-test.ts';
import { addAddCommand, addEditCommand } from './settings.ts';

export function addWebhookCommands(program: Command, cli: Cli): void {
  const group = program.command('webhook').description("endpoints that a guild's votes are sent to");
  addExamples(group, [
    'webhook add 123456789012345678 https://bot.example.org/votes',
    'webhook add 123456789012345678 --discord https://discord.com/api/webhooks/...',
    'webhook test 123456789012345678 ep_0123456789abcdef',
    'webhook replay 123456789012345678 --since 2027-01-31T18:00:00Z',
  ]);
  addAddCommand(group, cli);
  addListCommand(group, cli);
  addEditCommand(group, cli);
  addTestCommand(group, cli);
  addLogCommand(group, cli);
  addReplayCommand(group, cli);
  addRotateCommand(group, cli);
  for (const change of CHANGES) addChangeCommand(group, cli, change);
}

function addRotateCommand(group: Command, cli: Cli): void {
  const command = endpointCommand(
    group,
    'rotate',
    'create a new secret; the old one stays valid for 24 hours (in top.gg formats it stops at once), older ones stop working immediately',
  ).option('--now', 'make the old secret stop working immediately as well');
  command.action(async (guildId: string, endpointId: string, { now = false }: { now?: boolean }) => {
    const rotated = await withEndpoints(cli, guildId, (endpoints) =>
      rotate(cli, endpoints, guildId, endpointId, now),
    );
    if (rotated === undefined) throw unknownEndpoint(guildId, endpointId);
    const { secret, validUntil, endedEarly } = rotated;
    if (endedEarly !== null && !cli.wantsJson()) {
      cli.stderr.write(
        `note: the secret from before the last rotation has stopped working; it would have been valid until ${formatInstant(endedEarly)}\n`,
      );
    }
    // The secret is on its own line, to be selected with a double click or read by $(…).
    const previous = {
      previous_valid_until: formatInstantOrNull(validUntil),
      dropped_valid_until: formatInstantOrNull(endedEarly),
    };
    report(cli, { guild_id: guildId, endpoint_id: endpointId, secret, ...previous }, secret);
  });
}

/** The new secret, how long the previous one is valid, and until when a replaced one would have been. */
async function rotate(cli: Cli, endpoints: Endpoints, guildId: string, endpointId: string, now: boolean) {
  const find = async () =>
    (await endpoints.listEndpoints(guildId)).find((endpoint) => endpoint.endpointId === endpointId);
  const before = await find();
  if (before && !hasOwnSecret(before.destination)) {
    const option = before.destination.kind === 'discord' ? '--discord <url>' : '--token-env <name>';
    throw new CommandFailure(
      `endpoint ${endpointId} has no signing secret; replace its token with: votary webhook edit ${guildId} ${endpointId} ${option}`,
    );
  }
  const secret = await endpoints.rotateSecret(guildId, endpointId, null, { now });
  if (secret === undefined) return undefined;
  const previous = before?.secrets.previous ?? null;
  return {
    secret,
    validUntil: (await find())?.secrets.previous?.validUntil ?? null,
    endedEarly: previous && cli.clock() < previous.validUntil ? previous.validUntil : null,
  };
}

type EndpointChange = {
  name: string;
  description: string;
  /** Returns false if the guild has no such endpoint. */
  change(endpoints: Endpoints, guildId: string, endpointId: string): Promise<boolean>;
  /** What `--json` reports besides the ids. */
  result: Record<string, boolean>;
  text(guildId: string, endpointId: string): string;
};

/** The commands that need nothing but the endpoint. */
const CHANGES: readonly EndpointChange[] = [
  {
    name: 'pause',
    description: 'hold deliveries; they are sent when the endpoint is resumed',
    change: (endpoints, guildId, endpointId) => endpoints.pauseEndpoint(guildId, endpointId, null),
    result: { paused: true },
    text: (guildId, endpointId) =>
      `Endpoint ${endpointId} is paused. Resume it with: votary webhook resume ${guildId} ${endpointId}`,
  },
  {
    name: 'resume',
    description: 'resume a paused endpoint',
    change: (endpoints, guildId, endpointId) => endpoints.resumeEndpoint(guildId, endpointId, null),
    result: { paused: false },
    text: (_, endpointId) => `Endpoint ${endpointId} is resumed; a running server sends its pending events.`,
  },
  {
    name: 'enable',
    description: 're-enable an endpoint that was disabled',
    change: (endpoints, guildId, endpointId) => endpoints.enableEndpoint(guildId, endpointId, null),
    result: { enabled: true },
    text: (guildId, endpointId) =>
      `Endpoint ${endpointId} is enabled. Pending events are sent; resend failed ones with: votary webhook replay ${guildId} --since <date>`,
  },
  {
    name: 'remove',
    description: 'delete an endpoint and its pending events',
    change: (endpoints, guildId, endpointId) => endpoints.removeEndpoint(guildId, endpointId, null),
    result: { removed: true },
    text: (_, endpointId) => `Endpoint ${endpointId} is removed.`,
  },
];

function addChangeCommand(
  group: Command,
  cli: Cli,
  { name, description, change, result, text }: EndpointChange,
): void {
  const command = endpointCommand(group, name, description);
  command.action(async (guildId: string, endpointId: string) => {
    const isKnown = await withEndpoints(cli, guildId, (endpoints) => change(endpoints, guildId, endpointId));
    if (!isKnown) throw unknownEndpoint(guildId, endpointId);
    report(cli, { guild_id: guildId, endpoint_id: endpointId, ...result }, text(guildId, endpointId));
  });
}

function endpointCommand(group: Command, name: string, description: string): Command {
  const command = group
    .command(name)
    .description(description)
    .addArgument(guildIdArgument())
    .addArgument(endpointIdArgument());
  addExamples(command, [`webhook ${name} 123456789012345678 ep_0123456789abcdef`]);
  return command;
}
