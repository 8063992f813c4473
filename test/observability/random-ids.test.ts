import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandomIds } from '../../src/observability/random-ids.ts';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('random ids', () => {
  it('are UUIDs of version 4, and no two are the same', () => {
    const next = createRandomIds();
    const ids = Array.from({ length: 1000 }, next);
    for (const id of ids) assert.match(id, UUID_V4);
    assert.equal(new Set(ids).size, ids.length);
  });

  it('contain all random bits except version and variant', () => {
    const next = createRandomIds((bytes) => {
      for (const i of bytes.keys()) bytes[i] = i % 16 === 15 ? 0x5a : 0xf0 + (i % 16);
    });
    assert.equal(next(), 'f0f1f2f3-f4f5-46f7-b8f9-fafbfcfdfe5a');
    assert.equal(next(), 'f0f1f2f3-f4f5-46f7-b8f9-fafbfcfdfe5a');
  });
});
