import { type Command, InvalidArgumentError, Option } from 'commander';
import { formatInstant } from '../../domain/clock.ts';
import {
  isVoterRoleId,
  MAX_ROLE_AMOUNT,
  parseRoleAmount,
  type RoleProblem,
  type VoterRole,
} from '../../domain/votes/voter-role.ts';
import { setGuildVoterRole } from '../../moderation/guilds.ts';
import type { VoterRoleSetting } from '../../store/guilds/voter-roles.ts';
import {
  addExamples,
  type Cli,
  changeGuild,
  countOf,
  guildIdArgument,
  parseSnowflake,
  report,
  requireGuild,
  withStore,
} from '../cli.ts';

type RoleOptions = { role?: string; hours?: number; times?: number; off?: true };

const PROBLEMS = {
  missing_permission:
    'The app lacks the permission "Manage Roles", or its role is not above the voter role: change that in Server Settings, Roles.',
  not_in_server: 'The app is not in the Discord server: add it with the link of `votary discord status`.',
  unknown_role: 'The role does not exist in the Discord server.',
  rejected: 'Discord refuses it; the log of the service says why.',
} satisfies Record<RoleProblem, string>;

export function addVoterRole(group: Command, cli: Cli): void {
  const role = new Option('--role <id>', 'the id of the role in Discord').argParser(parseSnowflake);
  const range = `1 to ${MAX_ROLE_AMOUNT}`;
  const hours = new Option('--hours <n>', `for members who voted in the last hours, ${range}`);
  const times = new Option('--times <n>', `for members who voted so many times this month, ${range}`);
  const command = group
    .command('voter-role')
    .description('show or set the role that the Discord app gives to members who vote')
    .addArgument(guildIdArgument())
    .addOption(role)
    .addOption(hours.argParser(parseAmount))
    .addOption(times.argParser(parseAmount))
    .option('--off', 'remove the role from all members who have it for voting');
  addExamples(command, [
    'guild voter-role 123456789012345678',
    'guild voter-role 123456789012345678 --role 234567890123456789 --hours 12',
    'guild voter-role 123456789012345678 --role 234567890123456789 --times 20',
    'guild voter-role 123456789012345678 --off',
  ]);
  command.action(async (guildId: string, options: RoleOptions) => {
    const wanted = readRole(command, guildId, options);
    if (wanted !== undefined)
      await changeGuild(cli, guildId, (moderator) => setGuildVoterRole(moderator, guildId, wanted));
    const setting = await withStore(cli, async (store) => {
      await requireGuild(store, guildId);
      return store.voterRoles.find(guildId);
    });
    report(
      cli,
      { guild_id: guildId, voter_role: setting && documentOf(setting) },
      describe(guildId, setting),
    );
  });
}

/** `undefined`: it is only shown. */
function readRole(command: Command, guildId: string, options: RoleOptions): VoterRole | null | undefined {
  const { role: roleId, hours, times, off } = options;
  if (roleId === undefined && hours === undefined && times === undefined) return off ? null : undefined;
  const amount = hours ?? times;
  if (off || roleId === undefined || amount === undefined || (hours !== undefined && times !== undefined))
    return command.error('error: give --role with either --hours or --times, or --off alone');
  if (!isVoterRoleId(roleId, guildId)) return command.error('error: every member has this role');
  return { roleId, rule: hours === undefined ? 'month' : 'recent', amount };
}

function documentOf({ roleId, rule, amount, problem }: VoterRoleSetting) {
  return {
    role_id: roleId,
    rule,
    ...(rule === 'recent' ? { hours: amount } : { times: amount }),
    problem: problem && { code: problem.kind, since: formatInstant(problem.since) },
  };
}

function describe(guildId: string, setting: VoterRoleSetting | null): string {
  if (!setting) return `Guild ${guildId} has no voter role.`;
  const { roleId, rule, amount, problem } = setting;
  const who =
    rule === 'recent'
      ? `members who voted in the last ${countOf(amount, 'hour')}`
      : `members with at least ${countOf(amount, 'vote')} this month`;
  const line = `Guild ${guildId} has the voter role ${roleId} for ${who}.`;
  return problem ? `${line}\nProblem since ${formatInstant(problem.since)}: ${PROBLEMS[problem.kind]}` : line;
}

function parseAmount(text: string): number {
  const amount = parseRoleAmount(text);
  if (amount !== undefined) return amount;
  throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_ROLE_AMOUNT}.`);
}
