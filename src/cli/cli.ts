import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import type { Readable } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import type { Environment } from '../config/variables.ts';
import { type Config, type ConfigOptions, readConfig } from '../config.ts';
import type { Clock, Instant } from '../domain/clock.ts';
import type { Guild } from '../domain/guild.ts';
import { isSnowflake } from '../domain/identifiers.ts';
import { systemCode } from '../domain/system-error.ts';
import { codePointLength, readPlainText } from '../domain/text/text.ts';
import { ALL_TIME, type Period, parseIsoDate } from '../domain/votes/period.ts';
import type { ReachRule } from '../domain/webhooks/destination.ts';
import { GUILD_NAME_MAX_LENGTH, type GuildOutcome } from '../moderation/guilds.ts';
import { type Moderator, REASON_MAX_LENGTH } from '../moderation/moderator.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';

type Output = NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY'>>;

/** Everything a command reads from and writes to, so tests can run one in-process. */
export type CliContext = Readonly<{
  environment: Environment;
  clock: Clock;
  stdin: Readable & { isTTY?: boolean };
  stdout: Output;
  stderr: Output;
  /** Where webhooks may be sent. Default: the public internet only; this machine is for `serve --demo`. */
  reach?: ReachRule;
  /** Stores the code that V8 compiled until now, for later starts. Default: that of packages only (bin/bundle.js). */
  storeCode?: () => void;
}>;

/** What was given on the command line is known once the arguments are parsed. */
export type Cli = CliContext &
  Readonly<{
    /** Whether `--json` was given. */
    wantsJson: () => boolean;
    /** The file of `--env-file`. Its variables are part of `environment`. */
    envFile: () => string | undefined;
    /** The variables of the process alone. */
    ownEnvironment: Environment;
  }>;

/** The command is valid but failed. Printed as one line; exit 1. */
export class CommandFailure extends Error {}

export function notListed(guildId: string): CommandFailure {
  return new CommandFailure(`guild ${guildId} is not listed; add it with: votary guild add ${guildId}`);
}

export async function requireGuild(store: Store, guildId: string): Promise<Guild> {
  const guild = await store.guilds.find(guildId);
  if (!guild) throw notListed(guildId);
  return guild;
}

/** A reader that closes the pipe early (`| head`) is not a failure. */
export function ignoreClosedPipe(error: unknown): void {
  if (systemCode(error) !== 'EPIPE') throw error;
}

export type StoreChoice = ConfigOptions & {
  /** For `serve`, whose first start creates the database. */
  mayCreate?: true;
};

/** Opens the store for one operation and always closes it. */
export async function withStore<T>(
  cli: Cli,
  work: (store: Store, config: Config) => Promise<T>,
  options: StoreChoice = {},
): Promise<T> {
  const config = readConfig(cli.environment, options);
  if (!options.mayCreate) refuseStrayDatabase(cli, config);
  const { poolSize } = config;
  const store = await openStore(config.database, { poolSize, timeLimitMs: null, preparesOnUse: true });
  try {
    return await work(store, config);
  } finally {
    await store.close();
  }
}

/**
 * A command with the file of the service means its database. If the file names none, the command would create one in the
 * current folder and work on that. Without `--env-file`, the default is created and named.
 */
export function refuseStrayDatabase(cli: Cli, { database }: Config): void {
  const {
    VOTARY_DATABASE_URL: url,
    VOTARY_DATABASE_URL_FILE: file,
    VOTARY_DATA_DIR: dataDir,
  } = cli.environment;
  if (url || file || dataDir || database.kind !== 'sqlite' || existsSync(database.path)) return;
  const envFile = cli.envFile();
  if (envFile === undefined) return void cli.stderr.write(`votary: creating the database ${database.path}\n`);
  throw new CommandFailure(
    `there is no database at ${database.path}, and ${envFile} names no other: set VOTARY_DATABASE_URL or VOTARY_DATA_DIR there to that of the service, or create this one with votary migrate`,
  );
}

