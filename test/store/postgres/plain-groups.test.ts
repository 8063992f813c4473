import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PlainGroups } from '../../../src/store/postgres/plain-groups.ts';

/** How many plain groups are written in steps until the next one is expected to be plain. */
function stepsUntilExpected(groups: PlainGroups): number {
  let steps = 0;
  for (; !groups.isExpected(); steps += 1) groups.noteSteps(true);
  return steps;
}

test('a group is expected to be plain after some that were, one after the other', () => {
  const groups = new PlainGroups();
  groups.noteSteps(true);
  groups.noteSteps(false);
  assert.equal(stepsUntilExpected(groups), 8);
  groups.noteAttempt(true);
  assert.ok(groups.isExpected());
});

test('twice as many are needed after each attempt that failed, and one less after each that did not', () => {
  const groups = new PlainGroups();
  stepsUntilExpected(groups);
  groups.noteAttempt(false);
  assert.equal(stepsUntilExpected(groups), 16);
  groups.noteAttempt(false);
  assert.equal(stepsUntilExpected(groups), 32);
  for (let i = 0; i < 10; i += 1) groups.noteAttempt(true);
  groups.noteAttempt(false);
  assert.equal(stepsUntilExpected(groups), 44);
  for (let i = 0; i < 20; i += 1) groups.noteAttempt(false);
  assert.equal(stepsUntilExpected(groups), 1024);
});
