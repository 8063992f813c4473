import { Argument, type Command, InvalidArgumentError } from 'commander';
import { type Guild, isListed } from '../../domain/guild.ts';
import { ALL_TIME } from '../../domain/votes/period.ts';
import {
  addGuild,
  GUILD_NAME_MAX_LENGTH,
  MAX_GUILD_RATE_LIMIT,
  parseGuildRateLimit,
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
  guildIdArgument,
  moderatorOf,
  nameOption,
  notListed,
  parsePlainText,
  report,
  withStore,
} from '../cli.ts';
import { startCounter } from '../progress.ts';
import { addListforgeConsumer, addPlayerNames } from './claims.ts';
import { addGoal } from './goal.ts';
import { addList, addShow } from './show.ts';
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
    const before = await changeGuild(cli, guildId, (moderator) => setGuildListed(moderator, guildId, true));
    const after = { ...before, unlistedAt: null };
    report(cli, { guild_id: guildId, listed: isListed(after) }, `Guild ${guildId} is ${relistedText(after)}`);
  });
}

function relistedText({ sanction, hiddenAt }: Guild): string {
  if (sanction !== null) return 'allowed in the listing again, but not while it is sanctioned.';
  if (hiddenAt === null) return 'in the listing again.';
  return 'allowed in the listing again, but its own admins have unlisted it in the dashboard.';
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
  const limit = parseGuildRateLimit(text);
  if (limit !== undefined) return limit;
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
