/**
 * The format and size of a PNG, JPEG or WebP file, read from its header without decoding it, so that an image can be
 * rejected before it takes memory and time.
 */
export type ImageType = 'png' | 'jpeg' | 'webp';
export type ImageHeader = { type: ImageType; width: number; height: number; isAnimated?: true };

/** `undefined` for other formats, and for a file that is cut off. Only WebP is recognized as animated. */
export function readImageHeader(file: Buffer): ImageHeader | undefined {
  return readPng(file) ?? readJpeg(file) ?? readWebp(file);
}

/** The signature, and the first chunk with its length: decoders read the size from this chunk only. */
const PNG_START = '\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR';

function readPng(file: Buffer): ImageHeader | undefined {
  const isPng = file.length >= 24 && file.toString('latin1', 0, PNG_START.length) === PNG_START;
  return isPng ? withSize('png', file.readUInt32BE(16), file.readUInt32BE(20)) : undefined;
}

/** Start of a frame. C4, C8 and CC between them are tables. */
const FRAMES = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf]);

/** Tables, application data such as a thumbnail, and comments. */
function isBeforeFrame(marker: number): boolean {
  return [0xc4, 0xdb, 0xdd, 0xfe].includes(marker) || (marker >= 0xe0 && marker <= 0xef);
}

/**
 * Segments before the frame are skipped by their length. Other markers have none, or decoders disagree about them: a
 * file could show a small frame here and a huge one to the decoder.
 */
function readJpeg(file: Buffer): ImageHeader | undefined {
  if (file.length < 4 || file.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 <= file.length && file[at] === 0xff; ) {
    const marker = file[at + 1] ?? 0;
    const length = file.readUInt16BE(at + 2);
    if (FRAMES.has(marker)) return withSize('jpeg', file.readUInt16BE(at + 7), file.readUInt16BE(at + 5));
    // Any number of FF bytes may be in front of a marker.
    if (marker === 0xff) at += 1;
    else if (isBeforeFrame(marker) && length >= 2) at += 2 + length;
    else return undefined;
  }
  return undefined;
}

/** Two chunks can contain a size. A decoder may use either, so the larger one counts. */
function readWebp(file: Buffer): ImageHeader | undefined {
  const isWebp = file.length >= 30 && file.toString('latin1', 0, 4) === 'RIFF';
  if (!isWebp || file.toString('latin1', 8, 12) !== 'WEBP' || file.readUInt32LE(4) + 8 > file.length)
    return undefined;
  let [width, height, hasImage, isAnimated] = [0, 0, false, false];
  for (let at = 12; at + 18 <= file.length; ) {
    const kind = file.toString('latin1', at, at + 4);
    isAnimated ||= kind === 'ANIM' || kind === 'ANMF';
    const size = chunkSize(kind, file, at + 8);
    hasImage ||= size !== undefined && kind !== 'VP8X';
    width = Math.max(width, size?.width ?? 0);
    height = Math.max(height, size?.height ?? 0);
    const length = file.readUInt32LE(at + 4);
    at += 8 + length + (length % 2);
  }
  const header = hasImage || isAnimated ? withSize('webp', width, height) : undefined;
  return header && isAnimated ? { ...header, isAnimated } : header;
}

function chunkSize(kind: string, file: Buffer, at: number): { width: number; height: number } | undefined {
  if (kind === 'VP8X')
    return { width: file.readUIntLE(at + 4, 3) + 1, height: file.readUIntLE(at + 7, 3) + 1 };
  if (kind === 'VP8 ')
    return { width: file.readUInt16LE(at + 6) & 0x3fff, height: file.readUInt16LE(at + 8) & 0x3fff };
  if (kind !== 'VP8L') return undefined;
  const bits = file.readUInt32LE(at + 1);
  return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
}

function withSize(type: ImageType, width: number, height: number): ImageHeader | undefined {
  return width > 0 && height > 0 ? { type, width, height } : undefined;
}
