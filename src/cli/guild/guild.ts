import { Argument, type Command, InvalidArgumentError } from 'commander';
import { formatInstant, formatInstantOrNull } from '../../domain/clock.ts';
import type { Guild } from '../../domain/guild.ts';
import { ALL_TIME } from '../../domain/votes/period.ts';
import {
  addGuild,
  GUILD_NAME_MAX_LENGTH,
  MAX_GUILD_RATE_LIMIT,
  removeGuild,
  renameGuild,
  setGuildListed,
  setGuildRateLimit,
} from '../../moderation/guilds.ts';
import {
  addExamples,
  type Cli,
  CommandFailure,
  changeGuild,
  confirm,
  countOf,
  formatTable,
  guildIdArgument,
  moderatorOf,
  nameOption,
  notListed,
  parsePlainText,
  report,
  requireGuild,
  withStore,
} from '../cli.ts';
import { startCounter } from '../progress.ts';
import { addListforgeConsumer, addPlayerNames } from './claims.ts';
import { addGoal } from './goal.ts';
import { addVoterRole } from './voter-role.ts';

export function addGuildCommands(program: Command, cli: Cli): void {
  const group = program.command('guild').description('listed guilds (community servers)');
  addExamples(group, ['guild add 123456789012345678 --name "My Community"', 'guild list']);
  addAdd(group, cli);
  addList(group, cli);
  addShow(group, cli);
  addRename(group, cli);
  addUnlist(group, cli);
  addRelist(group, cli);
  addRateLimit(group, cli);
  addPlayerNames(group, cli);
  addListforgeConsumer(group, cli);
  addGoal(group, cli);
  addVoterRole(group, cli);
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
    const { kind } = await withStore(cli, (store) => addGuild(moderatorOf(cli, store), { guildId, name }));
    if (kind === 'being_removed')
      throw new CommandFailure(
        `guild ${guildId} is still being removed; finish that with: votary guild remove ${guildId}`,
      );
    if (kind === 'already_listed')
      throw new CommandFailure(`guild ${guildId} is already listed; nothing was changed`);
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
    const guild = await withStore(cli, (store) => requireGuild(store, guildId));
    report(cli, describe(guild), formatTable(showRows(guild)));
  });
}

function addRename(group: Command, cli: Cli): void {
  const name = new Argument('<name>', 'display name').argParser((text: string) =>
    parsePlainText(text, GUILD_NAME_MAX_LENGTH),
  );
  const command = group
    .command('rename')
    .description('change the display name')
    .addArgument(guildIdArgument())
    .addArgument(name);
  addExamples(command, ['guild rename 123456789012345678 "Our Community"']);
  command.action(async (guildId: string, newName: string) => {
    await changeGuild(cli, guildId, (moderator) => renameGuild(moderator, guildId, newName));
    report(cli, { guild_id: guildId, name: newName }, `Guild ${guildId} is now called "${newName}".`);
  });
}

function addUnlist(group: Command, cli: Cli): void {
  const command = group
    .command('unlist')
    .description('hide a guild from the public listing; its links, dashboard and API work as before')
    .addArgument(guildIdArgument());
  addExamples(command, ['guild unlist 123456789012345678']);
  command.action(async (guildId: string) => {
    await changeGuild(cli, guildId, (moderator) => setGuildListed(moderator, guildId, false));
    const text = `Guild ${guildId} is no longer in the listing. Restore it with: votary guild relist ${guildId}`;
    report(cli, { guild_id: guildId, listed: false }, text);
  });
}

function addRelist(group: Command, cli: Cli): void {
  const command = group
    .command('relist')
    .description('show an unlisted guild in the public listing again')
    .addArgument(guildIdArgument());
  addExamples(command, ['guild relist 123456789012345678']);
  command.action(async (guildId: string) => {
    const { hiddenAt } = await changeGuild(cli, guildId, (moderator) =>
      setGuildListed(moderator, guildId, true),
    );
    const text =
      hiddenAt === null
        ? `Guild ${guildId} is in the listing again.`
        : `Guild ${guildId} is allowed in the listing again, but its own admins have unlisted it in the dashboard.`;
    report(cli, { guild_id: guildId, listed: hiddenAt === null }, text);
  });
}

function addRateLimit(group: Command, cli: Cli): void {
  const limit = new Argument('<requests>', `1 to ${MAX_GUILD_RATE_LIMIT}, or default`).argParser(
    parseRateLimit,
  );
  const command = group
    .command('rate-limit')
    .description('set how many requests per minute the key of a guild may send (default: VOTARY_RATE_LIMIT)')
    .addArgument(guildIdArgument())
    .addArgument(limit);
  addExamples(command, [
    'guild rate-limit 123456789012345678 300',
    'guild rate-limit 123456789012345678 default',
  ]);
  command.action(async (guildId: string, requests: number | 'default') => {
    const rateLimit = requests === 'default' ? null : requests;
    await changeGuild(cli, guildId, (moderator) => setGuildRateLimit(moderator, guildId, rateLimit));
    const allowed =
      rateLimit === null ? 'the default rate limit' : `${countOf(rateLimit, 'request')} per minute`;
    report(cli, { guild_id: guildId, rate_limit: rateLimit }, `Guild ${guildId} has ${allowed}.`);
  });
}

function parseRateLimit(text: string): number | 'default' {
  if (text === 'default') return text;
  const limit = Number(text);
  if (/^[0-9]{1,6}$/.test(text) && limit >= 1 && limit <= MAX_GUILD_RATE_LIMIT) return limit;
  throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_GUILD_RATE_LIMIT}, or default.`);
}

function addRemove(group: Command, cli: Cli): void {
  const command = group
    .command('remove')
    .description('delete a guild with its key and all its votes')
    .addArgument(guildIdArgument())
    .option('--yes', 'do not ask for confirmation if the guild has votes');
  addExamples(command, [
    'votes export 123456789012345678 > backup.ndjson',
    'guild remove 123456789012345678',
    'guild remove 123456789012345678 --yes',
  ]);
  command.action(async (guildId: string, { yes = false }: { yes?: boolean }) => {
    await withStore(cli, async (store) => {
      // The votes of a guild whose removal was interrupted do not need another confirmation.
      const isListed = (await store.guilds.find(guildId)) !== undefined;
      const votes =
        isListed && !yes ? await store.votes.count({ guildId, userId: null, period: ALL_TIME }) : 0;
      if (votes > 0)
        await confirm(cli, `Guild ${guildId} has ${countOf(votes, 'vote')}, which would be deleted.`);
      const counter = startCounter(cli, 'rows deleted');
      const { kind } = await removeGuild(moderatorOf(cli, store), guildId, { onProgress: counter.set });
      if (kind === 'unknown_guild') throw notListed(guildId);
      counter.stop();
    });
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
    premium_until: formatInstantOrNull(guild.premiumUntil),
    sanctioned: guild.sanction !== null,
    sanction_reason: guild.sanction?.reason ?? null,
    listed: guild.unlistedAt === null && guild.hiddenAt === null,
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

function listingText({ unlistedAt, hiddenAt }: Guild): string {
  if (unlistedAt !== null) return `no, since ${formatInstant(unlistedAt)}`;
  return hiddenAt === null ? 'yes' : `no, unlisted by its admins since ${formatInstant(hiddenAt)}`;
}

function premiumText(guild: Guild): string {
  return formatInstantOrNull(guild.premiumUntil) ?? '-';
}

function sanctionText(guild: Guild): string {
  if (!guild.sanction) return 'no';
  return guild.sanction.reason === null ? 'yes' : `yes: ${guild.sanction.reason}`;
}
