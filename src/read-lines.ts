/** The lines of a file or of standard input, read as a stream. */
import { isUtf8 } from 'node:buffer';

/** The maximum length of a line. A vote takes a few hundred bytes. */
export const MAX_LINE_BYTES = 64 * 1024;

/** An invalid line. The message starts with the line number. */
export class BadLine extends Error {
  constructor(lineNumber: number, problem: string) {
    super(`line ${lineNumber}: ${problem}`);
    this.name = 'BadLine';
  }
}

const NEWLINE = 0x0a;
const REPLACEMENT = '\ufffd';
const BYTE_ORDER_MARK = '\ufeff';

/** A character of a string takes at most this many bytes. */
const MAX_CHARACTER_BYTES = 3;

/**
 * The lines of a stream, including blank ones so that they can be counted, as one list per chunk: an async
 * iteration per line would cost more than reading it.
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  let rest: Buffer = Buffer.alloc(0);
  let linesRead = 0;
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(NEWLINE);
    const lines = end === -1 ? [] : decodeLines(bytes.subarray(0, end), linesRead);
    linesRead += lines.length;
    rest = bytes.subarray(end + 1);
    if (rest.length > MAX_LINE_BYTES) throw tooLong(linesRead + 1);
    yield lines;
  }
  if (rest.length > 0) yield decodeLines(rest, linesRead);
}

/** The lines follow `linesBefore` others. They are decoded together, which takes half the time. */
function decodeLines(bytes: Buffer, linesBefore: number): string[] {
  const text = bytes.toString('utf8');
  // Decoding replaces invalid bytes with U+FFFD, but the text itself can contain that character too.
  if (text.includes(REPLACEMENT) && !isUtf8(bytes)) throw firstInvalid(bytes, linesBefore);
  const isStart = linesBefore === 0 && text.startsWith(BYTE_ORDER_MARK);
  const lines = (isStart ? text.slice(1) : text).split('\n');
  const tooLongAt = lines.findIndex(isTooLong);
  if (tooLongAt !== -1) throw tooLong(linesBefore + tooLongAt + 1);
  return text.includes('\r') ? lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)) : lines;
}

function isTooLong(line: string): boolean {
  return line.length > MAX_LINE_BYTES / MAX_CHARACTER_BYTES && Buffer.byteLength(line) > MAX_LINE_BYTES;
}

/** What is wrong with the first line that is too long or not UTF-8. There is one. */
function firstInvalid(bytes: Buffer, linesBefore: number): BadLine {
  let lineNumber = linesBefore + 1;
  let rest = bytes;
  for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
    if (end > MAX_LINE_BYTES || !isUtf8(rest.subarray(0, end))) break;
    rest = rest.subarray(end + 1);
    lineNumber += 1;
  }
  const end = rest.indexOf(NEWLINE);
  const length = end === -1 ? rest.length : end;
  return length > MAX_LINE_BYTES ? tooLong(lineNumber) : new BadLine(lineNumber, 'not valid UTF-8');
}

function tooLong(lineNumber: number): BadLine {
  return new BadLine(lineNumber, `longer than ${MAX_LINE_BYTES} bytes`);
}
