import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { proofOfWork } from '../../src/voting/proof-of-work.ts';

/** Challenges whose keys are derived by a function that reports how many run at a time. */
function countedProofs() {
  const counts = { derived: 0, running: 0, most: 0 };
  const derive = async () => {
    counts.derived += 1;
    counts.running += 1;
    counts.most = Math.max(counts.most, counts.running);
    await nextTurn();
    counts.running -= 1;
    return { derivedKey: Buffer.alloc(32, 7) };
  };
  const proofs = proofOfWork({
    ...{ integrity: { useChallenge: async () => true }, clock: () => 0, onStoreFailure: () => {} },
    ...{ key: Buffer.alloc(32, 1), derive },
  });
  return { counts, proofs };
}

const LEVEL = { cost: 1, maxAccounts: 9 };
const voterWith = (n: number) => ({ guildId: '300000000000000001', userId: `20000000000000000${n}` });

test('many challenges at once occupy one thread of the server, and all are issued', async () => {
  const { counts, proofs } = countedProofs();
  const issued = await Promise.all([1, 2, 3, 4, 5].map((n) => proofs.issue(voterWith(n), LEVEL)));
  assert.equal(new Set(issued.map(({ parameters }) => parameters.nonce)).size, 5);
  assert.deepEqual([counts.derived, counts.most], [5, 1]);
});

test('a page that is loaded again has the same challenge, until it is used or costs more', async () => {
  const { counts, proofs } = countedProofs();
  const nonceOf = async (level = LEVEL, factor = 1) =>
    (await proofs.issue(voterWith(1), level, factor)).parameters.nonce;
  const [first, again] = await Promise.all([nonceOf(), nonceOf()]);
  assert.equal(first, again);
  assert.equal(counts.derived, 1);
  const others = [await nonceOf({ cost: 2, maxAccounts: 19 }), await nonceOf(LEVEL, 2)];
  await proofs.check('used', voterWith(1));
  others.push(await nonceOf(LEVEL, 2));
  assert.equal(new Set([first, ...others]).size, 4);
});
