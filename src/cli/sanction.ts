import type { Command } from 'commander';
import type { Sanction } from '../domain/guild.ts';
import { addExamples, guildIdArgument, reasonOption } from './arguments.ts';
import { type Cli, notListed, report, withStore } from './cli.ts';

export function addSanctionCommands(program: Command, cli: Cli): void {
  const group = program.command('sanction').description('close a guild without deleting it');
  addExamples(group, ['sanction add 123456789012345678 --reason "bought votes"']);
  addAdd(group, cli);
  addLift(group, cli);
}

function addAdd(group: Command, cli: Cli): void {
  const command = group
    .command('add')
    .description('sanction a guild: its key opens nothing until the sanction is lifted')
    .addArgument(guildIdArgument())
    .addOption(reasonOption());
  addExamples(command, [
    'sanction add 123456789012345678',
    'sanction add 123456789012345678 --reason "bought votes"',
  ]);
  command.action(async (guildId: string, options: { reason?: string }) => {
    const reason = options.reason ?? null;
    await setSanction(cli, guildId, { since: cli.clock(), reason });
    const text = `Guild ${guildId} is sanctioned. Lift it with: votary sanction lift ${guildId}`;
    report(cli, { guild_id: guildId, sanctioned: true, reason }, text);
  });
}

function addLift(group: Command, cli: Cli): void {
  const command = group
    .command('lift')
    .description('end the sanction: the key works again')
    .addArgument(guildIdArgument());
  addExamples(command, ['sanction lift 123456789012345678']);
  command.action(async (guildId: string) => {
    await setSanction(cli, guildId, null);
    report(cli, { guild_id: guildId, sanctioned: false }, `Guild ${guildId} is not sanctioned any more.`);
  });
}

async function setSanction(cli: Cli, guildId: string, sanction: Sanction | null): Promise<void> {
  if (!(await withStore(cli, (store) => store.guilds.setSanction(guildId, sanction))))
    throw notListed(guildId);
}
