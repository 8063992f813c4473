import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slowdownOf } from '../../bench/measures/machine.ts';

test('a machine that always takes the same time has no slowdown', () => {
  assert.equal(slowdownOf([3, 3, 3, 3]), 1);
});

test('one slow time of ten is left out, two are not', () => {
  assert.equal(slowdownOf([2, 2, 2, 2, 2, 2, 2, 2, 2, 8]), 1);
  assert.equal(slowdownOf([2, 2, 2, 2, 2, 2, 2, 2, 6, 8]), 3);
});
