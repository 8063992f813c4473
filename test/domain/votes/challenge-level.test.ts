import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { challengeLevel } from '../../../src/domain/votes/challenges.ts';
import { DEFAULT_NETWORK_LIMITS } from '../../../src/domain/votes/networks.ts';
import { CHALLENGE_WORK } from '../../../src/voting/proof-of-work.ts';

/** Milliseconds for a key, as docs/decisions/0024-vote-integrity.md explains. */
const NATIVE_CORE_MS = 25;
const PHONE_MS = 22;

const costAt = (accounts: number) => challengeLevel(accounts, DEFAULT_NETWORK_LIMITS).cost;

describe('the cost of a challenge', () => {
  it('grows with the number of accounts, in ranges that double', () => {
    const levels = [5, 9, 10, 19, 20, 39, 40, 60].map((accounts) => costAt(accounts).toFixed(2));
    assert.deepEqual(levels, ['1.00', '1.00', '1.11', '1.11', '1.22', '1.22', '1.33', '1.33']);
    assert.deepEqual(
      [5, 10, 20, 40].map((accounts) => challengeLevel(accounts, DEFAULT_NETWORK_LIMITS).maxAccounts),
      [9, 19, 39, 60],
    );
  });

  it('is at least 2 s of CPU on average for a native program, and at most 5 s for a phone', () => {
    const { keys, memoryKib } = CHALLENGE_WORK;
    assert.equal(memoryKib, 8192);
    assert.ok((costAt(5) * keys * NATIVE_CORE_MS) / 2 >= 2000);
    assert.ok(costAt(60) * keys * PHONE_MS <= 5000);
  });
});
