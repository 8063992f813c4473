/**
 * The orientation of a photo. Many phones store the pixels as the sensor has them, and in the metadata how the picture is
 * to be turned, as browsers and galleries do.
 *
 *   const orientation = readOrientation(jpeg);
 *   turnUpright({ pixels, width, height }, orientation);
 */

/** Names in Exif, from 1 (upright) to 8. From 5 on, width and height change places. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** `pixels` are RGBA. */
export type Raster = { pixels: Uint8Array; width: number; height: number };

export const isSideways = (orientation: Orientation): boolean => orientation >= 5;

const EXIF = 'Exif\0\0';
const APP1 = 0xe1;
const FILL = 0xff;
const ORIENTATION_TAG = 0x0112;
const SHORT = 3;
const ENTRY_BYTES = 12;

/** Of a JPEG file; 1 for every other file, and without valid metadata. */
export function readOrientation(file: Buffer): Orientation {
  if (file.length < 4 || file.readUInt16BE(0) !== 0xffd8) return 1;
  for (let at = 2; at + 4 <= file.length && file[at] === 0xff; ) {
    const marker = file[at + 1];
    if (marker === FILL) {
      at += 1;
      continue;
    }
    const length = file.readUInt16BE(at + 2);
    const segment = file.subarray(at + 4, at + 2 + length);
    if (marker === APP1 && segment.toString('latin1', 0, EXIF.length) === EXIF)
      return readTiff(segment.subarray(EXIF.length));
    // Metadata is in front of everything but other metadata.
    if (marker === undefined || marker < 0xe0 || marker > 0xef || length < 2) return 1;
    at += 2 + length;
  }
  return 1;
}

/** The first directory of the metadata. Offsets may point anywhere. */
function readTiff(tiff: Buffer): Orientation {
  if (tiff.length < 8) return 1;
  const order = tiff.toString('latin1', 0, 2);
  if (order !== 'II' && order !== 'MM') return 1;
  const short = (at: number) => (order === 'II' ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = order === 'II' ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (directory + 2 > tiff.length) return 1;
  const entries = short(directory);
  for (let entry = 0; entry < entries; entry += 1) {
    const at = directory + 2 + entry * ENTRY_BYTES;
    if (at + ENTRY_BYTES > tiff.length) return 1;
    if (short(at) === ORIENTATION_TAG && short(at + 2) === SHORT) return toOrientation(short(at + 8));
  }
  return 1;
}

const ORIENTATIONS: readonly Orientation[] = [1, 2, 3, 4, 5, 6, 7, 8];

function toOrientation(value: number): Orientation {
  return ORIENTATIONS.find((orientation) => orientation === value) ?? 1;
}

/** Where the pixel at (x, y) of the upright picture is in a stored one, whose last column and row are `right` and `bottom`. */
const SOURCES: Record<
  Orientation,
  (x: number, y: number, right: number, bottom: number) => [number, number]
> = {
  1: (x, y) => [x, y],
  2: (x, y, right) => [right - x, y],
  3: (x, y, right, bottom) => [right - x, bottom - y],
  4: (x, y, _right, bottom) => [x, bottom - y],
  5: (x, y) => [y, x],
  6: (x, y, _right, bottom) => [y, bottom - x],
  7: (x, y, right, bottom) => [right - y, bottom - x],
  8: (x, y, right) => [right - y, x],
};

export function turnUpright({ pixels, width, height }: Raster, orientation: Orientation): Raster {
  const [newWidth, newHeight] = isSideways(orientation) ? [height, width] : [width, height];
  const stored = new Uint32Array(pixels.buffer, pixels.byteOffset, width * height);
  const turned = new Uint32Array(width * height);
  const sourceOf = SOURCES[orientation];
  for (let y = 0; y < newHeight; y += 1) {
    for (let x = 0; x < newWidth; x += 1) {
      const [left, top] = sourceOf(x, y, width - 1, height - 1);
      turned[y * newWidth + x] = stored[top * width + left] ?? 0;
    }
  }
  return { pixels: new Uint8Array(turned.buffer), width: newWidth, height: newHeight };
}
