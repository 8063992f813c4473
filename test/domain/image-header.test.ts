import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readImageHeader } from '../../src/domain/image-header.ts';
import {
  animatedWebp,
  JPEG,
  jpegWithSecondFrame,
  lyingWebp,
  png,
  pngWithSecondSize,
  WEBP,
} from '../support/pictures.ts';

test('the format and size are read from PNG, JPEG and WebP files', () => {
  assert.deepEqual(readImageHeader(png(30, 20)), { type: 'png', width: 30, height: 20 });
  assert.deepEqual(readImageHeader(JPEG), { type: 'jpeg', width: 64, height: 16 });
  assert.deepEqual(readImageHeader(WEBP), { type: 'webp', width: 64, height: 16 });
});

test('a thumbnail inside a JPEG file is not taken for the picture', () => {
  const thumbnail = Buffer.concat([Buffer.of(0xff, 0xe1, 0, 0), JPEG]);
  thumbnail.writeUInt16BE(thumbnail.length - 2, 2);
  const file = Buffer.concat([JPEG.subarray(0, 2), thumbnail, JPEG.subarray(2)]);
  file.writeUInt16BE(900, file.indexOf(Buffer.of(0xff, 0xc0), thumbnail.length) + 7);
  assert.deepEqual(readImageHeader(file), { type: 'jpeg', width: 900, height: 16 });
});

test('the larger size of a WebP file with two counts', () => {
  assert.deepEqual(readImageHeader(lyingWebp()), { type: 'webp', width: 0x3fff, height: 0x3fff });
});

test('an animated WebP file is recognized', () => {
  const header = { type: 'webp', width: 64, height: 16, isAnimated: true };
  assert.deepEqual(readImageHeader(animatedWebp()), header);
});

test('the size of a PNG file is read only from the chunk that decoders read', () => {
  assert.equal(readImageHeader(pngWithSecondSize(12_900)), undefined);
});

test('the size of a JPEG file is read from the frame that decoders read', () => {
  const filled = Buffer.concat([JPEG.subarray(0, 20), Buffer.of(0xff, 0xff), JPEG.subarray(20)]);
  assert.deepEqual(readImageHeader(filled), { type: 'jpeg', width: 64, height: 16 });
  const large = { type: 'jpeg', width: 12_000, height: 12_000 };
  assert.deepEqual(readImageHeader(jpegWithSecondFrame(12_000, 0xff)), large);
  for (const marker of [0x00, 0x01, 0x02, 0xd0, 0xd8, 0xd9, 0xda])
    assert.equal(readImageHeader(jpegWithSecondFrame(12_000, marker)), undefined, String(marker));
});

test('other files have no header', () => {
  const files = ['', 'GIF89a', '<svg xmlns="http://www.w3.org/2000/svg"/>', '<!doctype html><p>', 'RIFF'];
  for (const file of files) assert.equal(readImageHeader(Buffer.from(file.padEnd(40))), undefined, file);
  assert.equal(readImageHeader(WEBP.subarray(0, -1)), undefined);
});

test('reading any bytes ends, and throws nothing', () => {
  const starts = [png(1, 1), JPEG, WEBP, lyingWebp()];
  fc.assert(
    fc.property(
      fc.constantFrom(...starts),
      fc.nat(60),
      fc.uint8Array({ maxLength: 60 }),
      (start, at, bytes) => {
        readImageHeader(Buffer.concat([start.subarray(0, at), bytes]));
      },
    ),
  );
});
