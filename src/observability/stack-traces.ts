/**
 * In the package, the program is one file. Its stack traces show the lines of the sources: `src/cli/main.ts:120:9`. Node
 * could do that too, but it would read the source maps of all packages when they are loaded, and keep 27 MB for ours.
 */
import { existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The file that `npm run build` writes. There is none in a clone. */
const BUNDLE = fileURLToPath(new URL('../votary.cjs', import.meta.url));

const MAX_REMEMBERED = 1000;

/** Call this when the service has started: packages read the stack of their own errors while they are loaded. */
export function mapStackTraces(bundle = BUNDLE): void {
  if (!existsSync(`${bundle}.map`)) return;
  // Kept open: an upgrade may replace the file. It is read for an error, and not kept.
  const file = openSync(`${bundle}.map`, 'r');
  const known = new Map<string, string>();

  function locationOf(line: number, column: number): string {
    const position = `${bundle}:${line}:${column}`;
    const found = known.get(position) ?? findSource(readMap(file), line - 1, column - 1) ?? position;
    if (known.size < MAX_REMEMBERED) known.set(position, found);
    return found;
  }

  function describe(frame: NodeJS.CallSite): string {
    const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()];
    if (frame.getFileName() !== bundle || line === null || column === null) return String(frame);
    return String(frame).replace(`${bundle}:${line}:${column}`, () => locationOf(line, column));
  }

  Error.prepareStackTrace = (error, frames) =>
    [Error.prototype.toString.call(error), ...frames.map(describe)].join('\n    at ');
}

type SourceMap = { sources: string[]; mappings: string };

function readMap(file: number): SourceMap {
  const bytes = Buffer.alloc(fstatSync(file).size);
  readSync(file, bytes, 0, bytes.length, 0);
  return JSON.parse(bytes.toString('utf8'));
}

/** The position in a source, from a position in the bundle that counts from zero. */
function findSource({ sources, mappings }: SourceMap, line: number, column: number): string | undefined {
  let found: string | undefined;
  let [source, originalLine, originalColumn] = [0, 0, 0];
  for (const [at, segments] of mappings
    .split(';')
    .slice(0, line + 1)
    .entries()) {
    let start = 0;
    for (const segment of segments === '' ? [] : segments.split(',')) {
      const [columns = 0, sourceStep = 0, lineStep = 0, columnStep = 0] = decode(segment);
      start += columns;
      source += sourceStep;
      originalLine += lineStep;
      originalColumn += columnStep;
      if (at < line) continue;
      if (start > column) return found;
      found = `${sources[source]}:${originalLine + 1}:${originalColumn + 1}`;
    }
  }
  return found;
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const CONTINUES = 32;

/** Numbers in base 32, the lowest digit first; the lowest bit of a number is its sign. */
function decode(segment: string): number[] {
  const numbers: number[] = [];
  let [value, scale] = [0, 1];
  for (const character of segment) {
    const digit = DIGITS.indexOf(character);
    value += (digit % CONTINUES) * scale;
    scale *= CONTINUES;
    if (digit >= CONTINUES) continue;
    numbers.push(value % 2 === 1 ? -(value - 1) / 2 : value / 2);
    [value, scale] = [0, 1];
  }
  return numbers;
}
