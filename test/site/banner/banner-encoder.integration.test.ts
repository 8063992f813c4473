import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { readImageHeader } from '../../../src/domain/image-header.ts';
import {
  BannerError,
  createBannerEncoder,
  MAX_UPLOAD_BYTES,
} from '../../../src/site/banner/banner-encoder.ts';
import { readOrientation } from '../../../src/site/banner/orientation.ts';
import { keepPixelChunks } from '../../../src/site/banner/png-chunks.ts';
import {
  animatedWebp,
  chunk,
  JPEG,
  jpegWithSecondFrame,
  lyingWebp,
  png,
  pngWithSecondSize,
  WEBP,
} from '../../support/pictures.ts';

const { PhotonImage } = createRequire(import.meta.url)('@silvia-odwyer/photon-node');
const STUCK = new URL('./stuck-worker.ts', import.meta.url);
const SCRIPT = '<script>alert(1)</script>';

const encoder = createBannerEncoder();
const faultOf = (upload: Buffer) =>
  encoder.encode(upload).then(
    () => 'accepted',
    (error: unknown) => error instanceof BannerError && error.fault,
  );

test('PNG, JPEG and WebP pictures of any shape become JPEG files of one size', async () => {
  for (const picture of [png(40, 40), png(1, 1), png(2000, 1), JPEG, WEBP]) {
    const banner = await encoder.encode(picture);
    assert.deepEqual(readImageHeader(banner), { type: 'jpeg', width: 1200, height: 300 });
  }
});

test('nothing of a file but its pixels is kept', async () => {
  const hidden = chunk('tEXt', Buffer.from(`Comment\0${SCRIPT}`));
  const plain = png(40, 10);
  const polyglot = Buffer.concat([png(40, 10, { extras: [hidden] }), Buffer.from(`${SCRIPT}-after-the-end`)]);
  assert.deepEqual(await encoder.encode(polyglot), await encoder.encode(plain));
  const tag = Buffer.concat([Buffer.of(0xff, 0xfe, 0, SCRIPT.length + 2), Buffer.from(SCRIPT)]);
  const commented = Buffer.concat([JPEG.subarray(0, 2), tag, JPEG.subarray(2)]);
  const banner = await encoder.encode(commented);
  assert.deepEqual(banner, await encoder.encode(JPEG));
  assert.ok(!banner.includes('script'));
});

test('transparent parts are filled', async () => {
  const clear = await encoder.encode(png(40, 10, { color: [255, 255, 255, 0] }));
  assert.deepEqual(clear, await encoder.encode(png(40, 10, { color: [0x22, 0x24, 0x2f, 255] })));
});

test('files that are no pictures, or too large, are refused without decoding', async () => {
  assert.equal(await faultOf(Buffer.alloc(0)), 'no-file');
  assert.equal(await faultOf(Buffer.alloc(MAX_UPLOAD_BYTES + 1)), 'too-large');
  assert.equal(await faultOf(png(30_000, 30_000, { rows: 1 })), 'too-many-pixels');
  assert.equal(await faultOf(lyingWebp()), 'too-many-pixels');
  assert.equal(await faultOf(animatedWebp()), 'wrong-type');
  assert.equal(await faultOf(pngWithSecondSize(12_900)), 'wrong-type');
  assert.equal(await faultOf(jpegWithSecondFrame(12_000, 0xff)), 'too-many-pixels');
  assert.equal(await faultOf(jpegWithSecondFrame(12_000, 0x00)), 'wrong-type');
  for (const text of ['GIF89a', '<svg xmlns="http://www.w3.org/2000/svg"/>', `<!doctype html>${SCRIPT}`])
    assert.equal(await faultOf(Buffer.from(text.padEnd(100))), 'wrong-type', text);
});

test('a damaged picture is refused, and the next one is accepted', async () => {
  assert.equal(await faultOf(JPEG.subarray(0, 650)), 'unreadable');
  assert.equal(await faultOf(png(400, 400, { rows: 3 })), 'unreadable');
  assert.equal(await faultOf(WEBP.subarray(0, 60)), 'wrong-type');
  assert.equal(await faultOf(JPEG), 'accepted');
});

test('chunks that unpack to a thousand times their size are removed before decoding', () => {
  const profile = Buffer.concat([Buffer.from('x\0\0'), deflateSync(Buffer.alloc(1_000_000))]);
  const bomb = png(40, 10, { extras: [chunk('iCCP', profile)] });
  assert.deepEqual(keepPixelChunks(bomb), png(40, 10));
});

