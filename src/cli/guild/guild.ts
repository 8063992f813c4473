import type { Command } from 'commander';
import { formatInstant } from '../../domain/clock.ts';
import type { Guild } from '../../domain/guild.ts';
import {
  addExamples,
  type Cli,
  CommandFailure,
  formatTable,
  guildIdArgument,
  nameOption,
  notListed,
  report,
  withStore,
} from '../cli.ts';

export function addGuildCommands(program: Command, cli: Cli): void {
  const group = program.command('guild').description('the guilds (community servers) that are listed');
  addExamples(group, ['guild add 123456789012345678 --name "My Community"', 'guild list']);
  addAdd(group, cli);
  addList(group, cli);
  addShow(group, cli);
  addRemove(group, cli);
}

function addAdd(group: Command, cli: Cli): void {
  const command = group.command('add').description('list a guild').addArgument(guildIdArgument());
  addExamples(command, [
    'guild add 123456789012345678',
    'guild add 123456789012345678 --name "My Community"',
  ]);
  command.addOption(nameOption()).action(async (guildId: string, options: { name?: string }) => {
    const name = options.name ?? guildId;
    const isNew = await withStore(cli, (store) =>
      store.guilds.add({ guildId, name, createdAt: cli.clock() }),
    );
    if (!isNew) throw new CommandFailure(`guild ${guildId} is listed already; nothing was changed`);
    const next = `Give it an API key with: votary key generate ${guildId}`;
    report(cli, { guild_id: guildId, name }, `Guild ${guildId} "${name}" is listed. ${next}`);
  });
}

function addList(group: Command, cli: Cli): void {
  const command = group.command('list').description('show all guilds');
  addExamples(command, ['guild list', 'guild list --json']);
  command.action(async () => {
    const guilds = await withStore(cli, (store) => store.guilds.list());
    report(cli, guilds.map(describe), guilds.length === 0 ? NO_GUILDS : formatTable(listRows(guilds)));
  });
}

function addShow(group: Command, cli: Cli): void {
  const command = group.command('show').description('show one guild').addArgument(guildIdArgument());
  addExamples(command, ['guild show 123456789012345678', 'guild show 123456789012345678 --json']);
  command.action(async (guildId: string) => {
    const guild = await withStore(cli, (store) => store.guilds.find(guildId));
    if (!guild) throw notListed(guildId);
    report(cli, describe(guild), formatTable(showRows(guild)));
  });
}

function addRemove(group: Command, cli: Cli): void {
  const command = group
    .command('remove')
    .description('delete a guild with its key and all its votes')
    .addArgument(guildIdArgument());
  addExamples(command, [
    'votes export 123456789012345678 > backup.ndjson',
    'guild remove 123456789012345678',
  ]);
  command.action(async (guildId: string) => {
    if (!(await withStore(cli, (store) => store.guilds.remove(guildId)))) throw notListed(guildId);
    report(cli, { guild_id: guildId, removed: true }, `Guild ${guildId}, its key and its votes are deleted.`);
  });
}

const NO_GUILDS = 'No guild is listed yet. Add one with: votary guild add <guild_id> --name "My Community"';

function describe(guild: Guild): Record<string, unknown> {
  return {
    guild_id: guild.guildId,
    name: guild.name,
    created_at: formatInstant(guild.createdAt),
    doubling: guild.doubling,
    premium_until: guild.premiumUntil === null ? null : formatInstant(guild.premiumUntil),
    sanctioned: guild.sanction !== null,
    sanction_reason: guild.sanction?.reason ?? null,
    has_key: guild.hasKey,
  };
}

function listRows(guilds: readonly Guild[]): string[][] {
  const rows = guilds.map((guild) => [
    guild.guildId,
    guild.name,
    guild.hasKey ? 'yes' : 'no',
    premiumText(guild),
    sanctionText(guild),
  ]);
  return [['GUILD', 'NAME', 'KEY', 'PREMIUM UNTIL', 'SANCTIONED'], ...rows];
}

function showRows(guild: Guild): string[][] {
  return [
    ['Guild', guild.guildId],
    ['Name', guild.name],
    ['Listed since', formatInstant(guild.createdAt)],
    ['API key', guild.hasKey ? 'yes' : 'no'],
    ['Premium until', premiumText(guild)],
    ['Doubled votes', guild.doubling],
    ['Sanctioned', sanctionText(guild)],
  ];
}

function premiumText(guild: Guild): string {
  return guild.premiumUntil === null ? '-' : formatInstant(guild.premiumUntil);
}

function sanctionText(guild: Guild): string {
  if (!guild.sanction) return 'no';
  return guild.sanction.reason === null ? 'yes' : `yes: ${guild.sanction.reason}`;
}
