import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { SLICE_BYTES, streamContent, streamSlices } from '../../src/http/slices.ts';

test('a slice is produced only when the one before was read', async () => {
  let produced = 0;
  const stream = streamSlices(() => {
    produced += 1;
    return 'x'.repeat(SLICE_BYTES);
  });
  stream.on('readable', () => {});
  for (let tick = 0; tick < 50; tick += 1) await nextTick();
  assert.equal(produced, 1);
  stream.read();
  for (let tick = 0; tick < 50; tick += 1) await nextTick();
  assert.equal(produced, 2);
  stream.destroy();
});

test('content of any length arrives unchanged, in slices of its own memory', async () => {
  for (const length of [0, 1, SLICE_BYTES, SLICE_BYTES + 1, 5 * SLICE_BYTES - 1]) {
    const content = Buffer.from(Array.from({ length }, (_, index) => index % 251));
    assert.deepEqual(await buffer(streamContent(content)), content);
  }
  const content = Buffer.alloc(2 * SLICE_BYTES);
  for await (const slice of streamContent(content)) assert.equal(slice.buffer, content.buffer);
});
