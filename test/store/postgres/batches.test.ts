import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { Batches } from '../../../src/store/postgres/batches.ts';

type Sent = { items: readonly number[]; answer(): void; fail(error: Error): void };

/** Numbers of one sign fit together. Each result is the number times ten. */
function createBatches() {
  const sent: Sent[] = [];
  const tracked: Promise<void>[] = [];
  const onSlow = mock.fn();
  const batches = new Batches<number, number>({
    run: (items) =>
      new Promise((resolve, reject) => {
        sent.push({ items, answer: () => resolve(items.map((item) => item * 10)), fail: reject });
      }),
    fits: (first, item) => Math.sign(first) === Math.sign(item),
    onSlow,
    track: (work) => tracked.push(work),
  });
  const addAll = (...items: number[]) => Promise.allSettled(items.map((item) => batches.add(item)));
  const sentItems = () => sent.map(({ items }) => items);
  return { sent, sentItems, tracked, onSlow, addAll };
}

const valuesOf = (settled: PromiseSettledResult<number>[]) =>
  settled.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.message));

describe('items that one statement handles together', () => {
  it('are those of one tick, and each gets its result', async () => {
    const { sent, sentItems, addAll } = createBatches();
    const added = addAll(1, 2, 3);
    await nextTick();
    assert.deepEqual(sentItems(), [[1, 2, 3]]);
    sent[0]?.answer();
    assert.deepEqual(valuesOf(await added), [10, 20, 30]);
  });

  it('are those that arrived while another statement was running', async () => {
    const { sent, sentItems, addAll } = createBatches();
    for (const item of [1, 2, 3]) {
      void addAll(item);
      await nextTick();
    }
    const last = addAll(4);
    await nextTick();
    assert.deepEqual(sentItems(), [[1]]);
    sent[0]?.answer();
    await nextTick();
    assert.deepEqual(sentItems(), [[1], [2, 3, 4]]);
    sent[1]?.answer();
    assert.deepEqual(valuesOf(await last), [40]);
  });

  it('are sent before the results of the last statement are handed out', async () => {
    const { sent, sentItems, addAll } = createBatches();
    const first = addAll(1).then(() => sentItems());
    await nextTick();
    void addAll(2, 3);
    await nextTick();
    sent[0]?.answer();
    assert.deepEqual(await first, [[1], [2, 3]]);
  });

  it('are sent after 5 ms even if the statements before them get no response', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { sentItems, onSlow, addAll } = createBatches();
    for (const item of [1, 2, 3]) {
      void addAll(item);
      await nextTick();
    }
    t.mock.timers.tick(4);
    assert.deepEqual(sentItems(), [[1]]);
    assert.equal(onSlow.mock.callCount(), 0);
    t.mock.timers.tick(1);
    assert.deepEqual(sentItems(), [[1], [2, 3]]);
    assert.equal(onSlow.mock.callCount(), 1);
    void addAll(4);
    t.mock.timers.tick(4);
    void addAll(5, 6, 7, 8, 9, 10, 11);
    await nextTick();
    assert.equal(sentItems().length, 2);
    t.mock.timers.tick(1);
    assert.deepEqual(sentItems().at(-1), [4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it('are sent while another statement is running, if they are 12 or more', async () => {
    const { sent, sentItems, onSlow, addAll } = createBatches();
    const lengths = () => sentItems().map((items) => items.length);
    void addAll(1);
    await nextTick();
    void addAll(...Array(11).fill(2));
    await nextTick();
    assert.deepEqual(lengths(), [1]);
    void addAll(3);
    await nextTick();
    assert.deepEqual(lengths(), [1, 12]);
    void addAll(...Array(12).fill(4));
    await nextTick();
    assert.deepEqual(lengths(), [1, 12]);
    sent[0]?.answer();
    await nextTick();
    assert.deepEqual(lengths(), [1, 12, 12]);
    assert.equal(onSlow.mock.callCount(), 0);
  });

  it('are half of those that wait, if these are 24 or more', async () => {
    const { sentItems, addAll } = createBatches();
    void addAll(...Array(25).fill(1));
    await nextTick();
    assert.deepEqual(
      sentItems().map((items) => items.length),
      [13, 12],
    );
  });

  it('are at most 100, and only those that fit together', async () => {
    const { sent, sentItems, addAll } = createBatches();
    const added = addAll(...Array(210).fill(1), -1, -2, 2);
    await nextTick();
    for (let answered = 0; answered < 8; answered += 1) {
      sent[answered]?.answer();
      await nextTick();
    }
    assert.deepEqual(
      sentItems().map((items) => [items[0], items.length]),
      [
        [1, 100],
        [1, 55],
        [1, 28],
        [1, 14],
        [1, 13],
        [-1, 2],
        [2, 1],
      ],
    );
    assert.deepEqual(valuesOf(await added).slice(209), [10, -10, -20, 20]);
  });

  it('fail together, and the next ones are still sent', async () => {
    const { sent, addAll } = createBatches();
    const failed = addAll(1, 2);
    await nextTick();
    sent[0]?.fail(new Error('lost'));
    assert.deepEqual(valuesOf(await failed), ['lost', 'lost']);
    const added = addAll(3);
    await nextTick();
    sent[1]?.answer();
    assert.deepEqual(valuesOf(await added), [30]);
  });

  it('are all stored before the store is closed', async () => {
    const { sent, tracked, addAll } = createBatches();
    for (const item of [1, 2, 3]) {
      void addAll(item);
      await nextTick();
    }
    const settled = mock.fn();
    void Promise.all(tracked).then(settled);
    sent[0]?.answer();
    await nextTick();
    assert.deepEqual([sent.length, settled.mock.callCount()], [2, 0]);
    sent[1]?.answer();
    await nextTick();
    assert.equal(settled.mock.callCount(), 1);
  });
});
