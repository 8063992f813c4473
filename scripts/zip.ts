/** Writes zip archives, which jars and Python wheels are. The same files always give the same bytes, so that checksums can be compared. */
import { crc32, deflateRawSync } from 'node:zlib';

export type ZipEntry = { name: string; body: Buffer };

/** 1 January 1980, the first day that the format can express. */
const DAY = (1 << 5) | 1;
const VERSION = 20;
/** Names are UTF-8. */
const FLAGS = 0x0800;
const DEFLATE = 8;
/** -rw-r--r--, in the format of Unix. */
const FILE_MODE = 0o100644 << 16;
const CREATOR_UNIX = 3 << 8;

export function zip(entries: readonly ZipEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, body } of entries) {
    const bytes = Buffer.from(name);
    const packed = deflateRawSync(body, { level: 9 });
    const common = commonFields(bytes, body, packed);
    const local = Buffer.concat([uint32(0x04034b50), common, bytes, packed]);
    directory.push(
      Buffer.concat([
        uint32(0x02014b50),
        uint16(CREATOR_UNIX | VERSION),
        common,
        // Comment length, disk number and internal attributes.
        Buffer.alloc(6),
        uint32(FILE_MODE),
        uint32(offset),
        bytes,
      ]),
    );
    files.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.concat([
    uint32(0x06054b50),
    Buffer.alloc(4),
    uint16(entries.length),
    uint16(entries.length),
    uint32(listed.length),
    uint32(offset),
    uint16(0),
  ]);
  return Buffer.concat([...files, listed, end]);
}

/** What the header of a file and its entry in the directory have in common; the last field is the length of extra fields. */
function commonFields(name: Buffer, body: Buffer, packed: Buffer): Buffer {
  return Buffer.concat([
    uint16(VERSION),
    uint16(FLAGS),
    uint16(DEFLATE),
    uint16(0),
    uint16(DAY),
    uint32(crc32(body)),
    uint32(packed.length),
    uint32(body.length),
    uint16(name.length),
    uint16(0),
  ]);
}

function uint16(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeUInt16LE(value);
  return buffer;
}

function uint32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value >>> 0);
  return buffer;
}
