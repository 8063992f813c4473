import cliProgress from 'cli-progress';
import type { Cli } from './cli.ts';

export type Progress = {
  /** So many bytes more were read. */
  bytes: (count: number) => void;
  /** So many votes were read in all. */
  votes: (total: number) => void;
  stop: () => void;
};

const NO_PROGRESS: Progress = { bytes: () => {}, votes: () => {}, stop: () => {} };

/** A bar is for a person who watches: not into a file or a log, and not beside a JSON document. */
export function isWatched(cli: Pick<Cli, 'stderr' | 'wantsJson'>): boolean {
  return cli.stderr.isTTY === true && !cli.wantsJson();
}

/** A bar on stderr where the size is known, else a counter; nothing where nobody watches. */
export function startProgress(cli: Pick<Cli, 'stderr' | 'wantsJson'>, sizeBytes: number | null): Progress {
  if (!isWatched(cli)) return NO_PROGRESS;
  const bar = new cliProgress.SingleBar({
    stream: cli.stderr,
    format:
      sizeBytes === null
        ? '{votes} votes read'
        : '[{bar}] {percentage}% | {votes} votes | {eta_formatted} left',
    // Left as they are, so that Ctrl+C at any moment leaves a sane terminal behind.
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
