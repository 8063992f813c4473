import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../../src/domain/clock.ts';
import type { Subject } from '../../contract.ts';
import { NOW } from '../../fixtures.ts';

const ZOE = { userId: '400000000000000001', name: "Zoé “Z” <b>'; --", avatar: 'a_00ff' };
const SAM = { userId: '400000000000000002', name: '星 🌟', avatar: null };

export function userContract(subject: Subject): void {
  const seenAt = async (userId: string) =>
    Number((await subject.query(`SELECT seen_at FROM users WHERE user_id = '${userId}'`))[0]?.seen_at);

  test('users are found by a list of ids, as stored last; unknown ids are omitted', async () => {
    const { users } = subject.store;
    await users.remember({ ...ZOE, name: 'Old' }, NOW);
    await users.remember(SAM, NOW);
    await users.remember(ZOE, NOW + 1);
    const found = await users.find([SAM.userId, '400000000000000009', ZOE.userId, ZOE.userId]);
    assert.deepEqual(
      found,
      new Map([
        [ZOE.userId, { ...ZOE, showName: false }],
        [SAM.userId, { ...SAM, showName: false }],
      ]),
    );
    assert.equal((await users.find([])).size, 0);
  });

  test('a sign-in with the same name is written at most once a day', async () => {
    const { users } = subject.store;
    const user = { ...SAM, userId: '400000000000000003' };
    for (const at of [NOW, NOW + DAY_MS - 1]) await users.remember(user, at);
    assert.equal(await seenAt(user.userId), NOW);
    await users.remember(user, NOW + DAY_MS);
    assert.equal(await seenAt(user.userId), NOW + DAY_MS);
    await users.remember({ ...user, avatar: 'ff' }, NOW);
    assert.equal(await seenAt(user.userId), NOW + DAY_MS);
  });

  test('the consent to appear by name survives a change of name', async () => {
    const { users } = subject.store;
    const user = { ...SAM, userId: '400000000000000004' };
    assert.equal(await users.setShowName(user.userId, true), false);
    await users.remember(user, NOW);
    assert.equal(await users.setShowName(user.userId, true), true);
    await users.remember({ ...user, name: 'New' }, NOW);
    assert.equal((await users.find([user.userId])).get(user.userId)?.showName, true);
    await users.setShowName(user.userId, false);
    assert.equal((await users.find([user.userId])).get(user.userId)?.showName, false);
  });

  test('many concurrent sign-ins of one user result in one row', async () => {
    const { users } = subject.store;
    const userId = '400000000000000005';
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => users.remember({ ...SAM, userId, name: `Sam ${i}` }, NOW + i)),
    );
    assert.equal((await subject.query(`SELECT name FROM users WHERE user_id = '${userId}'`)).length, 1);
  });

  test('the latest sign-out of a user counts, and old ones are pruned', async () => {
    const { users } = subject.store;
    const [userId, other] = ['400000000000000021', '400000000000000022'];
    assert.equal(await users.signedOutAt(userId), undefined);
    await Promise.all([3, 9, 5].map((at) => users.signOut(userId, NOW + at)));
    await users.signOut(other, NOW);
    assert.deepEqual([await users.signedOutAt(userId), await users.signedOutAt(other)], [NOW + 9, NOW]);
    assert.equal(await users.pruneSignOuts(NOW, 9), 0);
    assert.equal(await users.pruneSignOuts(NOW + 10, 1), 1);
    assert.deepEqual([await users.signedOutAt(userId), await users.signedOutAt(other)], [NOW + 9, undefined]);
  });

  test('users who have not signed in for a long time are pruned, the longest absent first', async () => {
    const { users } = subject.store;
    const ids = [1, 2, 3].map((i) => `40000000000000001${i}`);
    for (const [i, userId] of ids.entries()) await users.remember({ ...SAM, userId }, 1000 + i);
    assert.equal(await users.prune(1002, 1), 1);
    assert.deepEqual([...(await users.find(ids)).keys()].toSorted(), ids.slice(1));
    assert.equal(await users.prune(1002, 9), 1);
    assert.deepEqual([...(await users.find(ids)).keys()], ids.slice(2));
  });
}
