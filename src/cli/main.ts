import process from 'node:process';
import { CommanderError } from 'commander';
import { ConfigError, ENV_FILE_OPTION } from '../config/variables.ts';
import { environment } from '../config.ts';
import { systemCode } from '../secrets/master-secret.ts';
import type { CliContext } from './cli.ts';
import { buildProgram } from './program.ts';

const EXIT_DONE = 0;
const EXIT_FAILED = 1;
const EXIT_BAD_USAGE = 2;

/** Runs one command and returns its exit code. All failures are reported here. */
export async function runCommandLine(
  args: readonly string[],
  context: CliContext = processContext(),
): Promise<number> {
  context.stdout.on('error', ignoreClosedPipe);
  try {
    await buildProgram(context).parseAsync(args, { from: 'user' });
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

/** A reader that closes the pipe (`| head`) is not a failure. */
function ignoreClosedPipe(error: Error): void {
  if (systemCode(error) !== 'EPIPE') throw error;
}

/** The error as one line, without a stack trace. */
function failureLine(error: unknown): string {
  return messageOf(error)
    .replace(/\s*\n\s*/g, ' ')
    .trim();
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Some network errors only have a code.
  return error.message || systemCode(error) || error.name;
}
