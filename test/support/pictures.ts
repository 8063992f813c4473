/** Small pictures, and hostile files that look like pictures. */
import { crc32, deflateSync } from 'node:zlib';

/** 64 x 16 pixels. */
export const JPEG = Buffer.from(
  '/9j/4AAQSkZJRgABAgAAAQABAAD/wAARCAAQAEADAREAAhEBAxEB/9sAQwANCQoLCggNCwoLDg4NDxMgFRMSEhMnHB4XIC4pMTAuKS0sMzpKPjM2RjcsLUBXQUZMTlJTUjI+WmFaUGBKUVJP/9sAQwEODg4TERMmFRUmTzUtNU9PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09P/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAECAxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIRAxEAPwDm0rlZ9pIsx1kzKRZSs2YyLCVkzGRZjrNmUizHWTMZFiOs2YyLMdZMxkcElfQM+okWY6yZlIspWbMZFhKyZjIsx1mzKRZjrJmMixHWbMZFmOsmYyP/2Q==',
  'base64',
);

/** 64 x 16 pixels. */
export const WEBP = Buffer.from(
  'UklGRmAAAABXRUJQVlA4IFQAAAAQBACdASpAABAAPu1wsVIppiS3KAgC4B2JYgGEAbCHDBqJni/gGcemAAD+6Z036cQZL/xMWNbVDhHB+7Jm8HfPKHxbsnCPn/9BNuRsAYeKmEVCAAA=',
  'base64',
);

export function chunk(kind: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(kind, 4, 'latin1');
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}

/** One color, red, green, blue and alpha; `extras` are further chunks. The pixels of a huge picture can be left out. */
export function png(
  width: number,
  height: number,
  { color = [200, 60, 40, 255], extras = [], rows = height }: PngOptions = {},
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6], 8);
  const row = Buffer.concat([Buffer.of(0), Buffer.alloc(width * 4, Buffer.from(color))]);
  const pixels = deflateSync(Buffer.alloc(row.length * rows, row));
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  const chunks = [chunk('IHDR', header), ...extras, chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...chunks]);
}

type PngOptions = { color?: readonly number[]; extras?: readonly Buffer[]; rows?: number };

/** An extended WebP file that says it is small, around a picture that says it is as large as possible. */
export function lyingWebp(): Buffer {
  const frame = Buffer.from(WEBP.subarray(12));
  frame.writeUInt16LE(0x3fff, 8 + 6);
  frame.writeUInt16LE(0x3fff, 8 + 8);
  const canvas = Buffer.alloc(18);
  canvas.write('VP8X', 0, 'latin1');
  canvas.writeUInt32LE(10, 4);
  canvas.writeUIntLE(63, 12, 3);
  canvas.writeUIntLE(15, 15, 3);
  const start = Buffer.from(WEBP.subarray(0, 12));
  start.writeUInt32LE(4 + canvas.length + frame.length, 4);
  return Buffer.concat([start, canvas, frame]);
}

/** The header of an animated WebP file, with one frame that is no picture. */
export function animatedWebp(): Buffer {
  const file = lyingWebp();
  file.write('ANMF', 30, 'latin1');
  return file;
}

/** A PNG file that has a small size where the one of other files is, and a large one in the chunk of the size. */
export function pngWithSecondSize(side: number): Buffer {
  const small = Buffer.alloc(8);
  small.writeUInt32BE(10, 0);
  small.writeUInt32BE(10, 4);
  const file = png(side, side, { rows: 1 });
  return Buffer.concat([file.subarray(0, 8), chunk('tEXt', small), file.subarray(8)]);
}

/**
 * A JPEG file with a marker before its frame, which is large. Who reads the bytes after this marker as the length of a
 * segment skips the frame, and finds a small one.
 */
export function jpegWithSecondFrame(side: number, marker: number): Buffer {
  const frameAt = 20;
  const start = Buffer.concat([JPEG.subarray(0, frameAt), Buffer.of(0xff, marker)]);
  const large = Buffer.from(JPEG.subarray(frameAt));
  large.writeUInt16BE(side, 5);
  large.writeUInt16BE(side, 7);
  const file = Buffer.concat([start, large.subarray(marker === 0xff ? 1 : 0)]);
  const skippedTo = frameAt + 2 + file.readUInt16BE(frameAt + 2);
  const padding = Buffer.alloc(skippedTo - file.length);
  return Buffer.concat([file, padding, JPEG.subarray(frameAt)]);
}
