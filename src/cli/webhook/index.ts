import type { Command } from 'commander';
import { formatInstant } from '../../domain/clock.ts';
import type { Endpoints } from '../../store/webhooks/admin.ts';
import { addExamples, type Cli, CommandFailure, guildIdArgument, report } from '../cli.ts';
import { addLogCommand, addReplayCommand, addTestCommand } from './deliveries.ts';
import {
  addListCommand,
  endpointIdArgument,
  formatNullable,
  unknownEndpoint,
  withEndpoints,
} from './endpoints.ts';
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
  addPauseCommand(group, cli);
  addResumeCommand(group, cli);
  addEnableCommand(group, cli);
  addRemoveCommand(group, cli);
}

function addRotateCommand(group: Command, cli: Cli): void {
  const command = endpointCommand(
    group,
    'rotate',
    'create a new secret; the old one stays valid for 24 hours, older ones stop working immediately',
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
      previous_valid_until: formatNullable(validUntil),
      dropped_valid_until: formatNullable(endedEarly),
    };
    report(cli, { guild_id: guildId, endpoint_id: endpointId, secret, ...previous }, secret);
  });
}

/** The new secret, how long the previous one is valid, and until when a replaced one would have been. */
async function rotate(cli: Cli, endpoints: Endpoints, guildId: string, endpointId: string, now: boolean) {
  const find = async () =>
    (await endpoints.listEndpoints(guildId)).find((endpoint) => endpoint.endpointId === endpointId);
  const before = await find();
  if (before && before.destination.kind !== 'https') {
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

function addPauseCommand(group: Command, cli: Cli): void {
  const command = endpointCommand(
    group,
    'pause',
    'hold deliveries; they are sent when the endpoint is resumed',
  );
  command.action(async (guildId: string, endpointId: string) => {
    const isKnown = await withEndpoints(cli, guildId, (endpoints) =>
      endpoints.pauseEndpoint(guildId, endpointId, null),
    );
    if (!isKnown) throw unknownEndpoint(guildId, endpointId);
    const next = `Resume it with: votary webhook resume ${guildId} ${endpointId}`;
    report(
      cli,
      { guild_id: guildId, endpoint_id: endpointId, paused: true },
      `Endpoint ${endpointId} is paused. ${next}`,
    );
  });
}

function addResumeCommand(group: Command, cli: Cli): void {
  const command = endpointCommand(group, 'resume', 'resume a paused endpoint');
  command.action(async (guildId: string, endpointId: string) => {
    const isKnown = await withEndpoints(cli, guildId, (endpoints) =>
      endpoints.resumeEndpoint(guildId, endpointId, null),
    );
    if (!isKnown) throw unknownEndpoint(guildId, endpointId);
    report(
      cli,
      { guild_id: guildId, endpoint_id: endpointId, paused: false },
      `Endpoint ${endpointId} is resumed; a running server sends its pending events.`,
    );
  });
}

function addEnableCommand(group: Command, cli: Cli): void {
  const command = endpointCommand(group, 'enable', 're-enable an endpoint that was disabled');
  command.action(async (guildId: string, endpointId: string) => {
    const isEnabled = await withEndpoints(cli, guildId, (endpoints) =>
      endpoints.enableEndpoint(guildId, endpointId, null),
    );
    if (!isEnabled) throw unknownEndpoint(guildId, endpointId);
    const next = `Pending events are sent; resend failed ones with: votary webhook replay ${guildId} --since <date>`;
    report(
      cli,
      { guild_id: guildId, endpoint_id: endpointId, enabled: true },
      `Endpoint ${endpointId} is enabled. ${next}`,
    );
  });
}

function addRemoveCommand(group: Command, cli: Cli): void {
  const command = endpointCommand(group, 'remove', 'delete an endpoint and its pending events');
  command.action(async (guildId: string, endpointId: string) => {
    const isRemoved = await withEndpoints(cli, guildId, (endpoints) =>
      endpoints.removeEndpoint(guildId, endpointId, null),
    );
    if (!isRemoved) throw unknownEndpoint(guildId, endpointId);
    report(
      cli,
      { guild_id: guildId, endpoint_id: endpointId, removed: true },
      `Endpoint ${endpointId} is removed.`,
    );
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
