import type { Command } from 'commander';
import { formatInstant, formatInstantOrNull, type Instant } from '../domain/clock.ts';
import type { Ban } from '../domain/votes/bans.ts';
import { banVoter, unbanVoter } from '../moderation/bans.ts';
import type { Store } from '../store/store.ts';
import {
  addExamples,
  type Cli,
  CommandFailure,
  dateOption,
  formatTable,
  moderatorOf,
  reasonOption,
  report,
  userIdArgument,
  withStore,
} from './cli.ts';

export function addVoterCommands(program: Command, cli: Cli): void {
  const group = program.command('voter').description('ban users from voting');
  addExamples(group, ['voter ban 234567890123456789 --until 2027-01-01', 'voter list']);
  addBan(group, cli);
  addUnban(group, cli);
  addList(group, cli);
}

type BanOptions = { until?: Instant; reason?: string; publicReason?: string };

function addBan(group: Command, cli: Cli): void {
  const command = group
    .command('ban')
    .description('ban a user from voting, immediately and for every guild; earlier votes stay')
    .addArgument(userIdArgument())
    .addOption(dateOption('--until <date>', 'when it ends, ISO 8601 (default: never)'))
    .addOption(reasonOption())
    .addOption(reasonOption('--public-reason <text>', 'why, shown to the user on voting pages'));
  addExamples(command, [
    'voter ban 234567890123456789 --reason "scripted account"',
    'voter ban 234567890123456789 --until 2027-01-01',
  ]);
  command.action(async (userId: string, options: BanOptions) => {
    const { until = null, reason = null, publicReason = null } = options;
    const outcome = await withStore(cli, (store) =>
      banVoter(moderatorOf(cli, store), { userId, until, reason, publicReason }),
    );
    if (outcome.kind === 'already_over') return command.error("error: '--until' must be in the future");
    const end = until === null ? '' : ` until ${formatInstant(until)}`;
    const text = `User ${userId} cannot vote${end}. Lift the ban with: votary voter unban ${userId}`;
    report(cli, describeBan(outcome.ban), text);
  });
}

function addUnban(group: Command, cli: Cli): void {
  const command = group.command('unban').description('lift a ban immediately').addArgument(userIdArgument());
  addExamples(command, ['voter unban 234567890123456789']);
  command.action(async (userId: string) => {
    const { kind } = await withStore(cli, (store) => unbanVoter(moderatorOf(cli, store), userId));
    if (kind === 'not_banned') throw new CommandFailure(`user ${userId} is not banned`);
    report(cli, { user_id: userId, banned: false }, `User ${userId} can vote again.`);
  });
}

const BANS_AT_ONCE = 1000;

function addList(group: Command, cli: Cli): void {
  const command = group.command('list').description('show the active bans');
  addExamples(command, ['voter list', 'voter list --json']);
  command.action(async () => {
    const bans = await withStore(cli, (store) => allBans(store, cli.clock()));
    const rows = bans.map(({ userId, since, until, reason }) => [
      userId,
      formatInstant(since),
      formatInstantOrNull(until) ?? '-',
      reason ?? '-',
    ]);
    const table = formatTable([['USER', 'SINCE', 'UNTIL', 'REASON'], ...rows]);
    report(cli, bans.map(describeBan), bans.length === 0 ? 'Nobody is banned.' : table);
  });
}

async function allBans(store: Store, now: Instant): Promise<Ban[]> {
  const bans: Ban[] = [];
  for (;;) {
    const page = await store.moderation.bans(now, bans.at(-1)?.userId ?? '', BANS_AT_ONCE);
    bans.push(...page);
    if (page.length < BANS_AT_ONCE) return bans;
  }
}

function describeBan({ userId, since, until, reason, publicReason }: Ban): Record<string, unknown> {
  return {
    ...{ user_id: userId, banned: true, since: formatInstant(since), until: formatInstantOrNull(until) },
    ...{ reason, public_reason: publicReason },
  };
}
