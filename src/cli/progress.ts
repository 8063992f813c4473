/** How far a long command is. */
import { SECOND_MS } from '../domain/clock.ts';
import type { Cli } from './cli.ts';

type ProgressCli = Pick<Cli, 'stderr' | 'wantsJson' | 'clock'>;

export type Progress = {
  /** Adds to the number of bytes read. */
  bytes: (count: number) => void;
  /** Sets the total number of votes read. */
  votes: (total: number) => void;
  stop: () => void;
};

const NO_PROGRESS: Progress = { bytes: () => {}, votes: () => {}, stop: () => {} };

/**
 * On a terminal, a progress bar on stderr if the size is known, otherwise a counter; elsewhere, such as in the log of a
 * job, a line every few seconds. Nothing with `--json`.
 */
export async function startProgress(cli: ProgressCli, sizeBytes: number | null): Promise<Progress> {
  if (cli.wantsJson()) return NO_PROGRESS;
  return cli.stderr.isTTY ? showBar(cli, sizeBytes) : writeLines(cli, sizeBytes);
}

const LINE_EVERY_MS = 10 * SECOND_MS;

function writeLines({ stderr, clock }: ProgressCli, sizeBytes: number | null): Progress {
  let bytesRead = 0;
  let writtenAt = clock();
  return {
    ...NO_PROGRESS,
    bytes: (count) => {
      bytesRead += count;
    },
    votes: (total) => {
      if (clock() - writtenAt < LINE_EVERY_MS) return;
      writtenAt = clock();
      const share = sizeBytes === null ? '' : ` (${Math.floor((bytesRead / sizeBytes) * 100)}%)`;
      stderr.write(`${total.toLocaleString('en')} votes read${share}\n`);
    },
  };
}

export type Counter = { set: (total: number) => void; stop: () => void };

/** The same for work whose end is unknown: on a terminal one line that is overwritten. */
export function startCounter({ stderr, wantsJson, clock }: ProgressCli, label: string): Counter {
  if (wantsJson()) return { set: () => {}, stop: () => {} };
  const lineOf = (total: number) => `${total.toLocaleString('en')} ${label}`;
  if (stderr.isTTY) {
    return { set: (total) => stderr.write(`\r${lineOf(total)}`), stop: () => stderr.write('\n') };
  }
  let writtenAt = clock();
  return {
    set: (total) => {
      if (clock() - writtenAt < LINE_EVERY_MS) return;
      writtenAt = clock();
      stderr.write(`${lineOf(total)}\n`);
    },
    stop: () => {},
  };
}

async function showBar(cli: ProgressCli, sizeBytes: number | null): Promise<Progress> {
  const { default: cliProgress } = await import('cli-progress');
  const bar = new cliProgress.SingleBar({
    stream: cli.stderr,
    format:
      sizeBytes === null
        ? '{votes} votes read'
        : '[{bar}] {percentage}% | {votes} votes | {eta_formatted} left',
    // Left unchanged, so that Ctrl+C never leaves a broken terminal.
    hideCursor: false,
    linewrap: true,
    clearOnComplete: true,
  });
  bar.start(sizeBytes ?? 0, 0, { votes: 0 });
  return {
    bytes: (count) => bar.increment(count),
    votes: (total) => bar.update({ votes: total.toLocaleString('en') }),
    stop: () => bar.stop(),
  };
}
