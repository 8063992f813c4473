/** `votary votes void` and `votary votes restore`. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Instant } from '../domain/clock.ts';
import { VOTE_MARKS, type VoteMark } from '../domain/votes/marks.ts';
import type { Period } from '../domain/votes/period.ts';
import type { VoidSelection } from '../domain/votes/voids.ts';
import { VOTE_ID_PATTERN } from '../domain/votes/vote.ts';
import { describeSelection, type SelectionInput, selectVotes } from '../moderation/selection.ts';
import { restoreVotes, voidVotes } from '../moderation/voids.ts';
import type { Store } from '../store/store.ts';
import {
  addExamples,
  type Cli,
  CommandFailure,
  countOf,
  dateOption,
  guildIdArgument,
  moderatorOf,
  parseSnowflake,
  readPeriod,
  reasonOption,
  report,
  requireGuild,
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
  const logged = { selection: describeSelection(selectionInput(options)) };
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
