/** Operator commands against abuse: void and restore votes, ban voters. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { formatInstant, type Instant } from '../domain/clock.ts';
import type { Ban } from '../domain/votes/bans.ts';
import { VOTE_MARKS, type VoteMark } from '../domain/votes/marks.ts';
import type { Period } from '../domain/votes/period.ts';
import type { VoidSelection } from '../domain/votes/voids.ts';
import { VOTE_ID_PATTERN } from '../domain/votes/vote.ts';
import { banVoter, unbanVoter } from '../moderation/bans.ts';
import { type SelectionInput, selectVotes } from '../moderation/selection.ts';
import { restoreVotes, voidVotes } from '../moderation/voids.ts';
import type { Store } from '../store/store.ts';
import {
  addExamples,
  type Cli,
  CommandFailure,
  countOf,
  dateOption,
  formatTable,
  guildIdArgument,
  moderatorOf,
  parseSnowflake,
  readPeriod,
  reasonOption,
  report,
  requireGuild,
  userIdArgument,
  withStore,
} from './cli.ts';

type VoidOptions = {
  user?: string;
  externalId?: string;
  mark?: VoteMark;
  networkOf?: string;
  from?: Instant;
  to?: Instant;
  reason?: string;
  dryRun?: boolean;
};

export function addVoidCommand(group: Command, cli: Cli): void {
  const command = group
    .command('void')
    .description('remove votes from lists, totals, checks, claims and the feed; restore undoes it')
    .addArgument(guildIdArgument())
    .addOption(new Option('--user <user_id>', 'the votes of one user').argParser(parseSnowflake))
    .addOption(new Option('--external-id <name>', 'the votes under a name, compared exactly'))
    .addOption(new Option('--mark <mark>', 'the votes with a mark').choices(VOTE_MARKS))
    .addOption(networkOfOption())
    .addOption(dateOption('--from <date>', 'only votes from this time on, ISO 8601'))
    .addOption(dateOption('--to <date>', 'only votes before this time, ISO 8601'))
    .addOption(reasonOption())
    .addOption(new Option('--dry-run', 'count the votes without changing anything'));
  addExamples(command, [
    'votes void 123456789012345678 --user 234567890123456789 --reason "scripted account"',
    'votes void 123456789012345678 --network-of vote_0a1b2c3d4e5f60718293a4b5c6d7e8f9 --dry-run',
    'votes void 123456789012345678 --external-id Steve_42 --from 2026-01-01 --to 2026-02-01 --dry-run',
  ]);
  command.action(async (guildId: string, options: VoidOptions) => {
    const period = readPeriod(command, options);
    const given = [options.user, options.externalId, options.mark, options.networkOf];
    if (given.filter((value) => value !== undefined).length !== 1)
      command.error('error: give exactly one of --user, --external-id, --mark and --network-of');
    await withStore(cli, (store) => runVoid(cli, store, { guildId, period }, options));
  });
}

async function runVoid(
  cli: Cli,
  store: Store,
  { guildId, period }: { guildId: string; period: Period },
  options: VoidOptions,
): Promise<void> {
  await requireGuild(store, guildId);
  const { dryRun = false, reason = null } = options;
  const query = { guildId, selection: await selectionOf(store, guildId, options), period };
  if (dryRun) {
    const voided = await store.moderation.countVoidable(query);
    return report(cli, { batch: null, voided }, `${countOf(voided, 'vote')} would be voided.`);
  }
  const logged = { selection: describeSelection(options) };
  const outcome = await voidVotes(moderatorOf(cli, store), { ...query, reason, logged });
  const { batch, votes: voided } = outcome.kind === 'voided' ? outcome : { batch: null, votes: 0 };
  const undo = batch === null ? '' : ` Undo it with: votary votes restore ${batch}`;
  report(cli, { batch, voided }, `${countOf(voided, 'vote')} voided.${undo}`);
}

function networkOfOption(): Option {
  const text = 'the votes from the same network as this vote, while networks are kept (30 days)';
  return new Option('--network-of <vote_id>', text).argParser((value: string) => {
    if (VOTE_ID_PATTERN.test(value)) return value;
    throw new InvalidArgumentError('It must be a vote_id: vote_ followed by 32 hexadecimal digits.');
  });
}

async function selectionOf(store: Store, guildId: string, options: VoidOptions): Promise<VoidSelection> {
  const { networkOf = '' } = options;
  const outcome = await selectVotes(store, guildId, selectionInput(options));
  switch (outcome.kind) {
    case 'selected':
      return outcome.selection;
    case 'unknown_vote':
      throw new CommandFailure(`guild ${guildId} has no vote ${networkOf}`);
    case 'unknown_network':
      throw new CommandFailure(`the network of ${networkOf} is not known: it is kept for 30 days`);
  }
}

function selectionInput({ user, externalId, mark, networkOf = '' }: VoidOptions): SelectionInput {
  if (user !== undefined) return { kind: 'user', userId: user };
  if (externalId !== undefined) return { kind: 'name', externalId };
  return mark === undefined ? { kind: 'network', voteId: networkOf } : { kind: 'mark', mark };
}

/** The options as they were typed, for the operators' log. */
function describeSelection({ user, externalId, mark, networkOf }: VoidOptions): string {
  if (user !== undefined) return `--user ${user}`;
  if (externalId !== undefined) return `--external-id ${externalId}`;
  return mark === undefined ? `--network-of ${networkOf}` : `--mark ${mark}`;
}

export function addRestoreBatchCommand(group: Command, cli: Cli): void {
  const command = group
    .command('restore')
    .description('undo a void: its votes count again')
    .argument('<batch>', 'the batch that votes void printed');
  addExamples(command, ['votes restore void_5f0c2a9be1d47388']);
  command.action(async (batch: string) => {
    const outcome = await withStore(cli, (store) => restoreVotes(moderatorOf(cli, store), batch));
    if (outcome.kind === 'unknown') throw new CommandFailure(`there is no batch ${batch}`);
    const restored = outcome.kind === 'restored' ? outcome.votes : 0;
    const text =
      restored === 0 ? 'The batch has already been restored.' : `${countOf(restored, 'vote')} restored.`;
    report(cli, { batch, restored }, text);
  });
}

export function addVoterCommands(program: Command, cli: Cli): void {
  const group = program.command('voter').description('ban users from voting');
  addExamples(group, ['voter ban 234567890123456789 --until 2027-01-01', 'voter list']);
  addBan(group, cli);
  addUnban(group, cli);
  addList(group, cli);
}

function addBan(group: Command, cli: Cli): void {
  const command = group
    .command('ban')
    .description('ban a user from voting, immediately and for every guild; earlier votes stay')
    .addArgument(userIdArgument())
    .addOption(dateOption('--until <date>', 'when it ends, ISO 8601 (default: never)'))
    .addOption(reasonOption());
  addExamples(command, [
    'voter ban 234567890123456789 --reason "scripted account"',
    'voter ban 234567890123456789 --until 2027-01-01',
  ]);
  command.action(async (userId: string, options: { until?: Instant; reason?: string }) => {
    const { until = null, reason = null } = options;
    const outcome = await withStore(cli, (store) =>
      banVoter(moderatorOf(cli, store), { userId, until, reason }),
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
      until === null ? '-' : formatInstant(until),
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

function describeBan({ userId, since, until, reason }: Ban): Record<string, unknown> {
  const ends = until === null ? null : formatInstant(until);
  return { user_id: userId, banned: true, since: formatInstant(since), until: ends, reason };
}
