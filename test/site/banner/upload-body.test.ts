import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { MAX_BODY_BYTES, readUpload } from '../../../src/site/banner/upload-body.ts';

test('a body is read up to the limit', async () => {
  const half = Buffer.alloc(MAX_BODY_BYTES / 2);
  assert.equal((await readUpload(Readable.from([half, half]))).length, MAX_BODY_BYTES);
  const tooLarge = readUpload(Readable.from([half, half, Buffer.from('x')]));
  await assert.rejects(tooLarge, { name: 'PageError', fault: 'FORM_TOO_LARGE' });
});

test('an upload that breaks off is no error of the service', async () => {
  async function* broken() {
    yield Buffer.from('--b');
    throw new Error('aborted');
  }
  await assert.rejects(readUpload(Readable.from(broken())), { name: 'PageError', fault: 'BAD_FORM' });
});
