import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  GOAL_PERIODS,
  type Goal,
  type GoalPeriod,
  type GoalProgress,
  MAX_GOAL_VOTES,
  parseGoalTarget,
  progressDocument,
} from '../../domain/votes/goal.ts';
import { setGuildGoal } from '../../moderation/guilds.ts';
import {
  addExamples,
  type Cli,
  changeGuild,
  countOf,
  guildIdArgument,
  report,
  requireGuild,
  withStore,
} from '../cli.ts';

type GoalOptions = { every?: GoalPeriod; votes?: number; off?: true };

export function addGoal(group: Command, cli: Cli): void {
  const every = new Option('--every <period>', 'when votes are counted from zero again').choices(
    GOAL_PERIODS,
  );
  const votes = new Option('--votes <n>', `how many votes, 1 to ${MAX_GOAL_VOTES}`).argParser(parseVotes);
  const command = group
    .command('goal')
    .description('show or set a goal of votes per day, week or month, or of a vote party every so many votes')
    .addArgument(guildIdArgument())
    .addOption(every)
    .addOption(votes)
    .option('--off', 'remove the goal');
  addExamples(command, [
    'guild goal 123456789012345678',
    'guild goal 123456789012345678 --every day --votes 100',
    'guild goal 123456789012345678 --every party --votes 50',
    'guild goal 123456789012345678 --off',
  ]);
  command.action(async (guildId: string, options: GoalOptions) => {
    const goal = readGoal(command, options);
    if (goal !== undefined)
      await changeGuild(cli, guildId, (moderator) => setGuildGoal(moderator, guildId, goal));
    const progress = await withStore(cli, async (store) => {
      await requireGuild(store, guildId);
      return store.goals.progress(guildId, cli.clock());
    });
    const document = { guild_id: guildId, goal: progress && progressDocument(progress) };
    report(cli, document, `Guild ${guildId} has ${progress ? describe(progress) : 'no goal'}.`);
  });
}

/** `undefined`: it is only shown. */
function readGoal(command: Command, { every, votes, off }: GoalOptions): Goal | null | undefined {
  if (every !== undefined && votes !== undefined && !off) return { period: every, target: votes };
  if (every !== undefined || votes !== undefined)
    return command.error('error: give --every and --votes together, or --off alone');
  return off ? null : undefined;
}

function describe({ period, target, votes }: GoalProgress): string {
  const goal = countOf(target, 'vote');
  const text = period === 'party' ? `a vote party every ${goal}` : `a goal of ${goal} per ${period}`;
  return `${text}; ${countOf(votes, 'vote')} so far`;
}

function parseVotes(text: string): number {
  const votes = parseGoalTarget(text);
  if (votes !== undefined) return votes;
  throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_GOAL_VOTES}.`);
}
