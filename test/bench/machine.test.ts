import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slowdownOf, stolenShare } from '../../bench/measures/machine.ts';

test('a machine that always takes the same time has no slowdown', () => {
  assert.equal(slowdownOf([3, 3, 3, 3]), 1);
});

test('one slow time of ten is left out, two are not', () => {
  assert.equal(slowdownOf([2, 2, 2, 2, 2, 2, 2, 2, 2, 8]), 1);
  assert.equal(slowdownOf([2, 2, 2, 2, 2, 2, 2, 2, 6, 8]), 3);
});

test('stolen time is a share of the time in which something was to be done', () => {
  const before = 'cpu  100 0 50 1000 10 0 5 20 0 0\ncpu0 50 0 25 500 5 0 2 10 0 0\n';
  const after = 'cpu  150 0 70 9000 20 0 5 50 0 0\ncpu0 80 0 40 4500 9 0 2 30 0 0\n';
  assert.equal(stolenShare(before, after), 0.3);
  assert.equal(stolenShare(before, before), 0);
});

test('without /proc/stat, stolen time is not known', () => {
  assert.equal(stolenShare('', ''), null);
});
