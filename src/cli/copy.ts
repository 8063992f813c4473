import type { Command } from 'commander';
import { ConfigError, readSecretText } from '../config/variables.ts';
import { type Config, type DatabaseUrl, readConfig, readDatabaseUrl } from '../config.ts';
import { secretFile } from '../secrets/master-secret.ts';
import type { Copied, CopyMode, CopyStep } from '../store/maintenance/copy.ts';
import { copyDatabase } from '../store/open.ts';
import { addExamples, type Cli, countOf, report } from './cli.ts';
import { startSteps } from './progress.ts';

type CopyCommandOptions = {
  to?: string;
  toEnv?: string;
  resume?: boolean;
  startOver?: boolean;
  live?: boolean;
};

export function addCopyCommand(program: Command, cli: Cli): void {
  const command = program
    .command('copy')
    .description('copy everything into another, empty database: SQLite or PostgreSQL')
    .option('--to <url>', 'the empty database: sqlite:PATH or postgres://…')
    .option(
      '--to-env <name>',
      'variable with that URL, or with _FILE its file, to keep a password off the command line',
    )
    .option('--resume', 'continue a copy that was interrupted')
    .option('--start-over', 'delete what an interrupted copy has written, and begin again')
    .option('--live', 'copy the present state while a service runs; what it writes later is not copied');
  addExamples(command, [
    'copy --to postgres://votary@db.example.org/votary',
    'copy --to sqlite:/srv/votary/votary.db --resume',
  ]);
  command.action(async (options: CopyCommandOptions) => {
    const mode = modeOf(command, options);
    const config = readConfig(cli.environment, options.toEnv === undefined ? {} : { ignored: options.toEnv });
    await copy(cli, config, readTarget(cli, command, options), mode, options.live === true);
  });
}

function modeOf(command: Command, { resume, startOver }: CopyCommandOptions): CopyMode {
  if (resume && startOver) command.error('error: give --resume or --start-over, not both');
  if (resume) return 'resume';
  return startOver ? 'start-over' : 'new';
}

function readTarget(cli: Cli, command: Command, { to, toEnv }: CopyCommandOptions): DatabaseUrl {
  if ((to === undefined) === (toEnv === undefined))
    command.error('error: name the empty database with --to <url> or --to-env <name>');
  const url = to ?? readSecretText(cli.environment, toEnv ?? '');
  if (!url) command.error(`error: the variable ${toEnv} is not set`);
  try {
    return readDatabaseUrl(url);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return command.error(`error: --to ${error.message.slice(error.variable.length + 1)}`);
  }
}

const STEPS: Record<CopyStep, string> = {
  copy: 'Copying rows',
  compare: 'Comparing rows',
  rebuild: 'Creating indexes',
  recheck: 'Reading the source again',
};

async function copy(
  cli: Cli,
  config: Config,
  target: DatabaseUrl,
  mode: CopyMode,
  isLive: boolean,
): Promise<void> {
  const steps = startSteps(cli);
  const copied = await copyDatabase(config.database, target, {
    mode,
    isLive,
    now: cli.clock,
    onStart: (step, total) => steps.begin(STEPS[step], total),
    onProgress: steps.add,
  }).finally(steps.stop);
  reportCopy(cli, config, target, copied);
}

function reportCopy(cli: Cli, config: Config, target: DatabaseUrl, { tables, changed }: Copied): void {
  const rowsOf = (table: string) => tables.find(({ name }) => name === table)?.rows ?? 0;
  const [guilds, votes] = [rowsOf('guilds'), rowsOf('votes')];
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const text = [
    `Copied ${countOf(guilds, 'guild')}, ${countOf(votes, 'vote')} and everything else: ${countOf(rows, 'row')} in ${tables.length} tables, compared by checksum.`,
    changed.length === 0
      ? `Start the service with VOTARY_DATABASE_URL set to the new database${secretAdvice(config, target)}.`
      : `The service has written to the source since (${changed.join(', ')}), which is not in the copy: do not switch to it.`,
  ];
  const document = {
    rows,
    guilds,
    votes,
    tables: tables.map(({ name, rows, checksum }) => ({ name, rows, sha256: checksum })),
    changed,
  };
  report(cli, document, text.join('\n'));
}

/** The sealed texts of the copy belong to the same master secret. */
function secretAdvice({ secret, dataDir }: Config, target: DatabaseUrl): string {
  if (secret !== null) return ' and the same VOTARY_SECRET';
  const file = secretFile(dataDir);
  return target.kind === 'sqlite'
    ? ` and the same VOTARY_DATA_DIR, which contains the master secret`
    : ` and VOTARY_SECRET_FILE set to ${file}, the master secret`;
}
