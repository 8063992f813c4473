import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ttlCache } from '../../src/domain/ttl-cache.ts';
import { testClock } from '../support/clock.ts';

describe('a cache with a time to live', () => {
  it('drops the oldest entry when it is full', async () => {
    const { ask, asked } = counting(2);
    await ask('a');
    await ask('b');
    await ask('c');
    await ask('b');
    await ask('c');
    assert.deepEqual(asked, ['a', 'b', 'c']);
    await ask('a');
    assert.deepEqual(asked, ['a', 'b', 'c', 'a']);
  });

  it('counts the age of an entry from the start of the lookup', async () => {
    const { ask, asked, clock, release } = counting(9);
    const slow = ask('slow', true);
    clock.advance(60);
    release();
    await slow;
    await ask('slow');
    assert.equal(asked.length, 2);
  });

  it('counts it from the end of the lookup where work is shared, so that slow work never runs twice at the same time', async () => {
    const { ask, asked, clock, release } = counting(9, 'end');
    const slow = ask('slow', true);
    clock.advance(600);
    const waiting = ask('slow');
    release();
    await Promise.all([slow, waiting]);
    clock.advance(59);
    await ask('slow');
    assert.equal(asked.length, 1);
    clock.advance(1);
    await ask('slow');
    assert.equal(asked.length, 2);
  });

  it('looks up again if the clock was set back', async () => {
    const { ask, asked, clock } = counting(9);
    await ask('a');
    clock.advance(-1);
    await ask('a');
    assert.equal(asked.length, 2);
  });

  it('shares a failure with concurrent callers, and does not cache it', async () => {
    const cache = ttlCache<number>({ clock: testClock('2026-11-18'), maxAgeMs: 60, maxEntries: 9 });
    let asked = 0;
    const fail = async () => {
      asked += 1;
      throw new Error('no');
    };
    await Promise.all([assert.rejects(cache.get('a', fail)), assert.rejects(cache.get('a', fail))]);
    assert.equal(asked, 1);
    assert.equal(await cache.get('a', async () => 1), 1);
  });
});

function counting(maxEntries: number, ageFrom: 'start' | 'end' = 'start') {
  const clock = testClock('2026-11-18');
  const cache = ttlCache<string>({ clock, maxAgeMs: 60, maxEntries, ageFrom });
  const asked: string[] = [];
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const ask = (key: string, isSlow = false) =>
    cache.get(key, async () => {
      asked.push(key);
      if (isSlow) await promise;
      return key;
    });
  return { ask, asked, clock, release };
}
