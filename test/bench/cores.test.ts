import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coresIn } from '../../bench/measures/cores.ts';

test('reads the list of cores that taskset prints', () => {
  assert.deepEqual(coresIn('0,1'), ['0', '1']);
  assert.deepEqual(coresIn('2-4,8'), ['2', '3', '4', '8']);
  assert.deepEqual(coresIn('3'), ['3']);
  assert.deepEqual(coresIn(''), []);
});
