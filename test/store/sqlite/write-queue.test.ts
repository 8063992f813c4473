import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { WriteQueue } from '../../../src/store/sqlite/write-queue.ts';

class Busy extends Error {}

const isBusy = (error: unknown) => error instanceof Busy;

describe('the writes of one program', () => {
  it('run immediately if nothing blocks them', async () => {
    const queue = new WriteQueue({ isBusy, maxAttempts: 3, retryMs: 1 });
    let isDone = false;
    const written = queue.add(() => {
      isDone = true;
      return 'result';
    });
    assert.equal(isDone, true);
    assert.equal(await written, 'result');
  });

  it('queue up while another program writes, and only the first of them retries', async () => {
    const queue = new WriteQueue({ isBusy, maxAttempts: 100, retryMs: 1 });
    const tries: number[] = [];
    const writes = Array.from({ length: 20 }, (_, number) =>
      queue.add(() => {
        tries.push(number);
        if (tries.length < 5) throw new Busy();
        return number;
      }),
    );
    assert.deepEqual(await Promise.all(writes), [...Array(20).keys()]);
    assert.deepEqual(tries, [0, 0, 0, 0, ...Array(20).keys()]);
  });

  it('all fail together when they have waited long enough', async () => {
    const queue = new WriteQueue({ isBusy, maxAttempts: 3, retryMs: 1 });
    let tries = 0;
    const blocked = () => {
      tries += 1;
      throw new Busy();
    };
    const outcomes = await Promise.allSettled([queue.add(blocked), queue.add(blocked), queue.add(blocked)]);
    assert.ok(outcomes.every(({ status }) => status === 'rejected'));
    // Three for the first, which tried alone before the others arrived; they are one attempt behind.
    assert.equal(tries, 4);
    assert.equal(await queue.add(() => 'next'), 'next');
  });

  it('fail alone if the error is their own', async () => {
    const queue = new WriteQueue({ isBusy, maxAttempts: 3, retryMs: 1 });
    const faulty = queue.add(() => {
      throw new RangeError('mine');
    });
    const well = queue.add(() => 'well');
    await assert.rejects(faulty, RangeError);
    assert.equal(await well, 'well');
  });
});
