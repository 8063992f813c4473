/** Writes tar archives, which npm packages are. The same files always give the same bytes, so that checksums can be compared. */
import type { ZipEntry } from './zip.ts';

const BLOCK = 512;
/** 26 October 1985, the time that npm gives to all files of a package. */
const SECONDS = 499_162_500;
const FILE_MODE = 0o644;
const MAX_NAME = 100;

export function tar(entries: readonly ZipEntry[]): Buffer {
  const blocks = entries.flatMap(({ name, body }) => [header(name, body.length), body, padding(body.length)]);
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

function header(name: string, size: number): Buffer {
  if (Buffer.byteLength(name) > MAX_NAME) throw new Error(`the name is too long for a tar archive: ${name}`);
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0);
  block.write(octal(FILE_MODE, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(size, 11), 124);
  block.write(octal(SECONDS, 11), 136);
  // The checksum is computed with spaces in its place.
  block.write(' '.repeat(8), 148);
  block.write('0', 156);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148);
  return block;
}

function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}
