import process from 'node:process';
import { CommanderError } from 'commander';
import { environment } from '../config.ts';
import { systemCode } from '../ops/system-error.ts';
import { failureLine } from './failure-line.ts';
import { buildProgram } from './program.ts';

const EXIT_DONE = 0;
const EXIT_FAILED = 1;
const EXIT_BAD_USAGE = 2;

/** Runs one command of this process and gives its exit code. Failures are told here, and only here. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  const { stdin, stdout, stderr } = process;
  stdout.on('error', ignoreClosedPipe);
  const program = buildProgram({ environment: environment(), clock: Date.now, stdin, stdout, stderr });
  try {
    await program.parseAsync(args, { from: 'user' });
    return EXIT_DONE;
  } catch (error) {
    // Commander has printed its own message, the help or the version already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_DONE : EXIT_BAD_USAGE;
    stderr.write(`votary: ${failureLine(error)}\n`);
    return EXIT_FAILED;
  }
}

/** A reader that has seen enough (`| head`) is no failure. */
function ignoreClosedPipe(error: Error): void {
  if (systemCode(error) !== 'EPIPE') throw error;
}
