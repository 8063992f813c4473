import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Subject } from '../../contract.ts';
import { NOW } from '../../fixtures.ts';

const LIMIT = { requests: 3, windowMs: 60_000 };

export function rateContract(subject: Subject): void {
  test('a window starts with the first request and counts until it ends', async () => {
    const { rates } = subject.store;
    const resetsAt = NOW + 60_000;
    assert.deepEqual(await rates.hit('counts', LIMIT, NOW), { hits: 1, resetsAt });
    assert.deepEqual(await rates.hit('counts', LIMIT, NOW + 30_000), { hits: 2, resetsAt });
    assert.deepEqual(await rates.hit('counts', LIMIT, NOW + 59_999), { hits: 3, resetsAt });
    assert.deepEqual(await rates.hit('counts', LIMIT, resetsAt), { hits: 1, resetsAt: resetsAt + 60_000 });
  });

  test('a caller above its limit stays above it until the window ends', async () => {
    const { rates } = subject.store;
    for (let i = 0; i < 3; i += 1) await rates.hit('above', LIMIT, NOW);
    for (let i = 0; i < 5; i += 1) {
      const window = await rates.hit('above', LIMIT, NOW + i);
      assert.ok(window.hits > LIMIT.requests);
      assert.equal(window.resetsAt, NOW + 60_000);
    }
    assert.equal((await rates.hit('above', LIMIT, NOW + 60_000)).hits, 1);
  });

  test('a clock that is set back two hours does not block callers for longer than a window', async () => {
    const { rates } = subject.store;
    for (let i = 0; i < 5; i += 1) await rates.hit('set back', LIMIT, NOW);
    const before = NOW - 2 * 3_600_000;
    assert.equal((await rates.hit('set back', LIMIT, before)).resetsAt, before + 60_000);
    assert.equal((await rates.hit('set back', LIMIT, before + 60_000)).hits, 1);
  });

  test('callers are counted separately', async () => {
    const { rates } = subject.store;
    await rates.hit('apart', LIMIT, NOW);
    assert.equal((await rates.hit('Apart', LIMIT, NOW)).hits, 1);
    assert.equal((await rates.hit('apart ', LIMIT, NOW)).hits, 1);
    assert.equal((await rates.hit('apart', LIMIT, NOW)).hits, 2);
  });

  test('100 concurrent requests are counted exactly', async () => {
    const limit = { requests: 1000, windowMs: 60_000 };
    const hits = Array.from({ length: 100 }, () => subject.store.rates.hit('at once', limit, NOW));
    const counts = (await Promise.all(hits)).map((window) => window.hits).toSorted((a, b) => a - b);
    assert.deepEqual(
      counts,
      Array.from({ length: 100 }, (_, i) => i + 1),
    );
  });
}
