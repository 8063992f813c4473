import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { readImageHeader } from '../../../src/domain/image-header.ts';
import {
  BannerError,
  createBannerEncoder,
  MAX_UPLOAD_BYTES,
} from '../../../src/site/banner/banner-encoder.ts';
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
