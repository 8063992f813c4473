import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Transaction } from '../../../src/store/postgres/connection/connection.ts';
import { WriteGroups } from '../../../src/store/postgres/write-groups.ts';
import { StoreUnavailableError } from '../../../src/store/store.ts';

function refuse(): never {
  throw new Error('no statement is expected');
}

const NO_QUERIES: Transaction = { query: refuse, commit: refuse, commitWith: refuse };

class ServerError extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

type Options = {
  /** Called with each transaction before it is stored. */
  commit?: (items: readonly string[], settings: string) => Promise<void> | void;
  sharedBy?: (item: string) => string;
  resultOf?: (item: string, error: unknown) => string | undefined;
};

/** Items are `key:name`. */
function createGroups({ commit = () => {}, ...options }: Options = {}) {
  const stored: (readonly string[])[] = [];
  const groups = new WriteGroups<string, string>(
    {
      trackWrite: (work) => work,
      async transactionOfMany(work, settings = '') {
        lastSettings = settings;
        return work(NO_QUERIES);
      },
    },
    {
      async run(_tx, items) {
        await commit(items, lastSettings);
        stored.push(items);
        return items.map((item) =>
          item.endsWith('unknown') ? { error: new RangeError(item) } : { result: item },
        );
      },
      keysOf: (item) => [item.split(':')[0] ?? ''],
      ...options,
    },
  );
  let lastSettings = '';
  return { stored, add: (item: string) => groups.add(item) };
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => `${i}:x`);

async function statusesOf(work: Promise<unknown>[]): Promise<string[]> {
  return (await Promise.allSettled(work)).map(({ status }) => status);
}

/** A transaction is stored when a second one runs. */
function waitForTwo() {
  const { promise: both, resolve } = Promise.withResolvers<void>();
  let running = 0;
  return {
    commit() {
      running += 1;
      if (running === 2) resolve();
      return both;
    },
  };
}