/** Asks for confirmation on a terminal; otherwise `--yes` is required. */
export async function confirm({ stdin, stderr }: Cli, warning: string): Promise<void> {
  if (!stdin.isTTY) throw new CommandFailure(`${warning} Add --yes to confirm.`);
  const terminal = createInterface({ input: stdin, output: stderr });
  try {
    const answer = await terminal.question(`${warning} Continue? [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailure('nothing was changed');
  } finally {
    terminal.close();
  }
}

/** The result of a command: one JSON document, or a short text. */
export function report(cli: Cli, document: unknown, text: string): void {
  cli.stdout.write(`${cli.wantsJson() ? JSON.stringify(document) : text}\n`);
}

/** The command line, for src/moderation: the log shows no actor. */
export function moderatorOf(cli: Cli, store: Store): Moderator {
  return { store, clock: cli.clock, actor: null };
}

/** Changes a guild as src/moderation does. Returns the guild as it was before. */
export async function changeGuild(
  cli: Cli,
  guildId: string,
  change: (moderator: Moderator) => Promise<GuildOutcome>,
): Promise<Guild> {
  const outcome = await withStore(cli, (store) => change(moderatorOf(cli, store)));
  if (outcome.kind === 'unknown_guild') throw notListed(guildId);
  return outcome.guild;
}

export function guildIdArgument(): Argument {
  return new Argument('<guild_id>', 'id of the guild, 15 to 20 digits').argParser(parseSnowflake);
}

export function userIdArgument(): Argument {
  return new Argument('<user_id>', 'id of the user, 15 to 20 digits').argParser(parseSnowflake);
}

export function parseSnowflake(text: string): string {
  if (!isSnowflake(text)) throw new InvalidArgumentError('It must be 15 to 20 digits.');
  return text;
}

export function nameOption(): Option {
  return plainTextOption('--name <name>', 'display name (default: the guild id)', GUILD_NAME_MAX_LENGTH);
}

export function reasonOption(
  flags = '--reason <reason>',
  description = 'reason, for the operators of the site',
): Option {
  return plainTextOption(flags, description, REASON_MAX_LENGTH);
}

function plainTextOption(flags: string, description: string, maxLength: number): Option {
  return new Option(flags, description).argParser((value: string) => parsePlainText(value, maxLength));
}

export function parsePlainText(value: string, maxLength: number): string {
  const text = readPlainText(value, maxLength);
  if (text !== undefined) return text;
  throw new InvalidArgumentError(
    `It must have 1 to ${maxLength} characters, some of them visible, and no control characters.`,
  );
}

export function dateOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser(parseDate);
}

/** The period of `--from` and `--to`; all time without them. */
export function readPeriod(command: Command, { from, to }: { from?: Instant; to?: Instant }): Period {
  const period = { from: from ?? ALL_TIME.from, to: to ?? ALL_TIME.to };
  if (period.from >= period.to) command.error("error: '--from' must be earlier than '--to'");
  return period;
}

/** A required option. Past dates are valid too, for example for Premium that has ended. */
export function requiredDateOption(flags: string, description: string): Option {
  return new Option(flags, description).makeOptionMandatory().argParser(parseDate);
}

function parseDate(text: string): Instant {
  const instant = parseIsoDate(text);
  if (instant !== undefined) return instant;
  throw new InvalidArgumentError('It must be an ISO 8601 date such as 2027-01-31 or 2027-01-31T18:00:00Z.');
}

/** Adds examples to paste at the end of the help. */
export function addExamples(command: Command, examples: readonly string[]): void {
  const lines = examples.map((example) => `  $ votary ${example}`);
  command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}

/** "1 vote", "3 votes". */
export function countOf(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

const GAP = '  ';

/** Formats rows in columns as wide as their widest cell, without trailing spaces. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, codePointLength(cell));
    });
  }
  return rows.map((row) => formatRow(row, widths)).join('\n');
}

function formatRow(row: readonly string[], widths: readonly number[]): string {
  const cells = row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - codePointLength(cell)));
  return cells.join(GAP).trimEnd();
}
