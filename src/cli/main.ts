import process from 'node:process';
import { Command, CommanderError } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { ConfigError, ENV_FILE_OPTION, withEnvFile } from '../config/variables.ts';
import { environment } from '../config.ts';
import { systemCode } from '../domain/system-error.ts';
import { addExamples, type Cli, type CliContext, ignoreClosedPipe } from './cli.ts';
import { commandsFor } from './commands.ts';

const EXIT_DONE = 0;
const EXIT_FAILED = 1;
const EXIT_BAD_USAGE = 2;

/** Runs one command and returns its exit code. All failures are reported here. */
export async function runCommandLine(
  args: readonly string[],
  given: Partial<CliContext> = {},
): Promise<number> {
  const context = { ...processContext(), ...given };
  context.stdout.on('error', ignoreClosedPipe);
  try {
    await (await buildProgram(args, context)).parseAsync(args, { from: 'user' });
    return EXIT_DONE;
  } catch (error) {
    // Commander has already printed its message, the help or the version.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_DONE : EXIT_BAD_USAGE;
    context.stderr.write(`votary: ${failureLine(error)}\n`);
    const isBadArgument = error instanceof ConfigError && error.variable === ENV_FILE_OPTION;
    return isBadArgument ? EXIT_BAD_USAGE : EXIT_FAILED;
  }
}

function processContext(): CliContext {
  const { stdin, stdout, stderr } = process;
  return { environment: environment(), clock: Date.now, stdin, stdout, stderr };
}

/** The error as one line, without a stack trace. */
function failureLine(error: unknown): string {
  const lines = messageOf(error).split('\n');
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Some network errors only have a code.
  return error.message || systemCode(error) || error.name;
}

type GlobalOptions = { json?: boolean; envFile?: string };

/** The command line, with the commands that `args` can call. */
export async function buildProgram(args: readonly string[], context: CliContext): Promise<Command> {
  const program = new Command('votary');
  const cli: Cli = {
    ...context,
    wantsJson: () => program.opts<GlobalOptions>().json === true,
    envFile: () => program.opts<GlobalOptions>().envFile,
    ownEnvironment: context.environment,
    get environment() {
      const { envFile } = program.opts<GlobalOptions>();
      return envFile === undefined ? context.environment : withEnvFile(context.environment, envFile);
    },
  };
  configure(program, cli);
  for (const load of commandsFor(args)) (await load())(program, cli);
  return program;
}

/** Set before any command is added: commands inherit it. */
function configure(program: Command, { stdout, stderr }: Cli): void {
  program
    .description('Vote verification for server-listing sites.')
    .version(packageJson.version, '--version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .option('--json', 'print one JSON document instead of text')
    .option(
      `${ENV_FILE_OPTION} <file>`,
      'read variables from a file; variables that are already set take precedence',
    )
    .showHelpAfterError('Add --help to see the usage.')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
    })
    .exitOverride();
  addExamples(program, [
    'serve --demo',
    'guild add 123456789012345678 --name "My Community"',
    'key generate 123456789012345678',
  ]);
  program.addHelpText('after', '\nFrom a clone of the repository: npm run -s votary -- <command>');
  program.addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 wrong arguments.');
}
