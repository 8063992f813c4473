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

/** Where the lines are written; `done` without an error means that all of them were. */
export type LogSink = {
  /** The bytes do not change before `done` is called. */
  write(lines: Buffer, done: (error?: Error | null) => void): void;
  /** For process exit: writes as much as possible synchronously. */
  writeNow(lines: Buffer): void;
};

export type LogOutputOptions = { maxPendingBytes?: number };

const MAX_PENDING_BYTES = 1024 * 1024;
const RETRY_MS = 100;
/**
 * Between two writes: each costs about as much as formatting ten lines, so a busy process makes fewer, larger writes.
 */
const PAUSE_MS = 10;
const FLUSH_CHECK_MS = 20;
/**
 * Lines are encoded when there are this many characters, not all of them before a write: requests would wait for that,
 * and the garbage collector would copy all lines since the last write.
 */
const ENCODED_AT = 4096;
/** More than a busy process logs between two writes. */
const BUFFER_BYTES = 128 * 1024;
/** The most that UTF-8 needs for a UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;
const STDOUT = 1;

export class LogOutput implements DestinationStream {
  readonly #sink: LogSink;
  readonly #maxPendingBytes: number;
  /** Lines that are not encoded yet. They follow those in `#buffer`. */
  #text = '';
  #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  #bufferedBytes = 0;
  /** Not used while its lines are being written. */
  #otherBuffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
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

  /** Written at the end of the tick, or, soon after another write, with all lines until then. `text` is `count` lines. */
  write(text: string, count = 1): void {
    if (this.#bufferedBytes + this.#text.length + text.length > this.#maxPendingBytes) {
      this.#dropped += count;
      return;
    }
    if (this.#pendingLines === 0 && !this.#isBusy) setImmediate(() => this.#writePending());
    this.#text += text;
    this.#pendingLines += count;
    if (this.#text.length >= ENCODED_AT) this.#encode();
  }

  /** Waits until everything is written, at most `timeLimitMs`. Returns false if lines are left. */
  async flush(timeLimitMs: number): Promise<boolean> {
    const end = performance.now() + timeLimitMs;
    while (this.#pendingLines > 0 || this.#isBusy) {
      if (performance.now() >= end) return false;
      await new Promise((resolve) => setTimeout(resolve, FLUSH_CHECK_MS));
    }
    return true;
  }

  flushAtExit(): void {
    if (this.#pendingLines === 0) return;
    const lines = this.#takePending();
    // That of a write that has not ended. Other listeners of the exit may log more lines.
    this.#buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
    this.#sink.writeNow(lines);
  }

  #encode(): void {
    const needed = this.#bufferedBytes + MAX_BYTES_PER_UNIT * this.#text.length;
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(2 * needed);
      this.#buffer.copy(larger, 0, 0, this.#bufferedBytes);
      this.#buffer = larger;
    }
    this.#bufferedBytes += this.#buffer.write(this.#text, this.#bufferedBytes);
    this.#text = '';
  }

  /** All pending lines. They stay valid until the lines after them are taken. */
  #takePending(): Buffer {
    this.#encode();
    const lines = this.#buffer.subarray(0, this.#bufferedBytes);
    [this.#buffer, this.#otherBuffer] = [this.#otherBuffer, this.#buffer];
    // One that has grown because the output was stuck is not kept.
    if (this.#buffer.length > BUFFER_BYTES) this.#buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
    this.#bufferedBytes = 0;
    this.#pendingLines = 0;
    return lines;
  }

  #writePending(): void {
    const lines = this.#pendingLines;
    if (lines === 0 || this.#isBusy) return;
    this.#isBusy = true;
    this.#sink.write(this.#takePending(), (error) => {
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
    write: (lines, done) => void stream.write(lines, done),
    writeNow: (lines) => void stream.write(lines),
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

const NEWLINE = Buffer.from('\n');

export function fileSink(fd: number): LogSink {
  let isMidLine = false;
  const writeAll = (bytes: Buffer, done: (error?: Error | null) => void): void => {
    write(fd, bytes, 0, bytes.length, null, (error, written) => {
      if (error && systemCode(error) === 'EAGAIN') {
        setTimeout(() => writeAll(bytes, done), RETRY_MS).unref();
      } else if (error) {
        done(error);
      } else if (written < bytes.length) {
        isMidLine = bytes[written - 1] !== NEWLINE[0];
        writeAll(bytes.subarray(written), done);
      } else {
        isMidLine = false;
        done();
      }
    });
  };
  // Ends a line that was cut off by a full disk before the next one.
  const fromNewLine = (lines: Buffer) => (isMidLine ? Buffer.concat([NEWLINE, lines]) : lines);
  return {
    write: (lines, done) => writeAll(fromNewLine(lines), done),
    writeNow: (lines) => {
      try {
        let bytes = fromNewLine(lines);
        while (bytes.length > 0) bytes = bytes.subarray(writeSync(fd, bytes));
      } catch {
        // Nothing more can be done.
      }
    },
  };
}
