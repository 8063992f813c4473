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

/**
 * The lines of a stream, including blank ones so that they can be counted, as one list per chunk: an async
 * iteration per line would cost more than reading it.
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  let rest: Buffer = Buffer.alloc(0);
  let lineNumber = 0;
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    const lines: string[] = [];
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      lineNumber += 1;
      lines.push(decodeLine(bytes.subarray(start, end), lineNumber));
      start = end + 1;
    }
    rest = bytes.subarray(start);
    if (rest.length > MAX_LINE_BYTES) throw tooLong(lineNumber + 1);
    yield lines;
  }
  if (rest.length > 0) yield [decodeLine(rest, lineNumber + 1)];
}

function decodeLine(bytes: Buffer, lineNumber: number): string {
  if (bytes.length > MAX_LINE_BYTES) throw tooLong(lineNumber);
  const text = bytes.toString('utf8');
  // Decoding replaces invalid bytes with U+FFFD, but the text itself can contain that character too.
  if (text.includes(REPLACEMENT) && !isUtf8(bytes)) throw new BadLine(lineNumber, 'not valid UTF-8');
  const line = text.endsWith('\r') ? text.slice(0, -1) : text;
  return lineNumber === 1 && line.startsWith(BYTE_ORDER_MARK) ? line.slice(1) : line;
}

function tooLong(lineNumber: number): BadLine {
  return new BadLine(lineNumber, `longer than ${MAX_LINE_BYTES} bytes`);
}
