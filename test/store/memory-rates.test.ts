import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type FoundWindow, MemoryRateStore, WindowMap } from '../../src/store/rates.ts';

test('expired windows are dropped as new callers arrive', () => {
  const windows = new WindowMap();
  for (let i = 0; i < 1000; i += 1) windows.set(`caller ${i}`, { hits: 1, resetsAt: 60_000 }, 0);
  assert.equal(windows.size, 1000);
  windows.set('late', { hits: 1, resetsAt: 120_000 }, 60_000);
  assert.equal(windows.size, 1);
  assert.equal(windows.get('caller 1', 60_000), undefined);
  assert.deepEqual(windows.get('late', 119_999), { hits: 1, resetsAt: 120_000 });
});

test('a window that was returned does not change with later requests', () => {
  const rates = new MemoryRateStore();
  const limit = { requests: 30, windowMs: 60_000 };
  const first = rates.count('caller', limit, 0);
  const second = rates.count('caller', limit, 1000);
  assert.deepEqual(first, { hits: 1, resetsAt: 60_000 });
  assert.deepEqual(second, { hits: 2, resetsAt: 60_000 });
  assert.deepEqual(rates.count('caller', limit, 60_000), { hits: 1, resetsAt: 120_000 });
  assert.deepEqual(second, { hits: 2, resetsAt: 60_000 });
});

describe('a window that was found before', () => {
  const limit = { requests: 30, windowMs: 60_000 };

  test('is the one that other requests of the key count in', () => {
    const rates = new MemoryRateStore();
    const found: FoundWindow = { window: undefined };
    rates.count('caller', limit, 0, found);
    rates.count('caller', limit, 1);
    assert.deepEqual(rates.count('caller', limit, 2, found), { hits: 3, resetsAt: 60_000 });
    assert.deepEqual(rates.count('caller', limit, 3), { hits: 4, resetsAt: 60_000 });
  });

  test('is not used after it was removed, even if the clock is set back', () => {
    const rates = new MemoryRateStore();
    const found: FoundWindow = { window: undefined };
    rates.count('caller', limit, 0, found);
    // Removes what has ended.
    rates.count('other', limit, 120_000);
    rates.count('caller', limit, 1000);
    assert.deepEqual(rates.count('caller', limit, 1000, found), { hits: 2, resetsAt: 61_000 });
    assert.deepEqual(rates.count('caller', limit, 1000), { hits: 3, resetsAt: 61_000 });
  });
});
