/**
 * Writes log lines without ever blocking the process. Lines wait in a buffer of limited size; when the disk is full
 * or the pipe is not read, further lines are dropped and counted.
 *
 *   const output = openLogOutput(process.stdout);
 *   const logger = pino(options, output);
 *   output.onRecovery((dropped) => logger.warn({ dropped }, 'log lines were dropped'));
 */
import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';
import { systemCode } from '../domain/system-error.ts';

/** Where the text is written; `done` without an error means that all of it was. */
export type LogSink = {
  write(text: string, done: (error?: Error | null) => void): void;
  /** For process exit: writes as much as possible synchronously. */
  writeNow(text: string): void;
};

export type LogOutputOptions = { maxPendingBytes?: number };

const MAX_PENDING_BYTES = 1024 * 1024;
const RETRY_MS = 100;
/**
 * Between two writes: each costs about as much as formatting ten lines, so a busy process makes fewer, larger writes.
 */
const PAUSE_MS = 10;
const FLUSH_CHECK_MS = 20;
const STDOUT = 1;

export class LogOutput implements DestinationStream {
  readonly #sink: LogSink;
  readonly #maxPendingBytes: number;
  #pending = '';
  #pendingLines = 0;
  /** During a write and the pause after it. */
  #isBusy = false;
  #dropped = 0;
  #reported = 0;
  #onRecovery: (dropped: number) => void = () => {};

  constructor(sink: LogSink, { maxPendingBytes = MAX_PENDING_BYTES }: LogOutputOptions = {}) {
    this.#sink = sink;
    this.#maxPendingBytes = maxPendingBytes;
  }

  /** Lines dropped since the process started. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Calls `listener` with the number of dropped lines once lines can be written again. */
  onRecovery(listener: (dropped: number) => void): void {
    this.#onRecovery = listener;
  }

  /** Written at the end of the tick, or, soon after another write, with all lines until then. */
  write(line: string): void {
    if (this.#pending.length + line.length > this.#maxPendingBytes) {
      this.#dropped += 1;
      return;
    }
    if (this.#pending === '' && !this.#isBusy) setImmediate(() => this.#writePending());
    this.#pending += line;
    this.#pendingLines += 1;
  }

  /** Waits until everything is written, at most `timeLimitMs`. Returns false if lines are left. */
  async flush(timeLimitMs: number): Promise<boolean> {
    const end = performance.now() + timeLimitMs;
    while (this.#pending !== '' || this.#isBusy) {
      if (performance.now() >= end) return false;
      await new Promise((resolve) => setTimeout(resolve, FLUSH_CHECK_MS));
    }
    return true;
  }

  flushAtExit(): void {
    if (this.#pending !== '') this.#sink.writeNow(this.#pending);
    this.#pending = '';
  }

  #writePending(): void {
    const [text, lines] = [this.#pending, this.#pendingLines];
    if (text === '' || this.#isBusy) return;
    this.#pending = '';
    this.#pendingLines = 0;
    this.#isBusy = true;
    this.#sink.write(text, (error) => {
      if (error) this.#dropped += lines;
      else this.#reportDropped();
      setTimeout(() => this.#endPause(), PAUSE_MS).unref();
    });
  }

  #endPause(): void {
    this.#isBusy = false;
    this.#writePending();
  }

  #reportDropped(): void {
    const lost = this.#dropped - this.#reported;
    if (lost === 0) return;
    this.#reported = this.#dropped;
    this.#onRecovery(lost);
  }
}

/** Standard output: a pipe or socket is written by Node, which never blocks on it; everything else as a file. */
export function openLogOutput(stdout: NodeJS.WritableStream): LogOutput {
  const output = new LogOutput(chooseSink(stdout));
  process.prependListener('exit', () => output.flushAtExit());
  return output;
}

function chooseSink(stdout: NodeJS.WritableStream): LogSink {
  const stats = fstatSync(STDOUT);
  if (stats.isFIFO() || stats.isSocket()) return streamSink(stdout);
  return fileSink(stats.isCharacterDevice() ? reopenWithoutBlocking(STDOUT) : STDOUT);
}

export function streamSink(stream: NodeJS.WritableStream): LogSink {
  // Failed writes are reported to `done`; without a listener they would also end the process.
  stream.on('error', () => {});
  return {
    write: (text, done) => void stream.write(text, done),
    writeNow: (text) => void stream.write(text),
  };
}

/** A terminal paused with Ctrl+S blocks writers unless it was opened like this. */
function reopenWithoutBlocking(fd: number): number {
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return fd;
  }
}

export function fileSink(fd: number): LogSink {
  let isMidLine = false;
  const writeAll = (bytes: Buffer, done: (error?: Error | null) => void): void => {
    write(fd, bytes, 0, bytes.length, null, (error, written) => {
      if (error && systemCode(error) === 'EAGAIN') {
        setTimeout(() => writeAll(bytes, done), RETRY_MS).unref();
      } else if (error) {
        done(error);
      } else if (written < bytes.length) {
        isMidLine = true;
        writeAll(bytes.subarray(written), done);
      } else {
        isMidLine = false;
        done();
      }
    });
  };
  return {
    // Ends a line that was cut off by a full disk before the next one.
    write: (text, done) => writeAll(Buffer.from(isMidLine ? `\n${text}` : text), done),
    writeNow: (text) => {
      try {
        let bytes = Buffer.from(text);
        while (bytes.length > 0) bytes = bytes.subarray(writeSync(fd, bytes));
      } catch {
        // Nothing more can be done.
      }
    },
  };
}
