import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Argument, type Command } from 'commander';
import { isSnowflake } from '../domain/identifiers.ts';
import { systemReason } from '../domain/system-error.ts';
import type { ErasureOptions } from '../store/personal-data/erasure.ts';
import type { Store } from '../store/store.ts';
import { type EraseOutcome, eraseUser } from '../users/erase.ts';
import { exportUser } from '../users/export.ts';
import {
  addExamples,
  type Cli,
  CommandFailure,
  confirm,
  countOf,
  ignoreClosedPipe,
  parseSnowflake,
  report,
  userIdArgument,
  withStore,
} from './cli.ts';
import { startCounter } from './progress.ts';

export function addUserCommands(program: Command, cli: Cli): void {
  const group = program.command('user').description('export or erase what is stored about a person');
  addExamples(group, ['user export 234567890123456789 > user.json', 'user erase 234567890123456789']);
  addExport(group, cli);
  addErase(group, cli);
}

function addExport(group: Command, cli: Cli): void {
  const command = group
    .command('export')
    .description('write everything that is stored about a user, as one JSON object')
    .addArgument(userIdArgument());
  addExamples(command, ['user export 234567890123456789 > user.json']);
  command.action(async (userId: string) => {
    await withStore(cli, async (store) => {
      const chunks = await exportUser(store, userId, cli.clock());
      if (!chunks) throw nothingStored(userId);
      await pipeline(Readable.from(chunks), cli.stdout, { end: false }).catch(ignoreClosedPipe);
    });
  });
}

type EraseOptions = { yes?: boolean; from?: string };

function addErase(group: Command, cli: Cli): void {
  const command = group
    .command('erase')
    .description('delete what is stored about a user; their votes still count, under a random id')
    .addArgument(
      new Argument('[user_id]', 'id of the user, 15 to 20 digits; or use --from').argParser(parseSnowflake),
    )
    .option('--from <file>', 'erase all users of a file, one id per line, or - for standard input')
    .option('--yes', 'do not ask for confirmation');
  addExamples(command, [
    'user erase 234567890123456789',
    'user erase 234567890123456789 --yes',
    'user erase --from erased.txt --yes',
  ]);
  command.addHelpText('after', AFTER_A_RESTORE);
  command.action(async (userId: string | undefined, { yes = false, from }: EraseOptions) => {
    if ((userId === undefined) === (from === undefined))
      return command.error("error: give either a user id or '--from <file>'");
    if (from !== undefined) return eraseAll(cli, await readIds(cli, from), yes);
    if (userId !== undefined) await eraseOne(cli, userId, yes);
  });
}

const AFTER_A_RESTORE = `
The database does not remember who was erased. To repeat erasures after restoring a backup, keep the ids in a file
of your own for as long as you keep backups, and run: votary user erase --from FILE --yes`;

const CONSEQUENCES =
  'Names, external ids, reminders, sessions and log entries are deleted, and votes become anonymous. This cannot be undone.';

async function eraseOne(cli: Cli, userId: string, yes: boolean): Promise<void> {
  await withStore(cli, async (store) => {
    if (!(await store.personalData.isKnown(userId))) throw nothingStored(userId);
    if (!yes) await confirm(cli, `User ${userId} would be erased. ${CONSEQUENCES}`);
    const counter = startCounter(cli, 'votes made anonymous');
    const outcome = await eraseFrom(cli, store, userId, { onProgress: counter.set });
    counter.stop();
    if (outcome.kind === 'unknown_user') throw nothingStored(userId);
    const { votes, guilds } = outcome;
    const text = `User ${userId} is erased. ${countOf(votes, 'vote')} for ${countOf(guilds, 'guild')} stayed, under random ids.`;
    report(cli, { user_id: userId, erased: true, votes, guilds }, text);
  });
}

async function eraseAll(cli: Cli, userIds: readonly string[], yes: boolean): Promise<void> {
  if (!yes) await confirm(cli, `${countOf(userIds.length, 'user')} would be erased. ${CONSEQUENCES}`);
  const outcomes = await withStore(cli, async (store) => {
    const counter = startCounter(cli, 'users erased');
    const done: EraseOutcome[] = [];
    for (const userId of userIds) {
      done.push(await eraseFrom(cli, store, userId));
      counter.set(done.length);
    }
    counter.stop();
    return done;
  });
  const erased = outcomes.filter(({ kind }) => kind === 'erased').length;
  const unknown = outcomes.length - erased;
  const text = `${countOf(erased, 'user')} erased; nothing was stored about ${unknown} others.`;
  report(cli, { erased, unknown }, text);
}

/** The log shows no actor for the command line. */
function eraseFrom(
  { clock }: Cli,
  store: Store,
  userId: string,
  options?: ErasureOptions,
): Promise<EraseOutcome> {
  return eraseUser({ store, clock, actor: null }, userId, options);
}

/** Every line is checked before anybody is erased. Empty lines and those that start with # are ignored. */
async function readIds(cli: Cli, file: string): Promise<string[]> {
  const input = file === '-' ? cli.stdin : createReadStream(file);
  const ids = new Set<string>();
  let line = 0;
  try {
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      line += 1;
      const id = text.trim();
      if (id === '' || id.startsWith('#')) continue;
      if (!isSnowflake(id))
        throw new CommandFailure(
          `line ${line} of ${file} is not an id of 15 to 20 digits; nobody was erased`,
        );
      ids.add(id);
    }
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`cannot read ${file}: ${systemReason(error)}; nobody was erased`);
  }
  return [...ids];
}

function nothingStored(userId: string): CommandFailure {
  return new CommandFailure(`nothing is stored about user ${userId}`);
}