describe('the writes of one tick on PostgreSQL', () => {
  it('are one transaction, in their order', async () => {
    const { add, stored } = createGroups();
    assert.deepEqual(await Promise.all(numbers(5).map(add)), numbers(5));
    assert.deepEqual(stored, [numbers(5)]);
  });

  it('are several transactions if there are more than 128', async () => {
    const { add, stored } = createGroups();
    await Promise.all(numbers(300).map(add));
    assert.deepEqual(
      stored.map((items) => items.length),
      [128, 128, 22, 22],
    );
  });

  it('are two transactions at the same time if there are many', async () => {
    const { commit } = waitForTwo();
    const { add, stored } = createGroups({ commit });
    await Promise.all(numbers(64).map(add));
    assert.deepEqual(stored, [numbers(64).slice(0, 32), numbers(64).slice(32)]);
  });

  it('are two transactions that share nothing, if some of them wait for the same rows', async () => {
    const { commit } = waitForTwo();
    // The last digit.
    const sharedBy = (item: string) => item.replace(/:.*/, '').slice(-1);
    const { add, stored } = createGroups({ commit, sharedBy });
    await Promise.all(numbers(64).map(add));
    assert.equal(stored.length, 2);
    const values = stored.flatMap((items) => [...new Set(items.map(sharedBy))]);
    assert.deepEqual(values.toSorted(), Array.from('0123456789'));
  });

  it('are one transaction if all of them wait for the same rows, and later ones follow it', async () => {
    let running = 0;
    let most = 0;
    const { add, stored } = createGroups({
      sharedBy: () => 'all',
      commit: async () => {
        running += 1;
        most = Math.max(most, running);
        await nextTick();
        running -= 1;
      },
    });
    const early = numbers(64).map(add);
    await nextTick();
    await Promise.all([...early, add('later:x')]);
    assert.deepEqual(stored, [numbers(64), ['later:x']]);
    assert.equal(most, 1);
  });

  it('with the same key run one after the other, in their order', async () => {
    // The first transaction takes longer than the others.
    const { add, stored } = createGroups({
      commit: async (items) => {
        if (items.includes('a:1')) for (let i = 0; i < 5; i += 1) await nextTick();
      },
    });
    await Promise.all(['a:1', 'a:2', 'b:1', 'a:3', 'b:2', 'c:1'].map(add));
    assert.deepEqual(stored, [['a:1', 'b:1', 'c:1'], ['a:2', 'b:2'], ['a:3']]);
  });

  it('of which one takes long do not delay writes with other keys', async () => {
    const released = Promise.withResolvers<void>();
    const { add } = createGroups({
      commit: (items) => (items.includes('a:slow') ? released.promise : undefined),
    });
    const slow = add('a:slow');
    await nextTick();
    assert.equal(await add('b:1'), 'b:1');
    released.resolve();
    assert.equal(await slow, 'a:slow');
  });

  it('fail alone with an error of their own', async () => {
    const { add, stored } = createGroups();
    const statuses = await statusesOf(['a:1', 'b:unknown', 'c:1'].map(add));
    assert.deepEqual(statuses, ['fulfilled', 'rejected', 'fulfilled']);
    assert.equal(stored.length, 1);
  });

  it('are tried one by one if their transaction fails', async () => {
    const { add, stored } = createGroups({
      commit: (items) => {
        if (items.includes('b:invalid')) throw new ServerError('22P02');
      },
    });
    const statuses = await statusesOf(['a:1', 'b:invalid', 'c:1'].map(add));
    assert.deepEqual(statuses, ['fulfilled', 'rejected', 'fulfilled']);
    assert.deepEqual(stored, [['a:1'], ['c:1']]);
  });

  it('all fail, and none is tried again, if the connection was lost: they may have been stored', async () => {
    let attempts = 0;
    const { add } = createGroups({
      commit: () => {
        attempts += 1;
        throw new StoreUnavailableError('unreachable', new Error('Connection terminated'));
      },
    });
    assert.deepEqual(await statusesOf(['a:1', 'b:1'].map(add)), ['rejected', 'rejected']);
    assert.equal(attempts, 1);
  });

  it('are tried one by one if the server has cancelled a statement that took too long', async () => {
    const { add, stored } = createGroups({
      commit: (items) => {
        if (items.includes('a:slow'))
          throw new StoreUnavailableError('unreachable', new ServerError('57014'));
      },
    });
    assert.deepEqual(await statusesOf(['a:slow', 'b:1'].map(add)), ['rejected', 'fulfilled']);
    assert.deepEqual(stored, [['b:1']]);
  });

  it('are tried again if another process has stored a row of one of them first', async () => {
    const attempts: string[] = [];
    const { add, stored } = createGroups({
      commit: (items) => {
        attempts.push(items.join());
        const count = attempts.filter((names) => names === items.join()).length;
        if (items.includes('a:1') && (items.length > 1 || count === 1)) throw new ServerError('23505');
        if (items.includes('b:always')) throw new ServerError('23505');
      },
    });
    assert.deepEqual(await statusesOf(['a:1', 'c:1'].map(add)), ['fulfilled', 'fulfilled']);
    assert.deepEqual(stored.toSorted(), [['a:1'], ['c:1']]);
    assert.deepEqual(await statusesOf([add('b:always')]), ['rejected']);
    assert.equal(attempts.filter((names) => names === 'b:always').length, 4);
  });

  it('have the result that is given for an error which stays', async () => {
    const { add } = createGroups({
      commit: (items) => {
        if (items.includes('a:exists')) throw new ServerError('23505');
        if (items.includes('b:invalid')) throw new ServerError('22P02');
      },
      resultOf: (_item, error) =>
        error instanceof ServerError && error.code === '23505' ? 'refused' : undefined,
    });
    const results = await Promise.allSettled(['a:exists', 'b:invalid', 'c:1'].map(add));
    assert.deepEqual(
      results.map((result) => (result.status === 'fulfilled' ? result.value : 'rejected')),
      ['refused', 'rejected', 'c:1'],
    );
  });

  it('do not wait for one that waits for a locked row', async () => {
    const released = Promise.withResolvers<void>();
    const { add, stored } = createGroups({
      commit: async (items, settings) => {
        if (!items.some((item) => item.startsWith('locked'))) return;
        if (settings.includes('lock_timeout')) throw new ServerError('55P03');
        await released.promise;
      },
    });
    const locked: Promise<string>[] = [];
    // One alone, and two together.
    for (const items of [['locked 1:x'], ['locked 2:x', 'locked 3:x']]) {
      locked.push(...items.map(add));
      await nextTick();
    }
    for (let i = 0; i < 5; i += 1) assert.equal(await add(`a:${i}`), `a:${i}`);
    released.resolve();
    assert.equal((await Promise.all(locked)).length, 3);
    assert.equal(stored.flat().length, 8);
  });
});
