/** `guild list` and `guild show`. */
import type { Command } from 'commander';
import { formatInstant, formatInstantOrNull } from '../../domain/clock.ts';
import { type Guild, isListed, listingState } from '../../domain/guild.ts';
import {
  addExamples,
  type Cli,
  formatTable,
  guildIdArgument,
  report,
  requireGuild,
  withStore,
} from '../cli.ts';

export function addList(group: Command, cli: Cli): void {
  const command = group.command('list').description('show all guilds');
  addExamples(command, ['guild list', 'guild list --json']);
  command.action(async () => {
    const guilds = await withStore(cli, (store) => store.guilds.list());
    report(cli, guilds.map(describe), guilds.length === 0 ? NO_GUILDS : formatTable(listRows(guilds)));
  });
}

export function addShow(group: Command, cli: Cli): void {
  const command = group.command('show').description('show one guild').addArgument(guildIdArgument());
  addExamples(command, ['guild show 123456789012345678', 'guild show 123456789012345678 --json']);
  command.action(async (guildId: string) => {
    const guild = await withStore(cli, (store) => requireGuild(store, guildId));
    report(cli, describe(guild), formatTable(showRows(guild)));
  });
}

const NO_GUILDS = 'No guild is listed yet. Add one with: votary guild add <guild_id> --name "My Community"';

function describe(guild: Guild): Record<string, unknown> {
  return {
    guild_id: guild.guildId,
    name: guild.name,
    created_at: formatInstant(guild.createdAt),
    doubling: guild.doubling,
    premium_until: formatInstantOrNull(guild.premiumUntil),
    sanctioned: guild.sanction !== null,
    sanction_reason: guild.sanction?.reason ?? null,
    listed: isListed(guild),
    rate_limit: guild.rateLimit,
    player_names: guild.playerNames,
    listforge_consumer: guild.listforgeConsumer,
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
    ['In the listing', listingText(guild)],
    ['Rate limit', guild.rateLimit === null ? 'default' : `${guild.rateLimit} per minute`],
    ['Player names', guild.playerNames],
    ['ListForge consumer', guild.listforgeConsumer],
  ];
}

function listingText(guild: Guild): string {
  switch (listingState(guild)) {
    case 'listed':
      return 'yes';
    case 'sanctioned':
      return 'no, while it is sanctioned';
    case 'unlisted':
      return `no, since ${formatInstantOrNull(guild.unlistedAt)}`;
    case 'hidden':
      return `no, unlisted by its admins since ${formatInstantOrNull(guild.hiddenAt)}`;
  }
}

function premiumText(guild: Guild): string {
  return formatInstantOrNull(guild.premiumUntil) ?? '-';
}

function sanctionText(guild: Guild): string {
  if (!guild.sanction) return 'no';
  return guild.sanction.reason === null ? 'yes' : `yes: ${guild.sanction.reason}`;
}