test('a picture that takes too long is given up, and a few can wait for it', async () => {
  const slow = createBannerEncoder({ timeLimitMs: 1, worker: STUCK });
  const results = await Promise.allSettled(Array.from({ length: 6 }, () => slow.encode(JPEG)));
  const faults = results.map((result) => result.status === 'rejected' && result.reason.fault);
  assert.deepEqual(faults, ['unreadable', 'unreadable', 'unreadable', 'unreadable', 'busy', 'busy']);
  const later = await slow.encode(JPEG).catch((error: BannerError) => error.fault);
  assert.equal(later, 'unreadable');
});

/** Red, green, blue and white, from the upper left corner on, in the order of reading. */
const CORNERS = ['R', 'G', 'B', 'W'];
const COLORS = { R: [255, 0, 0], G: [0, 255, 0], B: [0, 0, 255], W: [255, 255, 255] };

/** As JPEG, 8 x 2 pixels for each corner. */
function photo(corners: readonly string[], isSideways: boolean): Buffer {
  const [width, height] = isSideways ? [16, 64] : [64, 16];
  const pixels = Array.from({ length: width * height }, (_, i) => {
    const [right, below] = [i % width >= width / 2, i >= (width * height) / 2];
    const [, color] =
      Object.entries(COLORS).find(([name]) => name === corners[Number(right) + 2 * Number(below)]) ?? [];
    return [...(color ?? []), 255];
  });
  return Buffer.from(new PhotonImage(Uint8Array.from(pixels.flat()), width, height).get_bytes_jpeg(95));
}

function withExif(jpeg: Buffer, orientation: number, order: 'II' | 'MM'): Buffer {
  const tiff = order === 'II' ? '49492a0008000000' : '4d4d002a00000008';
  const entry = order === 'II' ? `0100120103000100000000000000` : `0001011200030000000100000000`;
  const exif = Buffer.concat([Buffer.from('Exif\0\0'), Buffer.from(tiff + entry, 'hex'), Buffer.alloc(4)]);
  if (order === 'II') exif.writeUInt16LE(orientation, 24);
  else exif.writeUInt16BE(orientation, 24);
  const segment = Buffer.concat([Buffer.of(0xff, 0xe1, 0, exif.length + 2), exif]);
  return Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]);
}

function cornersOf(jpeg: Buffer): string[] {
  const pixels = PhotonImage.new_from_byteslice(new Uint8Array(jpeg)).get_raw_pixels();
  return [
    [100, 30],
    [1100, 30],
    [100, 270],
    [1100, 270],
  ].map(([x = 0, y = 0]) => {
    const at = (y * 1200 + x) * 4;
    const isNear = (color: readonly number[]) =>
      color.every((value, i) => Math.abs(value - (pixels[at + i] ?? 0)) < 60);
    return Object.entries(COLORS).find(([, color]) => isNear(color))?.[0] ?? '?';
  });
}

test('a photo is turned upright, as browsers show it', async () => {
  // What a camera stores of CORNERS, by orientation.
  const stored = ['RGBW', 'GRWB', 'WBGR', 'BWRG', 'RBGW', 'GWRB', 'WGBR', 'BRWG'];
  for (const [i, corners] of stored.entries())
    for (const order of ['II', 'MM'] as const) {
      const upload = withExif(photo([...corners], i >= 4), i + 1, order);
      assert.deepEqual(cornersOf(await encoder.encode(upload)), CORNERS, `orientation ${i + 1}, ${order}`);
    }
});

test('invalid metadata changes nothing', async () => {
  const plain = photo(CORNERS, false);
  const banner = await encoder.encode(plain);
  for (const orientation of [0, 9, 65_535])
    assert.deepEqual(await encoder.encode(withExif(plain, orientation, 'MM')), banner);
  const valid = withExif(plain, 6, 'MM');
  for (let cut = 4; cut < 38; cut += 1) {
    const short = Buffer.from(valid);
    short.writeUInt16BE(cut, 4);
    assert.equal(readOrientation(short.subarray(0, cut + 4)), cut < 30 ? 1 : 6, `${cut}`);
  }
  const far = Buffer.from(valid);
  far.writeUInt32BE(0xffff_fff0, 16);
  assert.equal(readOrientation(far), 1);
});
