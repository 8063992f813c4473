/**
 * A PNG file with nothing but its pixels. Other chunks can contain compressed data that is a thousand times larger than
 * the file, which decoders unpack even if they do not need it.
 */
const PIXEL_CHUNKS = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);
const SIGNATURE_BYTES = 8;
/** Length, kind and checksum. */
const CHUNK_OVERHEAD = 12;

/** Chunks that follow each other are copied together: a file can have half a million of them. */
export function keepPixelChunks(png: Buffer): Buffer {
  const kept: Buffer[] = [];
  let [from, at] = [0, SIGNATURE_BYTES];
  while (at + CHUNK_OVERHEAD <= png.length) {
    const end = at + CHUNK_OVERHEAD + png.readUInt32BE(at);
    if (!PIXEL_CHUNKS.has(png.toString('latin1', at + 4, at + 8))) {
      kept.push(png.subarray(from, at));
      from = end;
    }
    at = end;
  }
  kept.push(png.subarray(from, at));
  return Buffer.concat(kept);
}
