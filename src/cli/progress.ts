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
export function startProgress(cli: ProgressCli, sizeBytes: number | null): Progress {
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

/** Progress of work whose end is unknown: on a terminal, one line that is overwritten. */
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

const DRAW_EVERY_MS = SECOND_MS / 10;
/** Moves to the start of the line and clears it. Everything else on the terminal is left alone, so Ctrl+C breaks nothing. */
const CLEAR_LINE = '\r\x1b[K';

function showBar({ stderr, clock }: ProgressCli, sizeBytes: number | null): Progress {
  const startedAt = clock();
  let [bytesRead, votesRead, drawnAt] = [0, 0, Number.NEGATIVE_INFINITY];
  const draw = () => {
    drawnAt = clock();
    const votes = votesRead.toLocaleString('en');
    const text =
      sizeBytes === null
        ? `${votes} votes read`
        : barOf(bytesRead / sizeBytes, `${votes} votes`, drawnAt - startedAt);
    stderr.write(CLEAR_LINE + text);
  };
  const drawSometimes = () => {
    if (clock() - drawnAt >= DRAW_EVERY_MS) draw();
  };
  return {
    bytes: (count) => {
      bytesRead += count;
      drawSometimes();
    },
    votes: (total) => {
      votesRead = total;
      drawSometimes();
    },
    stop: () => {
      draw();
      stderr.write(CLEAR_LINE);
    },
  };
}

const BAR_WIDTH = 30;

/** `share`: from 0 to 1; more if the file grows while it is read, not a number if it is empty. */
function barOf(share: number, label: string, elapsedMs: number): string {
  const done = Number.isNaN(share) ? 1 : Math.min(share, 1);
  const width = Math.round(done * BAR_WIDTH);
  const left = done > 0 ? formatSeconds((elapsedMs * (1 - done)) / done / SECOND_MS) : '?';
  const bar = '='.repeat(width) + '-'.repeat(BAR_WIDTH - width);
  return `[${bar}] ${Math.floor(done * 100)}% | ${label} | ${left} left`;
}

export type Steps = {
  /** Begins a step. `total` is 0 if its size is unknown. */
  begin: (label: string, total: number) => void;
  add: (count: number) => void;
  stop: () => void;
};

/** Progress of work in several steps: a bar for each on a terminal, elsewhere a line when one begins and then some. */
export function startSteps({ stderr, wantsJson, clock }: ProgressCli): Steps {
  if (wantsJson()) return { begin: () => {}, add: () => {}, stop: () => {} };
  const isTerminal = stderr.isTTY === true;
  let [label, total, done, startedAt, writtenAt] = ['', 0, 0, 0, 0];
  const write = () => {
    writtenAt = clock();
    if (isTerminal) {
      const bar = total > 0 ? barOf(done / total, label, writtenAt - startedAt) : label;
      return stderr.write(CLEAR_LINE + bar);
    }
    const share = total > 0 && done > 0 ? ` (${Math.floor((done / total) * 100)}%)` : '';
    return stderr.write(`${label}${share}\n`);
  };
  return {
    begin: (newLabel, newTotal) => {
      [label, total, done, startedAt] = [newLabel, newTotal, 0, clock()];
      write();
    },
    add: (count) => {
      done += count;
      if (clock() - writtenAt >= (isTerminal ? DRAW_EVERY_MS : LINE_EVERY_MS)) write();
    },
    stop: () => {
      if (isTerminal) stderr.write(CLEAR_LINE);
    },
  };
}

/** `8s`, `3m20s`, `2h05m` */
function formatSeconds(seconds: number): string {
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
  const padded = (value: number) => String(value).padStart(2, '0');
  if (hours > 0) return `${hours}h${padded(minutes % 60)}m`;
  return minutes > 0 ? `${minutes}m${padded(Math.floor(seconds) % 60)}s` : `${Math.ceil(seconds)}s`;
}
