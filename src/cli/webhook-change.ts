import type { Command } from 'commander';
import { addExamples, guildIdArgument } from './arguments.ts';
import { type Cli, report } from './cli.ts';
import { endpointIdArgument, unknownEndpoint, withEndpoints } from './webhook-context.ts';

export function addRotateCommand(group: Command, cli: Cli): void {
  const command = endpointCommand(
    group,
    'rotate',
    'make a new secret; the old one is valid for 24 hours more',
  );
  command.action(async (guildId: string, endpointId: string) => {
    const secret = await withEndpoints(cli, guildId, (endpoints) =>
      endpoints.rotateSecret(guildId, endpointId, null),
    );
    if (secret === undefined) throw unknownEndpoint(guildId, endpointId);
    // The secret stands alone on its line, to be copied by a double click or a $(…).
    report(cli, { guild_id: guildId, endpoint_id: endpointId, secret }, secret);
  });
}

export function addEnableCommand(group: Command, cli: Cli): void {
  const command = endpointCommand(group, 'enable', 'switch an endpoint on again that was switched off');
  command.action(async (guildId: string, endpointId: string) => {
    const isEnabled = await withEndpoints(cli, guildId, (endpoints) =>
      endpoints.enableEndpoint(guildId, endpointId, null),
    );
    if (!isEnabled) throw unknownEndpoint(guildId, endpointId);
    const next = `Send what it missed with: votary webhook replay ${guildId} --since <date>`;
    report(
      cli,
      { guild_id: guildId, endpoint_id: endpointId, enabled: true },
      `Endpoint ${endpointId} is on. ${next}`,
    );
  });
}

export function addRemoveCommand(group: Command, cli: Cli): void {
  const command = endpointCommand(group, 'remove', 'stop sending to an endpoint and forget it');
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
