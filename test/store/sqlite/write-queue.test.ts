import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { WriteQueue } from '../../../src/store/sqlite/write-queue.ts';

class Busy extends Error {}

/** A database that keeps what is pushed to `stored`: all of a transaction, or nothing of it. */
function createDatabase({ busyFor = 0, msPerWrite = 0, commit = () => {} } = {}) {
  let now = 0;
  let isOpen = false;
  let attempts = 0;
  let rows: string[] = [];
  const commits: string[][] = [];
  const reports: { ms: number; hasFailed: boolean }[] = [];
  const transact = (work: () => void) => {
    const before = [...rows];
    const isOuter = !isOpen;
    if (isOuter && ++attempts <= busyFor) throw new Busy();
    isOpen = true;
    try {
      work();
      if (isOuter) {
        commit();
        commits.push(rows.slice(commits.flat().length));
      }
    } catch (error) {
      rows = before;
      throw error;
    } finally {
      if (isOuter) isOpen = false;
    }
  };
  const queue = new WriteQueue({
    transact,
    isInTransaction: () => isOpen,
    isBusy: (error) => error instanceof Busy,
    maxAttempts: 3,
    retryMs: 1,
    now: () => now,
    explain: (error) => (error instanceof SyntaxError ? new Error('explained', { cause: error }) : error),
    onSettled: (ms, hasFailed) => void reports.push({ ms, hasFailed }),
  });
  const insert = (row: string) => {
    now += msPerWrite;
    rows.push(row);
    return row;
  };
  return {
    queue,
    commits,
    reports,
    insert,
    add: (row: string) => queue.add(() => insert(row)),
    end: () => {
      isOpen = false;
    },
    get attempts() {
      return attempts;
    },
  };
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => String(i));

describe('the writes of one program', () => {
  it('are stored by one commit if they are added in one tick, in the order in which they were added', async () => {
    const { add, commits } = createDatabase();
    const first = Promise.all(numbers(5).map(add));
    await Promise.resolve();
    assert.deepEqual(await Promise.all([first, add('later')]), [numbers(5), 'later']);
    assert.deepEqual(commits, [[...numbers(5), 'later']]);
    assert.equal(await add('next tick'), 'next tick');
    assert.deepEqual(commits[1], ['next tick']);
  });

  it('resolve after the commit', async () => {
    let committed = false;
    const { add } = createDatabase({
      commit: () => {
        committed = true;
      },
    });
    const seen = ['a', 'b'].map(async (row) => {
      await add(row);
      return committed;
    });
    assert.deepEqual(await Promise.all(seen), [true, true]);
  });

  it('fail alone if the error is their own', async () => {
    const { add, queue, insert, commits } = createDatabase();
    const addFaulty = () =>
      queue.add(() => {
        insert('half');
        throw new RangeError('mine');
      });
    const outcomes = await Promise.allSettled([add('before'), addFaulty(), add('after'), addFaulty()]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'rejected'],
    );
    assert.deepEqual(commits, [['before', 'after']]);
    const [first, second] = await Promise.allSettled([addFaulty(), add('second')]);
    assert.deepEqual([first?.status, second?.status], ['rejected', 'fulfilled']);
    assert.deepEqual(commits[1], ['second']);
  });

  it('all fail if their commit fails, and the next are stored', async () => {
    let failures = 1;
    const { add, commits, queue } = createDatabase({
      commit: () => {
        if (failures-- > 0) throw new RangeError('disk full');
      },
    });
    const outcomes = await Promise.allSettled(numbers(3).map(add));
    for (const outcome of outcomes) assert.ok(outcome.status === 'rejected', outcome.status);
    assert.deepEqual([commits, queue.size], [[], 0]);
    assert.equal(await add('next'), 'next');
  });

  it('fail if they ran before an error that ended the transaction, and later ones are stored', async () => {
    const { add, commits, queue, end } = createDatabase();
    const fatal = () =>
      queue.add(() => {
        end();
        throw new RangeError('disk I/O error');
      });
    const outcomes = await Promise.allSettled([add('before'), fatal(), add('after')]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(commits, [['after']]);
  });

  it('are stored in groups of at most 128, and of a few milliseconds', async () => {
    const many = createDatabase();
    await Promise.all(numbers(300).map(many.add));
    assert.deepEqual(
      many.commits.map((rows) => rows.length),
      [128, 128, 44],
    );
    const slow = createDatabase({ msPerWrite: 3 });
    await Promise.all(numbers(7).map(slow.add));
    assert.deepEqual(
      slow.commits.map((rows) => rows.length),
      [3, 3, 1],
    );
  });

  it('do not wait for a long one: it is stored alone', async () => {
    const { add, queue, insert, commits } = createDatabase();
    const long = () => queue.add(() => insert('long'), true);
    await Promise.all([add('a'), add('b'), long(), long(), add('c')]);
    assert.deepEqual(commits, [['a', 'b'], ['long'], ['long'], ['c']]);
  });

  it('wait while another program writes, and only the group at the front retries', async () => {
    const database = createDatabase({ busyFor: 2 });
    assert.deepEqual(await Promise.all(numbers(200).map(database.add)), numbers(200));
    assert.equal(database.attempts, 2 + 2);
  });

  it('are run again as a group if another program prevented their commit', async () => {
    let failures = 1;
    const { add, commits } = createDatabase({
      commit: () => {
        if (failures-- > 0) throw new Busy();
      },
    });
    assert.deepEqual(await Promise.all(numbers(3).map(add)), numbers(3));
    assert.deepEqual(commits, [numbers(3)]);
  });

  it('all fail together when they have waited long enough', async () => {
    const database = createDatabase({ busyFor: 3 });
    const outcomes = await Promise.allSettled(numbers(3).map(database.add));
    assert.ok(outcomes.every(({ status }) => status === 'rejected'));
    assert.equal(database.attempts, 3);
    assert.equal(await database.add('next'), 'next');
  });

  it('are reported once each, with the time since they were added, also when the group runs again', async () => {
    const { add, queue, reports } = createDatabase({ msPerWrite: 2 });
    const faulty = queue.add(() => {
      throw new RangeError('mine');
    });
    await Promise.allSettled([add('a'), faulty, add('b')]);
    assert.deepEqual(
      reports.map(({ hasFailed }) => hasFailed),
      [true, false, false],
    );
    await add('c');
    assert.deepEqual(reports.at(-1), { ms: 2, hasFailed: false });
  });

  it('are reported once each when their commit fails, and when they have waited long enough', async () => {
    const failing = createDatabase({
      commit: () => {
        throw new RangeError('disk I/O error');
      },
    });
    const busy = createDatabase({ busyFor: 3 });
    for (const { add, reports } of [failing, busy]) {
      await Promise.allSettled(numbers(3).map(add));
      assert.deepEqual(
        reports.map(({ hasFailed }) => hasFailed),
        [true, true, true],
      );
    }
  });

  it('are rejected with an error that is explained', async () => {
    const { queue } = createDatabase();
    const faulty = queue.add(() => {
      throw new SyntaxError('no such table');
    });
    await assert.rejects(faulty, { message: 'explained' });
  });

  it('have all settled when the queue says so', async () => {
    const { add, queue, reports } = createDatabase({ busyFor: 1 });
    for (const row of numbers(200)) void add(row);
    await queue.settled();
    assert.deepEqual([queue.size, reports.length], [0, 200]);
    await queue.settled();
  });
});
