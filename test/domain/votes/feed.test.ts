import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochOf, type FeedHistory, type FeedPosition, isContinued } from '../../../src/domain/votes/feed.ts';

const RESTORED_AT = 1_800_000_000_000;

function position(seq: number, given: Partial<FeedPosition> = {}): FeedPosition {
  return { seq, from: 0, epoch: 0, castAt: null, ...given };
}

function history(given: Partial<FeedHistory> = {}): FeedHistory {
  return { epochs: [0], lastSeq: 100, castAt: null, ...given };
}

test('a reader continues after any number that was given', () => {
  for (const seq of [0, 1, 100]) assert.equal(isContinued(position(seq), history()), true);
  assert.equal(isContinued(position(101), history()), false);
});

test('a reader does not continue after a number that belongs to another vote now', () => {
  assert.equal(isContinued(position(50, { castAt: 7 }), history({ castAt: 7 })), true);
  assert.equal(isContinued(position(50, { castAt: 7 }), history({ castAt: 8 })), false);
});

test('a reader continues if its last vote was deleted, or is not known to it', () => {
  assert.equal(isContinued(position(50, { castAt: 7 }), history()), true);
  assert.equal(isContinued(position(50), history({ castAt: 8 })), true);
});

test('after a restore, readers of forgotten votes continue with numbers of the new epoch', () => {
  const restored = history({ epochs: [0, RESTORED_AT], lastSeq: 80 });
  assert.equal(isContinued(position(100, { castAt: 7 }), restored), true);
  assert.equal(isContinued(position(RESTORED_AT + 1, { epoch: RESTORED_AT }), restored), false);
  const voted = { ...restored, lastSeq: RESTORED_AT + 1 };
  assert.equal(isContinued(position(RESTORED_AT + 1, { epoch: RESTORED_AT }), voted), true);
});

test('a reader of an epoch that the database does not continue starts again', () => {
  const restored = history({ epochs: [0, RESTORED_AT + 5], lastSeq: RESTORED_AT + 9 });
  assert.equal(isContinued(position(RESTORED_AT + 1, { epoch: RESTORED_AT }), restored), false);
});

test('a number belongs to the newest epoch before it', () => {
  const restored = history({ epochs: [0, RESTORED_AT, RESTORED_AT + 50] });
  assert.deepEqual(
    [0, 1, RESTORED_AT, RESTORED_AT + 1, RESTORED_AT + 50, RESTORED_AT + 51].map((seq) =>
      epochOf(seq, restored),
    ),
    [0, 0, 0, RESTORED_AT, RESTORED_AT, RESTORED_AT + 50],
  );
});
